// Content-Disposition, RFC 2183, with names beyond ASCII as RFC 2231 section 4 and RFC 8187 have them.

import { PercentError, percentDecode } from './percent.ts';

const EXTENDED = /;\s*filename\*\s*=\s*utf-8'[^';]*'([^;\s]+)/i;
const QUOTED = /;\s*filename\s*=\s*"((?:[^"\\]|\\.)*)"/i;
const TOKEN = /;\s*filename\s*=\s*([^;\s"]+)/i;

/** The file name that a header gives; undefined where it gives none. Nothing is taken out of it: it may hold a path. */
export function fileNameOf(header: string): string | undefined {
  const extended = EXTENDED.exec(header)?.[1];
  return decoded(extended) ?? QUOTED.exec(header)?.[1]?.replace(/\\(.)/g, '$1') ?? TOKEN.exec(header)?.[1];
}

function decoded(text: string | undefined): string | undefined {
  try {
    return text === undefined ? undefined : percentDecode(text, false);
  } catch (error) {
    if (error instanceof PercentError) return undefined;
    throw error;
  }
}

/** The header of an attachment with a file name; what a quoted string can't carry is percent-encoded. */
export function dispositionOf(name: string): string {
  if (/^[\x20-\x7e]*$/.test(name) && !/["\\]/.test(name)) return `attachment; filename="${name}"`;
  const encoded = encodeURIComponent(name.toWellFormed()).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`);
  return `attachment; filename*=UTF-8''${encoded}`;
}
