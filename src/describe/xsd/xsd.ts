import type { Document } from '../../model/document.ts';
import type { Field } from '../../model/field.ts';
import type { Registry } from '../../model/registry.ts';
import type { Service, SoapForm } from '../../model/service.ts';
import { buildXml, element, type XmlElement } from '../../wire/xml/build.ts';
import { type Scope, scopeOf } from '../scope.ts';
import { titleOf } from '../words.ts';
import { wsdlClassNames } from '../wsdl/wsdl-names.ts';
import { annotation } from './elements.ts';
import { buildSchemas, type SchemaSet } from './schema.ts';
import { sharedTypes } from './types.ts';
import { wrappersOf } from './wrappers.ts';

/**
 * The XML Schemas of a service's documents by file name: the main one, `Locations.v1.xsd`, then in the same folder one file for
 * each further namespace: `Locations.v1.none.xsd` for elements without a namespace, `Locations.v1.2.xsd` and so on for the
 * others. An XML Schema file has a single target namespace.
 * @throws RangeError when `pathName` is not a path name of the service
 */
export function describeXsdFiles(
  registry: Registry,
  service: Service,
  { pathName }: { readonly pathName?: string | undefined } = {},
): ReadonlyMap<string, string> {
  const scope = scopeOf(registry, { service, pathName });
  const schemas = schemasOf(scope);
  // A service that has no documents gets an empty schema.
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

/**
 * The schemas of a scope's documents, with the wrappers of SOAP, and of psnonxml if an operation uses it.
 * @param parameters fields outside of documents, whose named types are declared too
 */
export function schemasOf(scope: Scope, parameters: readonly Field[] = []): SchemaSet {
  const wrapped = scope.rest.some((operation) => operation.wrapper === 'psnonxml');
  return buildSchemas({
    documents: scope.documents,
    namespace: scope.namespace,
    soap: scope.soap.length > 0,
    wrappers: wrappersOf(scope.soap),
    blocks: scope.soap.flatMap(({ blocks }) => [...blocks.request, ...blocks.reply]),
    parts: [...new Set(scope.soap.flatMap(({ soap }) => rpcDocuments(soap)))],
    title: titleOf(scope),
    extra: wrapped ? [nonXmlElement()] : [],
    classNames: scope.soap.length === 0 ? [] : wsdlClassNames(scope),
    shared: sharedTypes(scope.soap, scope.documents),
    parameters,
  });
}

function rpcDocuments({ style, request, response }: SoapForm): Document[] {
  if (style !== 'rpc') return [];
  return [request, response].flatMap((message) => (message.kind === 'document' ? [message.document] : []));
}

/** `<data psnonxml="Yes">`: an XML element around a message in JSON. */
function nonXmlElement(): XmlElement {
  const extension = element('xs:extension', { base: 'xs:string' }, [
    element('xs:attribute', { name: 'psnonxml', type: 'xs:string', use: 'required', fixed: 'Yes' }),
  ]);
  return element('xs:element', { name: 'data' }, [
    annotation('Wrapper of a message that is not XML. Its content is JSON text in a CDATA section.'),
    element('xs:complexType', {}, [element('xs:simpleContent', {}, [extension])]),
  ]);
}
