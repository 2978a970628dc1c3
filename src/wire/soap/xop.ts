// XML-binary Optimized Packaging (XOP 1.0) as SOAP uses it (MTOM 1.0): multipart/related, RFC 2387, and cid: URLs, RFC 2392.

import { randomUUID } from 'node:crypto';
import { readContentType } from '../content-type.ts';
import { WireError } from '../error.ts';
import type { MediaType } from '../media-type.ts';
import { boundaryFault } from '../multipart/boundary.ts';
import { percentEncode, tryPercentDecode } from '../percent.ts';
import type { XmlElement } from '../xml/tree.ts';

export const XOP_NAMESPACE = 'http://www.w3.org/2004/08/xop/include';

/** The media type of a root part whose XML includes other parts. */
export const XOP_MEDIA_TYPE = 'application/xop+xml';

/** A package that can't be read. */
export class XopError extends WireError {
  override readonly name = 'XopError';
}

/** Whether an element is replaced by the content of another part. */
export function isInclude({ local, namespace }: XmlElement): boolean {
  return local === 'Include' && namespace === XOP_NAMESPACE;
}

/**
 * The id in a Content-ID header, with or without its angle brackets. Percent-encoding is decoded, because some senders
 * copy the id from the URL into the header (`<a@http%3A%2F%2Fb>`). Compare ids in the form that this function and
 * {@link cidOf} return.
 */
export function contentIdOf(header: string): string {
  const text = header.trim();
  const id = text.startsWith('<') && text.endsWith('>') ? text.slice(1, -1).trim() : text;
  return tryPercentDecode(id) ?? id;
}

/**
 * The id of the part that a `cid:` URL refers to.
 * @throws XopError for every other URL: nothing is ever fetched
 */
export function cidOf(href: string): string {
  const text = href.trim();
  const scheme = /^([a-z][a-z0-9+.-]{0,30}):/i.exec(text)?.[1]?.toLowerCase();
  if (scheme !== 'cid')
    throw new XopError(
      `it includes ${scheme === undefined ? 'a URL without a scheme' : `a ${scheme}: URL`}, not a cid:`,
    );
  const encoded = text.slice('cid:'.length);
  if (encoded === '') throw new XopError('it includes a cid: URL that names nothing');
  const id = tryPercentDecode(encoded);
  if (id === undefined) throw new XopError('it includes a cid: URL that is not percent-encoded UTF-8');
  return contentIdOf(id);
}

/** The `cid:` URL of a part. `@` is not encoded, since some receivers don't decode it. */
export function hrefOf(contentId: string): string {
  return `cid:${percentEncode(contentId).replaceAll('%40', '@')}`;
}

/** A unique id for a new part: an addr-spec that needs no encoding in a URL. */
export function newContentId(): string {
  return `${randomUUID()}@signalbox`;
}

/** An id that names the part of WSDL whose content it has: `name=uuid@domain` (WS-I Attachments Profile 1.0, R2933). */
export function newPartId(part: string): string {
  return `${percentEncode(part)}=${newContentId()}`;
}

/** The name of the part of WSDL in an id as {@link contentIdOf} returns it; `undefined` when it has none. */
export function partNameOf(contentId: string): string | undefined {
  return /^([^=@]+)=[^=@]+(?:@|$)/.exec(contentId)?.[1];
}

/** The parameters of multipart/related. */
export interface RelatedType {
  readonly boundary: string;
  /** Id of the root part as {@link contentIdOf} gives it; `undefined` when the first part is the root. */
  readonly start?: string;
  /** `type/subtype` of the root part. */
  readonly type?: string;
  /** The media type that the root part would have without the packaging, for SOAP. */
  readonly startInfo?: string;
}

export function isRelated({ essence }: MediaType): boolean {
  return essence === 'multipart/related';
}

/** @throws XopError when the boundary is missing or invalid */
export function readRelatedType({ parameters }: MediaType): RelatedType {
  const boundary = parameters.get('boundary');
  const fault = boundary === undefined ? 'its boundary is missing' : boundaryFault(boundary);
  if (boundary === undefined || fault !== undefined) throw new XopError(`its Content-Type is wrong: ${fault}`);
  const start = contentIdOf(parameters.get('start') ?? '');
  const type = parameters.get('type');
  const startInfo = parameters.get('start-info');
  return {
    boundary,
    ...(start === '' ? {} : { start }),
    ...(type === undefined ? {} : { type: readContentType(type)?.essence ?? type.trim().toLowerCase() }),
    ...(startInfo === undefined ? {} : { startInfo }),
  };
}

/** The Content-Type of a package; every parameter is quoted, because some receivers require it. */
export function relatedContentType({ boundary, start, type, startInfo }: RelatedType): string {
  const parameters = [
    ['type', type],
    ['start', start === undefined ? undefined : `<${start}>`],
    ['start-info', startInfo],
    ['boundary', boundary],
  ] as const;
  return parameters.reduce(
    (text, [name, value]) => (value === undefined ? text : `${text}; ${name}=${quoted(value)}`),
    'multipart/related',
  );
}

/** quoted-string of RFC 9110 section 5.6.4. @throws TypeError for a value that a header can't carry */
function quoted(value: string): string {
  if (!/^[\x20-\x7e]*$/.test(value)) throw new TypeError(`${JSON.stringify(value)} can't stand in a header`);
  return `"${value.replace(/["\\]/g, '\\$&')}"`;
}
