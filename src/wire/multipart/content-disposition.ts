// Content-Disposition, RFC 2183, with names beyond ASCII as RFC 2231 and RFC 8187 have them.

import { tryPercentDecode } from '../percent.ts';

/** One parameter (RFC 2045 section 5.1). Quotes that are not closed reach to the end. */
const PARAMETER = /;\s*([^\s=;"]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"?|([^;\s"]+))/gs;

/** The file name that a header gives; undefined where it gives none. Nothing is taken out of it: it may hold a path. */
export function fileNameOf(header: string): string | undefined {
  const given = new Map<string, string>();
  for (const [, name = '', quoted, token = ''] of header.matchAll(PARAMETER)) {
    const key = name.toLowerCase();
    if (!given.has(key)) given.set(key, quoted?.replace(/\\(.)/gs, '$1') ?? token);
  }
  return extended(given.get('filename*')) ?? continued(given) ?? given.get('filename');
}

/** A value with its charset and its language in front: `utf-8'de'Gr%C3%BC%C3%9Fe`. */
function extended(text: string | undefined): string | undefined {
  const encoded = /^utf-8'[^']*'(.*)$/is.exec(text ?? '')?.[1];
  return encoded === undefined ? undefined : tryPercentDecode(encoded);
}

/** A value in numbered pieces (RFC 2231 section 3), `filename*0=`, or `filename*0*=` where a piece is percent-encoded. */
function continued(given: ReadonlyMap<string, string>): string | undefined {
  let encoded = '';
  for (let index = 0; ; index++) {
    const plain = given.get(`filename*${index}`);
    const piece = given.get(`filename*${index}*`) ?? (plain && encodeURIComponent(plain.toWellFormed()));
    if (piece === undefined) break;
    // A character may be cut between two pieces.
    encoded += piece;
  }
  if (encoded === '') return undefined;
  return given.has('filename*0*') ? extended(encoded) : tryPercentDecode(encoded);
}

/** The header of an attachment with a file name; what a quoted string can't carry is percent-encoded. */
export function dispositionOf(name: string): string {
  if (/^[\x20-\x7e]*$/.test(name) && !/["\\]/.test(name)) return `attachment; filename="${name}"`;
  const encoded = encodeURIComponent(name.toWellFormed()).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`);
  return `attachment; filename*=UTF-8''${encoded}`;
}
