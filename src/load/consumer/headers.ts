import type { CallBody, CallHeader, CallText, FixedHeader } from '../../model/consumer.ts';
import type { FieldType } from '../../model/field.ts';
import type { Node } from '../../model/node.ts';
import { RAW_MEDIA_TYPES } from '../../model/request-form.ts';
import { primitiveOf } from '../../model/scalar.ts';
import { isXmlType, type MediaType, parseMediaType } from '../../wire/media-type.ts';
import { readIntent } from '../../wire/soap/intent.ts';
import type { Linking } from '../linking.ts';
import { given } from '../object.ts';
import { type InputFields, saidHeaders } from '../operation/request.ts';
import type { OperationSpot } from '../operation/spot.ts';
import { parseConfigText } from '../value/config-text.ts';
import { headersOfCredential, isCredentialHeader, ownHeaderFault } from '../value/headers.ts';
import { isClearText, linkCallText } from './input.ts';

/** Why the charset of a media type can't be used for calls. */
function charsetFault({ parameters }: MediaType): string | undefined {
  const charset = parameters.get('charset')?.toLowerCase() ?? 'utf-8';
  return charset === 'utf-8' ? undefined : `has the charset ${charset}, but calls are written in UTF-8`;
}

/** RFC 9110 section 5.5: visible characters, separated by spaces or tabs. */
function headerTextFault(text: string): string | undefined {
  return /^[!-~]+(?:[\t ]+[!-~]+)*$/.test(text) ? undefined : 'is not valid text for a header';
}

/** Refuses a header that the credential of the node also writes, unless the service sets it for all of its operations. */
export function checkCredentialHeader(
  { report, places }: Linking,
  spot: OperationSpot,
  { id, credential }: Node,
): void {
  if (credential === undefined) return;
  const { override, declared } = spot;
  const own =
    override?.declared.target === undefined
      ? [declared.headers, override?.declared.headers]
      : [override.declared.headers];
  const shown = headersOfCredential(credential);
  for (const { header, container } of saidHeaders(spot)) {
    if (!shown.includes(header.toLowerCase()) || !own.includes(container)) continue;
    const reason = `is overwritten by the credential of node ${id}: remove one of them`;
    report.raise('consumer-header', { header, reason }, places.key(container, header));
  }
}

/** The media type of a form. */
export const FORM_TYPE = 'application/x-www-form-urlencoded';

/** The headers of a REST call: those of the service, overridden by those of the operation. */
export function linkCallHeaders(linking: Linking, spot: OperationSpot, input: InputFields): CallHeader[] {
  const { report, places } = linking;
  return saidHeaders(spot).map(({ header, container }) => {
    const text = linkCallText(linking, container[header] ?? '', input, (offset, length) =>
      places.inText(container, header, offset, length),
    );
    const at = places.value(container, header);
    const name = header.toLowerCase();
    if (isCredentialHeader(name) && isClearText(text)) {
      const instead = 'Write ${secret:NAME} or a value of the call instead, or use `credential:` of the node.';
      report.raise('secret-in-clear', { what: `The header ${header}`, instead }, at);
    } else {
      const reason = callHeaderFault(name, text);
      if (reason !== undefined) report.raise('consumer-header', { header, reason }, at);
    }
    return { name: header, text };
  });
}

function callHeaderFault(name: string, { parts }: CallText): string | undefined {
  const text = parts.map((part) => (part.kind === 'literal' ? part.text : 'x')).join('');
  return ownHeaderFault(name, 'rest') ?? headerTextFault(text);
}

/** Checks a literal Content-Type against the body. One of the service is dropped for calls without a body. */
export function fitContentType(
  { report, places }: Linking,
  spot: OperationSpot,
  headers: readonly CallHeader[],
  body: CallBody,
): CallHeader[] {
  const said = saidHeaders(spot).find(({ header }) => header.toLowerCase() === 'content-type');
  if (said === undefined) return [...headers];
  const { header, container } = said;
  const isOwn = container !== spot.above('headers');
  const text = headers.find(({ name }) => name === header)?.text;
  if (body.kind === 'none' && !isOwn) return headers.filter(({ name }) => name !== header);
  const written = text?.parts.every((part) => part.kind === 'literal') === true ? text.source : undefined;
  const fault = written === undefined ? undefined : contentTypeFault(written, body);
  const reason = body.kind === 'none' ? 'describes a body, but there is none' : fault;
  const example = exampleOf(body, written);
  if (reason !== undefined)
    report.raise('consumer-header', { header, reason, ...given({ example }) }, places.value(container, header));
  return [...headers];
}

/** Whether a field that is the whole body is written in JSON. */
function isJson(type: FieldType): boolean {
  const primitive = primitiveOf(type);
  return primitive === undefined || primitive === 'json';
}

