// Web Services Description Language 1.1 (W3C Note, 15 March 2001), document/literal wrapped. What is about SOAP 1.1 keeps
// to the WS-I Basic Profile 1.1 (24 August 2004).
import type { Registry } from '../../model/registry.ts';
import type { Service } from '../../model/service.ts';
import { buildXml, element, type XmlElement } from '../../wire/xml/build.ts';
import { type Scope, scopeOf } from '../scope.ts';
import { deprecationNote, joined, titleOf } from '../words.ts';
import { hasAttachment } from '../xsd/fields.ts';
import { prefixesOf, type SchemaSet } from '../xsd/schema.ts';
import { schemasOf } from '../xsd/xsd.ts';
import { bindingElement, SOAP_DIALECTS } from './binding.ts';
import { wsdlNames } from './names.ts';
import { messageElements, operationElement, wsdlOperations } from './operation.ts';
import { policiesOf } from './policy.ts';

/**
 * The WSDL of a service: its operations over SOAP in one port type, a binding and a port each for SOAP 1.1 and 1.2, and
 * the XML Schemas of its documents inline. Path names belong to REST: over SOAP a service is one. `base` is the gateway's
 * address with its context, without a slash at the end.
 * @throws RangeError where no active operation of the service is called over SOAP
 */
export function describeWsdl(registry: Registry, service: Service, { base }: { readonly base: string }): string {
  const scope = scopeOf(registry, { service });
  if (scope.soap.length === 0) throw new RangeError(`${service.id} has no operation over SOAP`);
  const schemas = schemasOf(scope);
  const inline = inlineSchemas(schemas);
  const policies = policiesOf(scope.soap);
  const operations = wsdlOperations(scope, schemas, policies);
  const { definitions: name, portType, service: client } = wsdlNames(scope);
  const bindingName = (label: string): string => `${name}${label}Binding`;
  const address = `${base}/PeopleSoftServiceListeningConnector`;
  const ports = SOAP_DIALECTS.map(({ prefix, label }) =>
    element('wsdl:port', { name: `${name}${label}Port`, binding: `tns:${bindingName(label)}` }, [
      element(`${prefix}:address`, { location: address }),
    ]),
  );
  return buildXml(
    element('wsdl:definitions', { name, ...namespacesOf(scope, schemas) }, [
      documentation(titleOf(scope), deprecationNote(service), attachmentNote(scope, inline)),
      ...policies.elements,
      element('wsdl:types', {}, inline),
      ...messageElements(operations),
      element('wsdl:portType', { name: portType }, [
        documentation(service.description),
        ...operations.map(operationElement),
      ]),
      ...SOAP_DIALECTS.map((dialect) =>
        bindingElement(dialect, { binding: bindingName(dialect.label), portType }, operations),
      ),
      element('wsdl:service', { name: client }, [documentation(service.description), ...ports]),
    ]),
  );
}

function namespacesOf({ namespace }: Scope, schemas: SchemaSet): Record<string, string> {
  const attributes: Record<string, string> = {
    targetNamespace: namespace,
    'xmlns:wsdl': 'http://schemas.xmlsoap.org/wsdl/',
    'xmlns:xs': 'http://www.w3.org/2001/XMLSchema',
  };
  for (const { prefix, namespace: dialect } of SOAP_DIALECTS) attributes[`xmlns:${prefix}`] = dialect;
  return { ...attributes, ...prefixesOf(schemas) };
}

/** Without the schema of elements that have no namespace, if there is one: nothing in a WSDL can name them. */
function inlineSchemas({ namespaces, schemaOf }: SchemaSet): XmlElement[] {
  return namespaces.filter((namespace) => namespace !== '').map((namespace) => schemaOf(namespace));
}

function attachmentNote({ gateway }: Scope, schemas: readonly XmlElement[]): string | undefined {
  if (!gateway.mtom.services || !schemas.some(hasAttachment)) return undefined;
  return (
    'Binary content travels in base64 in its place, or as attachments (MTOM). A reply has attachments where the request ' +
    'is MTOM, or where its Accept header names multipart/related.'
  );
}

function documentation(...texts: readonly (string | undefined)[]): XmlElement | undefined {
  const text = joined('\n', ...texts);
  return text === undefined ? undefined : element('wsdl:documentation', {}, [text]);
}
