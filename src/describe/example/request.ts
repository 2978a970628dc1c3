import type { Field, UrlStyle } from '../../model/field.ts';
import { partKind } from '../../model/form.ts';
import type { Registry } from '../../model/registry.ts';
import { bodyKind, type RequestForm, requestForms } from '../../model/request-form.ts';
import { primitiveOf } from '../../model/scalar.ts';
import { isMessageScheme, type SecurityScheme } from '../../model/security.ts';
import {
  type Method,
  type Operation,
  type OperationUri,
  type RawKind,
  type SoapForm,
  serviceNamespace,
  takesBody,
  type UriVariable,
} from '../../model/service.ts';
import { accessorsOf, soapElements } from '../../model/soap.ts';
import { isXmlType } from '../../wire/media-type.ts';
import { PASSWORD_TEXT, WSSE } from '../../wire/soap/wsse-names.ts';
import { compileUriExpander } from '../../wire/uri-template/expand.ts';
import { UriExpansionError, type UriValue } from '../../wire/uri-template/expand-template.ts';
import { type TemplateVariable, UriTemplateError } from '../../wire/uri-template/uri-template.ts';
import { buildXmlFragment, element, type XmlElement } from '../../wire/xml/build.ts';
import { readXml } from '../../wire/xml/read-xml.ts';
import { sentForms } from '../exchange.ts';
import type { Json } from '../json.ts';
import { soapSchemes } from '../requirements.ts';
import { documentsOf, type SoapOperation, segmentOf, soapOperations } from '../scope.ts';
import { isRequired } from '../uri.ts';
import { exampleForm } from './form.ts';
import { exampleContent } from './scalar.ts';
import { exampleElement, exampleXml, fieldJson, markupXml, messageJson } from './text.ts';
import { type ExampleValue, emptyExample, exampleDocument, exampleField, tellingFields } from './value.ts';

/** An example of a request, without credentials. */
export interface ExampleRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Parts of a form, in place of a body. A file is the name of one. */
  readonly parts?: readonly ExamplePart[];
}

interface ExamplePart {
  readonly name: string;
  readonly kind: 'text' | 'json' | 'file';
  readonly text: string;
}

/**
 * An example of a call of an operation at one of its URIs. Values are the `example` of each field. A required field without
 * one gets a value by its type; optional fields are left out. If a value can't be derived, for instance because of a pattern,
 * the address contains the URI template unchanged. `base` is the gateway's address with its context, without a slash at the
 * end; the address has no node, which means the local one. `namespace`: of the gateway.
 */
