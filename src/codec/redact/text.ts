import { MASK } from '../../model/redactor.ts';

/** Shorter secrets (in bytes) are masked only as separate words: elsewhere they are parts of other words. */
const SHORT = 4;

/**
 * One character as it stands in URLs and forms (RFC 3986 section 2.1), in JSON (RFC 8259 section 7), XML and HTML; or some
 * that stand for themselves.
 */
const PIECE =
  /%[\dA-Fa-f]{2}|\\u[Dd][89ABab][\dA-Fa-f]{2}\\u[Dd][C-Fc-f][\dA-Fa-f]{2}|\\u[\dA-Fa-f]{4}|\\["\\/bfnrt]|&(?:#\d{1,7}|#[Xx][\dA-Fa-f]{1,6}|amp|AMP|lt|LT|gt|GT|quot|QUOT|apos|APOS);|[^%\\&]+|[\s\S]/gu;

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** A text with its escapes decoded, as bytes of UTF-8. */
interface Unescaped {
  /** One character a byte. */
  readonly bytes: string;
  /** Where in the text the character of each byte begins, and the text's length; `undefined` when that is the byte's own place. */
  readonly starts: Uint32Array | undefined;
}

interface Range {
  readonly start: number;
  readonly end: number;
}

/** A secret, and the byte sequences by which it is found. */
export interface Needle {
  readonly secret: string;
  readonly spellings: readonly string[];
}

export function needleOf(secret: string): Needle {
  const asIs = folded(bytesOf(secret));
  if (PLAIN.test(secret)) return { secret, spellings: [asIs] };
  // What looks escaped in a secret looks so where it is repeated as it is.
  const all = [asIs, unescaped(secret).bytes, unescaped(inJson(inJson(secret))).bytes];
  return { secret, spellings: [...new Set(all)] };
}

/**
 * A text without the secrets that it repeats: as they are, or with any of their characters escaped once as URLs, forms, JSON,
 * XML and HTML do, or twice as JSON does: a target may repeat the JSON that it was sent in JSON.
 */
export function withoutNeedles(text: string, needles: readonly Needle[]): string {
  const able = needles.filter(({ secret }) => secret.length <= text.length);
  if (able.length === 0) return text;
  const { bytes, starts } = unescaped(text);
  const found: Range[] = [];
  for (const { secret, spellings } of able) {
    for (const needle of spellings)
      for (const at of placesOf(bytes, needle)) {
        const end = at + needle.length;
        found.push({ start: starts?.[at] ?? at, end: starts?.[end] ?? end });
      }
    if (starts === undefined) continue;
    // Beside it there may be something that makes an escape of its beginning.
    for (const start of placesOf(text, secret)) found.push({ start, end: start + secret.length });
  }
  return found.length === 0 ? text : masking(text, found);
}

/** Text that contains no escape, and that is never escaped twice. */
const PLAIN = /^[\w .-]*$/;

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

function* placesOf(text: string, secret: string): Generator<number> {
  for (let at = text.indexOf(secret); at !== -1; at = text.indexOf(secret, at + 1)) {
    const isPart = isWordPart(text[at - 1]) || isWordPart(text[at + secret.length]);
    if (secret.length >= SHORT || !isPart) yield at;
  }
}

const isWordPart = (character = ''): boolean => /[0-9A-Za-z\x80-\xff]/.test(character);

function masking(text: string, ranges: readonly Range[]): string {
  let masked = '';
  let from = 0;
  for (const { start, end } of ranges.toSorted((a, b) => a.start - b.start)) {
    if (start >= from) masked += text.slice(from, start) + MASK;
    from = Math.max(from, end);
  }
  return masked + text.slice(from);
}

/** Characters that an escape begins with, or whose bytes are not the character itself. */
const UNUSUAL = /[%\\&+\x80-\uffff]/;

function unescaped(text: string): Unescaped {
  if (!UNUSUAL.test(text)) return { bytes: text, starts: undefined };
  // No character has more bytes than its escaped form.
  const most = Buffer.byteLength(text);
  const bytes = Buffer.allocUnsafe(most);
  const starts = new Uint32Array(most + 1);
  let length = 0;
  const add = (octets: string, start: number, step: 0 | 1): void => {
    for (let i = 0; i < octets.length; i++) starts[length + i] = start + i * step;
    length += bytes.write(octets, length, 'latin1');
  };
  for (const { 0: piece, index } of text.matchAll(PIECE)) {
    if (ESCAPED.test(piece)) {
      add(characterOf(piece), index, 0);
      continue;
    }
    const octets = bytesOf(piece);
    if (octets.length === piece.length) add(octets, index, 1);
    else
      for (const { 0: character, index: within } of piece.matchAll(/[\s\S]/gu))
        add(bytesOf(character), index + within, 0);
  }
  starts[length] = text.length;
  return { bytes: folded(bytes.toString('latin1', 0, length)), starts };
}

const ESCAPED = /^[%\\&]./su;

/** The octets that an escape represents. */
function characterOf(written: string): string {
  if (written.startsWith('%')) return String.fromCharCode(Number.parseInt(written.slice(1), 16));
  if (written.startsWith('\\')) return bytesOf(JSON.parse(`"${written}"`) as string);
  const entity = written.slice(1, -1).toLowerCase();
  const code = entity.startsWith('#x') ? Number.parseInt(entity.slice(2), 16) : Number(entity.slice(1));
  return bytesOf(ENTITIES[entity] ?? (code > 0x10ffff ? '\ufffd' : String.fromCodePoint(code)));
}

/** A plus may stand for a blank, as in forms. */
const folded = (bytes: string): string => bytes.replaceAll('+', ' ');

const bytesOf = (text: string): string => Buffer.from(text).toString('latin1');
