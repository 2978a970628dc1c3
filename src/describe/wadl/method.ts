import { type Document, documentName } from '../../model/document.ts';
import { type Operation, type OperationUri, type ReplyForm, takesBody } from '../../model/service.ts';
import { problemMediaType } from '../../wire/problem.ts';
import { element, type XmlElement } from '../../wire/xml/build.ts';
import { faultStatuses } from '../faults.ts';
import { ncName } from '../names.ts';
import { faultForms, replyStatus, sentForms } from '../replies.ts';
import { requestMediaTypes } from '../request-body.ts';
import { accessNote, restSchemes } from '../requirements.ts';
import type { Scope } from '../scope.ts';
import type { DescribedUri } from '../uri.ts';
import { joined, repeatsNote } from '../words.ts';
import type { SchemaSet } from '../xsd/schema.ts';
import { apiKeyParams, headerParam } from './param.ts';

/** What the methods of a WADL share. */
export interface WadlContext {
  readonly scope: Scope;
  readonly schemas: SchemaSet;
}

/** An operation at one of its URIs. */
export function methodElement(
  operation: Operation,
  { uri }: DescribedUri,
  query: readonly XmlElement[],
  context: WadlContext,
): XmlElement {
  const headers = operation.requestHeaders.map(({ header, field }) => headerParam(header, field));
  const body = takesBody(operation, uri) ? requestRepresentations(operation, uri, context) : [];
  const content = [...query, ...headers, ...apiKeyParams(restSchemes(operation)), ...body];
  const attributes = { name: operation.method, id: ncName(context.scope.nameOf(uri)) };
  return element('method', attributes, [
    element('doc', { title: operation.name }, [methodText(operation, uri)]),
    content.length === 0 ? undefined : element('request', {}, content),
    ...responses(operation, context),
  ]);
}

function methodText(operation: Operation, { template, index }: OperationUri): string | undefined {
  const uri = `URI template ${index}: ${template.text}`;
  return joined('\n', operation.description, uri, accessNote(restSchemes(operation)));
}

function requestRepresentations(operation: Operation, uri: OperationUri, context: WadlContext): XmlElement[] {
  const [mediaType = '', inXml] = requestMediaTypes(operation, uri);
  const { request } = operation;
  if (request.kind !== 'document') return [element('representation', { mediaType })];
  const { document } = request;
  const names = uri.body.map((field) => field.jsonName).join(', ');
  const text = joined('. ', `${documentName(document)}: ${names}`, repeatsNote(uri.repeats));
  const inJson = element('representation', { mediaType }, [element('doc', {}, [text])]);
  if (inXml === undefined) return [inJson];
  const elements = uri.body.map((field) => field.xmlName).join(', ');
  const part = joined('. ', `It holds only ${elements}`, repeatsNote(uri.repeats));
  const isWhole = uri.body.length === document.fields.length;
  return [inJson, xmlRepresentation(inXml, qualified(document, context), isWhole ? undefined : part)];
}

function responses(operation: Operation, context: WadlContext): XmlElement[] {
  const reply = sentForms(operation).map((form) => representation(form, context));
  const forms = faultForms(operation);
  const statuses = faultStatuses(operation, context.scope.gateway.limits).map(({ status }) => String(status));
  const problem = forms.some((form) => form.mediaType === problemMediaType);
  return [
    element('response', { status: String(replyStatus(operation)) }, reply),
    element(
      'response',
      { status: statuses.join(' ') },
      forms.map((form) => representation(form, context)),
    ),
    // An address that belongs to no operation, or to several, is answered before there is a fault document.
    ...(problem ? [] : [element('response', { status: '404 405' }, [problemRepresentation()])]),
  ];
}

function problemRepresentation(): XmlElement {
  return element('representation', { mediaType: problemMediaType }, [
    element('doc', {}, ['Problem details (RFC 9457), where the address belongs to no single operation.']),
  ]);
}

/** One form of a reply or a fault; XML ones name the element of the grammars. */
function representation({ format, mediaType, message }: ReplyForm, context: WadlContext): XmlElement {
  if (message.kind !== 'document') {
    const note = mediaType === problemMediaType ? 'Problem details (RFC 9457).' : undefined;
    return element('representation', { mediaType }, [note === undefined ? undefined : element('doc', {}, [note])]);
  }
  const { document } = message;
  if (format === 'xml') return xmlRepresentation(mediaType, qualified(document, context), undefined);
  const label = document.root ? ` under the root label ${document.id}` : '';
  const json = `The JSON form of ${documentName(document)}${label}.`;
  if (format === 'json') return element('representation', { mediaType }, [element('doc', {}, [json])]);
  return xmlRepresentation(
    mediaType,
    'data',
    `${json} It is the content, in a CDATA section, of the element data with the attribute psnonxml="Yes". ` +
      'A caller whose Accept header names application/json gets the JSON itself.',
  );
}

function qualified(document: Document, { scope, schemas }: WadlContext): string {
  const prefix = schemas.prefixOf(scope.documents.namespaceOf(document));
  return prefix === undefined ? document.xmlName : `${prefix}:${document.xmlName}`;
}

/** A name without a namespace can be written only where no default namespace is in force: there WADL has a prefix. */
function xmlRepresentation(mediaType: string, name: string, note: string | undefined): XmlElement {
  const prefix = name.includes(':') ? '' : 'wadl:';
  const scope = prefix === '' ? {} : { 'xmlns:wadl': 'http://wadl.dev.java.net/2009/02', xmlns: '' };
  return element(`${prefix}representation`, { ...scope, mediaType, element: name }, [
    note === undefined ? undefined : element(`${prefix}doc`, {}, [note]),
  ]);
}
