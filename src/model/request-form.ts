import type { Field } from './field.ts';
import { type BodyForm, FORM_MEDIA_TYPES } from './form.ts';
import { traitsOf } from './scalar.ts';
import { hasXmlBody, type Method, type Operation, type OperationUri, type RawKind } from './service.ts';

/** One form of a request's body over REST. */
export interface RequestForm {
  readonly mediaType: string;
  /** `raw` has no document, and is a text, bytes, or JSON or XML of any kind. */
  readonly format: 'json' | 'xml' | BodyForm | 'raw';
}

/** Media types of messages without a document. */
export const RAW_MEDIA_TYPES: Readonly<Record<RawKind, string>> = {
  json: 'application/json',
  xml: 'application/xml',
  text: 'text/plain',
  binary: 'application/octet-stream',
};

/** What the body of a request consists of: fields of a document, or one value of a kind. */
export function bodyKind(
  { body, request }: Pick<Operation, 'body' | 'request'>,
  field: Field | undefined,
): 'document' | RawKind {
  if (body !== 'raw') return 'document';
  if (request.kind === 'raw') return request.raw;
  return field === undefined ? 'text' : (traitsOf(field.type)?.body ?? 'json');
}

/** The forms of a request's body at a URI, the usual one first: those that are declared, or those of its kind. */
export function requestForms(operation: Operation, { body: [field] }: OperationUri): readonly RequestForm[] {
  const { form, request, requestTypes } = operation;
  if (form !== undefined) return [{ mediaType: FORM_MEDIA_TYPES[form], format: form }];
  const kind = bodyKind(operation, field);
  if (requestTypes !== undefined)
    return requestTypes.map((mediaType) => ({
      mediaType,
      format: kind === 'document' ? (isXml(essenceOf(mediaType)) ? 'xml' : 'json') : 'raw',
    }));
  if (kind !== 'document') return [{ mediaType: RAW_MEDIA_TYPES[kind], format: 'raw' }];
  const json: RequestForm = { mediaType: 'application/json', format: 'json' };
  return request.kind === 'document' && hasXmlBody(request.document)
    ? [json, { mediaType: 'application/xml', format: 'xml' }]
    : [json];
}

/**
 * The media types of a body that are accepted: those that are declared, and the general type of the same syntax, which clients
 * send that know no other. Other types of JSON are accepted only where none is declared.
 */
export function acceptedTypes(operation: Operation, uri: OperationUri): readonly string[] {
  const types = requestForms(operation, uri).map(({ mediaType }) => mediaType);
  const essences = types.map(essenceOf);
  const general = [
    ...(essences.some((each) => each.endsWith('+json') || each === 'application/json') ? ['application/json'] : []),
    ...(essences.some(isXml) ? ['application/xml'] : []),
  ];
  return [...types, ...general.filter((each) => !essences.includes(each))];
}

/**
 * The header that names the media types of a method's request, in the answer to OPTIONS and next to `Accept` where one was rejected:
 * RFC 5789, sections 2.2 and 3.1; Linked Data Platform, section 7.1.
 */
export const ACCEPT_HEADERS: Readonly<Partial<Record<Method, string>>> = { PATCH: 'Accept-Patch', POST: 'Accept-Post' };

/** `type/subtype` of a media type, in lower case. */
const essenceOf = (mediaType: string): string => mediaType.toLowerCase().split(/\s*;/)[0] ?? '';

const isXml = (essence: string): boolean => /^(?:application|text)\/xml$|\+xml$/.test(essence);
