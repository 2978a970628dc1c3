import type { CallText } from '../model/call-text.ts';
import type { CallBody, CallHeader } from '../model/consumer.ts';
import { parseMediaType } from '../wire/media-type.ts';
import { isClearText, linkCallText } from './call-text.ts';
import { given } from './given.ts';
import type { Linking } from './linking.ts';
import { MEDIA_TYPES } from './operation-message.ts';
import type { OperationSpot } from './operation-spot.ts';
import { type InputFields, OWN_HEADERS, saidHeaders } from './operation-uri.ts';
import { isSecretName } from './secrets.ts';

/** Headers of the protocol that a call may set all the same. */
const OPEN = new Set(['accept', 'authorization', 'content-type', 'cookie']);

/** Headers that show who calls. */
const CREDENTIALS = new Set(['authorization', 'proxy-authorization', 'cookie']);

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
    if ((CREDENTIALS.has(name) || isSecretName(name)) && isClearText(text)) {
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
  if (OWN_HEADERS.has(name) && !OPEN.has(name)) return 'belongs to the protocol, so that the gateway writes it';
  const written = parts.map((part) => (part.kind === 'literal' ? part.text : 'x')).join('');
  // RFC 9110 section 5.5: visible characters, with blanks between them.
  return /^[!-~]+(?:[\t ]+[!-~]+)*$/.test(written) ? undefined : 'is no text that a header can carry';
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
  const reason = body.kind === 'none' ? 'tells of a body, and there is none' : text && contentTypeFault(text, body);
  const example = exampleOf(body);
  if (reason !== undefined)
    report.raise('consumer-header', { header, reason, ...given({ example }) }, places.value(container, header));
  return [...headers];
}

/** Why a Content-Type that is written out does not fit a body; undefined where it does, or is not known. */
export function contentTypeFault(text: CallText, body: CallBody): string | undefined {
  if (text.parts.some((part) => part.kind !== 'literal')) return undefined;
  const type = parseMediaType(text.source);
  if (type === undefined) return 'is no media type';
  if (body.kind === 'form' && type.essence !== FORM_TYPE) return `is ${FORM_TYPE}, because the body is a form`;
  if (body.kind === 'document' && !/[/+](?:json|xml)$/.test(type.essence))
    return 'is a type of JSON or XML, because the body is a document';
  const charset = type.parameters.get('charset')?.toLowerCase() ?? 'utf-8';
  const isBytes =
    body.kind === 'field' ? body.field.type.kind === 'binary' : body.kind === 'raw' && body.raw === 'binary';
  return charset === 'utf-8' || isBytes ? undefined : `says ${charset}, and calls are written in UTF-8`;
}

/** A Content-Type that would do. */
export function exampleOf(body: CallBody): string | undefined {
  switch (body.kind) {
    case 'none':
      return undefined;
    case 'form':
      return FORM_TYPE;
    case 'document':
      return MEDIA_TYPES.json;
    case 'field':
      return body.field.type.kind === 'binary' ? MEDIA_TYPES.binary : MEDIA_TYPES.text;
    case 'raw':
      return MEDIA_TYPES[body.raw];
  }
}
