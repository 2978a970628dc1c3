import type { Registry } from '../../model/registry.ts';
import type { Service } from '../../model/service.ts';
import { buildXml, element, type XmlElement } from '../../wire/xml/build.ts';
import { type Scope, scopeOf } from '../scope.ts';
import { titleOf } from '../words.ts';
import { wsdlClassNames } from './class-names.ts';
import { annotation, wrappersOf } from './elements.ts';
import { buildSchemas, type SchemaSet } from './schema.ts';
import { sharedTypes } from './types.ts';

/**
 * Every XML Schema of a service's documents by file name, the main one first: `Locations.v1.xsd`, then one file for each
 * further namespace, which stand in the same folder: `Locations.v1.none.xsd` for the elements without a namespace,
 * `Locations.v1.2.xsd` and so on for others. XML Schema allows a file one target namespace.
 * @throws RangeError where `pathName` is no path name of the service
 */
export function describeXsdFiles(
  registry: Registry,
  service: Service,
  { pathName }: { readonly pathName?: string | undefined } = {},
): ReadonlyMap<string, string> {
  const scope = scopeOf(registry, { service, pathName });
  const schemas = schemasOf(scope);
  // Of nothing but messages without a document there is a schema too, which declares nothing.
  if (schemas.namespaces.length === 0) return new Map([[`${scope.name}.xsd`, buildXml(NO_SCHEMA)]]);
  const locations = new Map(
    schemas.namespaces.map((namespace, index) => {
      const suffix = index === 0 ? '' : namespace === '' ? '.none' : `.${index + 1}`;
      return [namespace, `${scope.name}${suffix}.xsd`];
    }),
  );
  return new Map([...locations].map(([namespace, file]) => [file, buildXml(schemas.schemaOf(namespace, locations))]));
}

const NO_SCHEMA = element('xs:schema', { 'xmlns:xs': 'http://www.w3.org/2001/XMLSchema' });

/** The schemas of a scope's documents, with the wrappers of SOAP, and that of psnonxml where an operation uses it. */
export function schemasOf(scope: Scope): SchemaSet {
  const wrapped = scope.rest.some((operation) => operation.wrapper === 'psnonxml');
  return buildSchemas({
    documents: scope.documents,
    namespace: scope.namespace,
    wrappers: wrappersOf(scope.soap),
    title: titleOf(scope),
    extra: wrapped ? [nonXmlElement()] : [],
    classNames: scope.soap.length === 0 ? [] : wsdlClassNames(scope),
    shared: sharedTypes(scope.soap, scope.documents),
  });
}

/** `<data psnonxml="Yes">`: an XML element around a message in JSON. */
function nonXmlElement(): XmlElement {
  const extension = element('xs:extension', { base: 'xs:string' }, [
    element('xs:attribute', { name: 'psnonxml', type: 'xs:string', use: 'required', fixed: 'Yes' }),
  ]);
  return element('xs:element', { name: 'data' }, [
    annotation('Wrapper of a message that is not XML: its content is JSON text in a CDATA section.'),
    element('xs:complexType', {}, [element('xs:simpleContent', {}, [extension])]),
  ]);
}