/** Why a Content-Type does not fit a body; `undefined` when it does. */
export function contentTypeFault(text: string, body: CallBody): string | undefined {
  const type = parseMediaType(text);
  if (type === undefined) return 'is not a valid media type';
  if (body.kind === 'form' && type.essence !== FORM_TYPE) return `must be ${FORM_TYPE}, because the body is a form`;
  if (body.kind === 'document' && body.form === 'multipart') return 'is set by `form: multipart`, with its boundary';
  if (body.kind === 'document' && body.form === 'urlencoded') return 'is set by `form: urlencoded`';
  if (body.kind === 'document' && !/[/+](?:json|xml)$/.test(type.essence))
    return 'must be a type of JSON or XML, because the body is a document';
  if (body.kind === 'field' && isJson(body.field.type) && isXmlType(type.essence))
    return 'is an XML type, but a field that is the whole body is written in JSON';
  return isBinary(body) ? undefined : charsetFault(type);
}

/** Whether a body is sent as the bytes that the caller supplies. */
export function isBinary(body: CallBody): boolean {
  return body.kind === 'field'
    ? primitiveOf(body.field.type) === 'binary'
    : body.kind === 'raw' && body.raw === 'binary';
}

/** A fitting Content-Type: the given one without its parameters if that fits. */
export function exampleOf(body: CallBody, said: string | undefined): string | undefined {
  const near = said === undefined ? undefined : parseMediaType(said)?.essence;
  if (near !== undefined && body.kind !== 'none' && contentTypeFault(near, body) === undefined) return near;
  switch (body.kind) {
    case 'none':
      return undefined;
    case 'form':
      return FORM_TYPE;
    case 'document':
      return body.form === undefined ? RAW_MEDIA_TYPES.json : undefined;
    case 'field':
      return exampleOfField(body.field.type);
    case 'raw':
      return RAW_MEDIA_TYPES[body.raw];
  }
}

function exampleOfField(type: FieldType): string {
  if (isJson(type)) return RAW_MEDIA_TYPES.json;
  return primitiveOf(type) === 'binary' ? RAW_MEDIA_TYPES.binary : RAW_MEDIA_TYPES.text;
}

/** The headers of every call of a consumer: those of the service, overridden by those of the operation. */
export function linkFixedHeaders(linking: Linking, spot: OperationSpot): FixedHeader[] {
  const said = saidHeaders(spot);
  const headers = linkTexts(linking, spot, said);
  const declared = (name: string): string | undefined =>
    headers.find((each) => each.name.toLowerCase() === name.toLowerCase())?.value;
  const intent = readIntent(declared('Content-Type'), declared('SOAPAction'));
  if (!('reason' in intent)) return headers;
  const wrong = said.find(({ header }) => header.toLowerCase() === intent.header.toLowerCase());
  if (wrong !== undefined) refuseHeader(linking, wrong, intent.reason);
  return headers.filter(({ name }) => name.toLowerCase() !== intent.header.toLowerCase());
}

type SaidHeader = ReturnType<typeof saidHeaders>[number];

function refuseHeader({ report, places }: Linking, { header, container }: SaidHeader, reason: string): void {
  const example = header.toLowerCase() === 'content-type' ? 'text/xml' : undefined;
  report.raise('consumer-header', { header, reason, ...given({ example }) }, places.value(container, header));
}

function linkTexts(linking: Linking, spot: OperationSpot, said: readonly SaidHeader[]): FixedHeader[] {
  const { report, places } = linking;
  return said.flatMap(({ header, container }): FixedHeader[] => {
    const value = container[header] ?? '';
    const reference = parseConfigText(value).text.parts.find((part) => part.kind !== 'literal');
    if (reference !== undefined) {
      const key = `${container === spot.declared.headers ? `operations.${spot.id}.` : ''}headers.${header}`;
      const text = `\${${reference.kind}:${reference.name}}`;
      report.raise('misplaced-reference', { text, key }, places.value(container, header));
      return [];
    }
    if (isCredentialHeader(header.toLowerCase())) {
      const instead = 'Use `credential:` of the node.';
      report.raise('secret-in-clear', { what: `The header ${header}`, instead }, places.value(container, header));
      return [];
    }
    const reason = fixedHeaderFault(header.toLowerCase(), value);
    if (reason === undefined) return [{ name: header, value }];
    refuseHeader(linking, { header, container }, reason);
    return [];
  });
}

function fixedHeaderFault(name: string, value: string): string | undefined {
  const own = ownHeaderFault(name, 'soap');
  if (own !== undefined) return own;
  const field = /(?<!\$)\{[^{}]*\}/.exec(value)?.[0];
  if (field !== undefined) return `is the same in every call, but ${field} is a value of one call`;
  return headerTextFault(value) ?? (name === 'content-type' ? fixedTypeFault(value) : undefined);
}

/** {@link readIntent} checks everything else about it. */
function fixedTypeFault(value: string): string | undefined {
  const type = parseMediaType(value);
  return type && charsetFault(type);
}