export function exampleRequest(
  operation: Operation,
  uri: OperationUri,
  base: string,
  namespace: string,
): ExampleRequest {
  const path = expand(uri).replace(/^\//, '');
  const [form] = sentForms(operation);
  const headers: Record<string, string> = form === undefined ? {} : { Accept: form.mediaType };
  for (const { header, field } of operation.requestHeaders) {
    const value = given(field, field.required);
    if (value !== undefined) headers[header] = String(value);
  }
  // Every operation with a URI has a method.
  const method = operation.method as Method;
  const request = { method, url: `${base}/RESTListeningConnector/${segmentOf(operation)}/${path}`, headers };
  if (!takesBody(operation, uri)) return request;
  // curl adds the boundary, and with it the type.
  if (operation.form === 'multipart') return { ...request, parts: exampleParts(operation, uri) };
  const [body] = requestForms(operation, uri);
  if (body === undefined) return request;
  headers['Content-Type'] = body.mediaType;
  return { ...request, body: bodyText(operation, uri, body, namespace) };
}

/** The expanded template, or the template itself if a value is missing. */
function expand({ template, variables }: OperationUri): string {
  const values: Record<string, UriValue> = {};
  const styles = new Map<TemplateVariable, UrlStyle>();
  for (const [index, variable] of template.variables.entries()) {
    const bound = variables[index] as UriVariable;
    const required = isRequired(bound);
    const value = given(bound.field, required);
    if (value === undefined && required) return template.text;
    if (value !== undefined) values[variable.name] = value as UriValue;
    styles.set(variable, bound.field.url);
  }
  try {
    return compileUriExpander(template, (variable) => styles.get(variable) ?? 'segment')(values);
  } catch (error) {
    // A path segment can't consist of dots only, and `{/x}` keeps no slashes, whatever the style of the field.
    if (error instanceof UriExpansionError || error instanceof UriTemplateError) return template.text;
    throw error;
  }
}

/** The values of fields that are required or have an example. */
function given(field: Field, required: boolean): ExampleValue | undefined {
  return required || field.example !== undefined ? exampleField(field) : undefined;
}

function bodyText(
  operation: Operation,
  uri: OperationUri,
  { format, mediaType }: RequestForm,
  namespace: string,
): string {
  const { request, service } = operation;
  if (format === 'xml' && request.kind === 'document') {
    const { document } = request;
    const fields = tellingFields(document.kinds === undefined ? uri.body : document.fields);
    const documents = documentsOf(
      { rest: [{ ...operation, method: operation.method as Method }], soap: [] },
      serviceNamespace(service, namespace),
    );
    return exampleXml({ ...document, fields }, exampleDocument({ ...document, fields }) ?? emptyExample(), documents);
  }
  if (format === 'urlencoded') return exampleForm(exampleFields(operation, uri), operation.formStyles);
  const example = bodyExample(operation, uri);
  const kind = bodyKind(operation, uri.body[0]);
  if (kind === 'document' || kind === 'json') return JSON.stringify(example ?? {});
  return String(example ?? exampleContent(isXmlType(mediaType) ? 'xml' : 'text'));
}

/** The fields of a form that are required or have an example, in JSON. */
function exampleFields({ request }: Operation, { body }: OperationUri): (readonly [Field, Json])[] {
  if (request.kind !== 'document') return [];
  const values = exampleDocument({ ...request.document, fields: tellingFields(body) });
  return body.flatMap((field) => {
    const value = values?.[field.name];
    return value === undefined ? [] : [[field, fieldJson(field, value)] as const];
  });
}

/** The parts of a form: those of fields that are required or have an example, files among them. */
function exampleParts(operation: Operation, { body }: OperationUri): ExamplePart[] {
  const { request } = operation;
  if (request.kind !== 'document') return [];
  const isFile = (field: Field): boolean => partKind(field) === 'file';
  const values = exampleDocument({
    ...request.document,
    fields: tellingFields(body.filter((field) => !isFile(field))),
  });
  return body.flatMap((field): ExamplePart[] => {
    const { jsonName: name, type } = field;
    if (isFile(field)) return field.required ? [{ name, kind: 'file', text: 'FILE' }] : [];
    const value = values?.[field.name];
    if (value === undefined) return [];
    const json = fieldJson(field, value);
    const entries = type.kind === 'list' && Array.isArray(json) ? (json as readonly Json[]) : [json];
    const kind = partKind(field);
    return entries.map((each) => ({ name, kind, text: kind === 'json' ? JSON.stringify(each) : String(each) }));
  });
}

/**
 * An example of a body, as JSON: of the only field, unless that is binary; otherwise of the fields that are required or have
 * an example, or of all fields if there are none.
 */
export function bodyExample(operation: Operation, { body }: OperationUri): Json | undefined {
  const { request } = operation;
  if (request.kind !== 'document') return undefined;
  if (operation.body === 'raw') {
    const [field] = body;
    const value = field === undefined || primitiveOf(field.type) === 'binary' ? undefined : exampleField(field);
    return field === undefined || value === undefined ? undefined : fieldJson(field, value);
  }
  const fields = tellingFields(body);
  const value = exampleDocument({ ...request.document, fields });
  return value === undefined ? undefined : messageJson(request.document, fields, value);
}

/**
 * An example of a call of an operation over SOAP 1.1, with the fields that are required or have an example, or all fields if
 * there are none; with an empty wrapper if no values can be derived. If the message must contain credentials, the example has
 * a UsernameToken. `undefined` for an operation without a SOAP form. `base` is the gateway's address with its context, without
 * a slash at the end.
 */
export function exampleSoapRequest(registry: Registry, operation: Operation, base: string): ExampleRequest | undefined {
  const [called] = soapOperations(operation);
  if (called === undefined) return undefined;
  const headers = [...credentials(soapSchemes(operation)), ...blocks(called, registry.gateway.namespace)];
  const envelope = element('soap:Envelope', { 'xmlns:soap': 'http://schemas.xmlsoap.org/soap/envelope/' }, [
    headers.length === 0 ? undefined : element('soap:Header', {}, headers),
    element('soap:Body', {}, [payload(called, registry.gateway.namespace)]),
  ]);
  return {
    method: 'POST',
    url: `${base}/PeopleSoftServiceListeningConnector`,
    headers: { 'Content-Type': 'text/xml; charset=utf-8', SOAPAction: `"${called.soap.action}"` },
    body: buildXmlFragment(envelope),
  };
}

/** A header block with placeholders for user and password (UsernameToken Profile 1.1.1, section 3.1). */
function credentials(schemes: readonly SecurityScheme[]): XmlElement[] {
  const inMessage = schemes.every(isMessageScheme);
  if (!inMessage || !schemes.some((each) => each.kind === 'username-token' && each.passwords.includes('text')))
    return [];
  const token = element('wsse:UsernameToken', {}, [
    element('wsse:Username', {}, ['USER']),
    element('wsse:Password', { Type: PASSWORD_TEXT }, ['PASSWORD']),
  ]);
  return [element('wsse:Security', { 'xmlns:wsse': WSSE }, [token])];
}

/** The header blocks of a request that its definition declares. */
function blocks(operation: SoapOperation, prefix: string): XmlElement[] {
  const documents = documentsOf({ rest: [], soap: [operation] }, serviceNamespace(operation.service, prefix));
  return operation.blocks.request.flatMap(({ field, document }) => {
    const value = given(field, field.required);
    if (value === undefined) return [];
    const around = { name: '', namespace: '' };
    const { children } = exampleElement({ ...document, fields: [field] }, { [field.name]: value }, documents, around);
    return children.filter((child) => typeof child !== 'string');
  });
}

/** @param prefix of the gateway's namespaces */
function payload(operation: SoapOperation, prefix: string): XmlElement | undefined {
  const { request, style }: SoapForm = operation.soap;
  const { request: root } = soapElements(operation, prefix);
  if (root === undefined) return undefined;
  if (request.kind !== 'document') {
    const content = request.kind === 'raw' ? [rawContent(request.raw, root.namespace)] : [];
    const own = content.map((each) => (style === 'rpc' ? { ...each, attributes: { xmlns: '' } } : each));
    return element(root.name, { xmlns: root.namespace }, own);
  }
  const { document } = request;
  const value = exampleDocument({ ...document, fields: tellingFields(document.fields) }) ?? emptyExample();
  const documents = documentsOf({ rest: [], soap: [operation] }, serviceNamespace(operation.service, prefix));
  return exampleElement(style === 'rpc' ? accessorsOf(document) : document, value, documents, root);
}

/** Content without a document: markup as it is, anything else in an element. */
function rawContent(kind: RawKind, around: string): XmlElement {
  const content = exampleContent(kind);
  return kind === 'xml' ? markupXml(readXml(content), around) : element('content', {}, [content]);
}
