import type { CallText } from '../../model/call-text.ts';
import type { CallBody, CallHeader } from '../../model/consumer.ts';
import type { FieldType } from '../../model/field.ts';
import { isXmlType, parseMediaType } from '../../wire/media-type.ts';
import { given } from '../given.ts';
import type { Linking } from '../linking.ts';
import { saidHeaders } from '../operation/headers.ts';
import type { InputFields } from '../operation/input.ts';
import { MEDIA_TYPES } from '../operation/message.ts';
import type { OperationSpot } from '../operation/spot.ts';
import { isCredentialHeader } from '../value/secrets.ts';
import { isClearText, linkCallText } from './call-text.ts';
import { charsetFault, headerTextFault, ownHeaderFault } from './headers.ts';

/** Headers of the protocol that a call may set all the same. */
const OPEN = new Set(['accept', 'authorization', 'content-type', 'cookie']);

/** What a form is sent as. */
export const FORM_TYPE = 'application/x-www-form-urlencoded';

/** The headers of a call over REST: those of the service, unless the operation says otherwise, and its own. */
export function linkCallHeaders(linking: Linking, spot: OperationSpot, input: InputFields): CallHeader[] {
  const { report, places } = linking;
  return saidHeaders(spot).map(({ header, container }) => {
    const text = linkCallText(linking, container[header] ?? '', input, (offset, length) =>
      places.inText(container, header, offset, length),
    );
    const at = places.value(container, header);
    const name = header.toLowerCase();
    if (isCredentialHeader(name) && isClearText(text)) {
      const instead =
        'Write ${secret:NAME} in its place, or a value of the call; or say it at the node, as `credential:`.';
      report.raise('secret-in-clear', { what: `The header ${header}`, instead }, at);
    } else {
      const reason = headerFault(name, text);
      if (reason !== undefined) report.raise('consumer-header', { header, reason }, at);
    }
    return { name: header, text };
  });
}

function headerFault(name: string, { parts }: CallText): string | undefined {
  const text = parts.map((part) => (part.kind === 'literal' ? part.text : 'x')).join('');
  return ownHeaderFault(name, OPEN) ?? headerTextFault(text);
}

/**
 * Holds Content-Type, as far as it is written out, against the body that it tells of. One that the service says for all is
 * left out where there is no body.
 */
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
  const reason = body.kind === 'none' ? 'tells of a body, and there is none' : fault;
  const example = exampleOf(body, written);
  if (reason !== undefined)
    report.raise('consumer-header', { header, reason, ...given({ example }) }, places.value(container, header));
  return [...headers];
}

/** Types of a field that, as the whole of a body, is written in JSON. */
const JSON_KINDS: ReadonlySet<FieldType['kind']> = new Set(['document', 'list', 'json']);

/** Why a Content-Type does not fit a body; undefined where it does. */
export function contentTypeFault(text: string, body: CallBody): string | undefined {
  const type = parseMediaType(text);
  if (type === undefined) return 'is no media type';
  if (body.kind === 'form' && type.essence !== FORM_TYPE) return `must be ${FORM_TYPE}, because the body is a form`;
  if (body.kind === 'document' && !/[/+](?:json|xml)$/.test(type.essence))
    return 'must be a type of JSON or XML, because the body is a document';
  if (body.kind === 'field' && JSON_KINDS.has(body.field.type.kind) && isXmlType(type.essence))
    return 'is a type of XML, and a field that is the whole body is written in JSON';
  return isBinary(body) ? undefined : charsetFault(type);
}

/** Whether a body is bytes that nothing here writes. */
export function isBinary(body: CallBody): boolean {
  return body.kind === 'field' ? body.field.type.kind === 'binary' : body.kind === 'raw' && body.raw === 'binary';
}

/** A Content-Type that would do: what was said without its parameters, if that does. */
export function exampleOf(body: CallBody, said: string | undefined): string | undefined {
  const near = said === undefined ? undefined : parseMediaType(said)?.essence;
  if (near !== undefined && body.kind !== 'none' && contentTypeFault(near, body) === undefined) return near;
  switch (body.kind) {
    case 'none':
      return undefined;
    case 'form':
      return FORM_TYPE;
    case 'document':
      return MEDIA_TYPES.json;
    case 'field':
      return exampleOfField(body.field.type.kind);
    case 'raw':
      return MEDIA_TYPES[body.raw];
  }
}

function exampleOfField(kind: FieldType['kind']): string {
  if (JSON_KINDS.has(kind)) return MEDIA_TYPES.json;
  return kind === 'binary' ? MEDIA_TYPES.binary : MEDIA_TYPES.text;
}
