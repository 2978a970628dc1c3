import { isUtf8 } from 'node:buffer';

// Distinguished names of X.500: RFC 4514 (as text), X.690 (as DER), RFC 5280 section 4.1.2.4 (in certificates).

/** One attribute of a name: its type (`CN`, `2.5.4.97`), and its value escaped, or `#` and the hex digits of its DER. */
type Attribute = readonly [type: string, value: string];

/** The attributes of one RDN; nearly always a single one. */
type RelativeName = readonly Attribute[];

/** Short names by object identifier: those of RFC 4514 section 3 and those that certificates use in practice. */
const NAMES: Readonly<Record<string, string>> = {
  '2.5.4.3': 'CN',
  '2.5.4.4': 'SN',
  '2.5.4.5': 'SERIALNUMBER',
  '2.5.4.6': 'C',
  '2.5.4.7': 'L',
  '2.5.4.8': 'ST',
  '2.5.4.9': 'STREET',
  '2.5.4.10': 'O',
  '2.5.4.11': 'OU',
  '2.5.4.12': 'TITLE',
  '2.5.4.42': 'GN',
  '0.9.2342.19200300.100.1.1': 'UID',
  '0.9.2342.19200300.100.1.25': 'DC',
  '1.2.840.113549.1.9.1': 'EMAILADDRESS',
};
const KNOWN: ReadonlySet<string> = new Set(Object.values(NAMES));

/** A text that is not a distinguished name (RFC 4514). */
export class NameError extends Error {
  override readonly name = 'NameError';
}

/**
 * Brings a name of RFC 4514 into the canonical spelling used for comparison: attribute types in capitals, no blanks
 * around separators, and only mandatory escapes. Letter case and blanks within values are significant.
 * @throws NameError
 */
export function normaliseName(text: string): string {
  if (text.trim() === '') throw new NameError('it is empty');
  return writeName(split(text, ',').map((relative) => split(relative, '+').map(readAttribute)));
}

function readAttribute(text: string): Attribute {
  const equals = text.indexOf('=');
  const written = text.slice(0, Math.max(equals, 0)).trim();
  if (!/^(?:[A-Za-z][A-Za-z0-9-]*|\d+(?:\.\d+)+)$/.test(written))
    throw new NameError(`${JSON.stringify(text.trim())} is not TYPE=value`);
  const type = NAMES[written] ?? written.toUpperCase();
  if (!/\d/.test(type[0] as string) && !KNOWN.has(type))
    throw new NameError(`the attribute type ${written} is not known; its object identifier can stand in its place`);
  const value = trimUnescaped(text.slice(equals + 1));
  return [type, /^#(?:[0-9A-Fa-f]{2})+$/.test(value) ? value.toLowerCase() : escaped(unescaped(value))];
}

/** Removes blanks at both ends unless they are escaped. */
function trimUnescaped(value: string): string {
  const start = value.trimStart();
  const trimmed = start.trimEnd();
  let backslashes = 0;
  while (trimmed.at(-1 - backslashes) === '\\') backslashes++;
  return backslashes % 2 === 1 ? start.slice(0, trimmed.length + 1) : trimmed;
}

function unescaped(value: string): string {
  const bytes: Buffer[] = [];
  for (let index = 0; index < value.length; index++) {
    if (value[index] !== '\\') {
      const character = String.fromCodePoint(value.codePointAt(index) as number);
      bytes.push(Buffer.from(character));
      index += character.length - 1;
      continue;
    }
    const hex = /^[0-9A-Fa-f]{2}/.exec(value.slice(index + 1, index + 3))?.[0];
    if (hex !== undefined) bytes.push(Buffer.from(hex, 'hex'));
    else if (/^[ "#+,;<=>\\]/.test(value.slice(index + 1))) bytes.push(Buffer.from(value[index + 1] as string));
    else throw new NameError(`the escape ${JSON.stringify(value.slice(index, index + 2))} is not valid`);
    index += hex === undefined ? 1 : 2;
  }
  return Buffer.concat(bytes).toString();
}

function split(text: string, separator: string): string[] {
  const parts: string[] = [];
  let start = 0;
  for (let index = 0; index < text.length; index++) {
    if (text[index] === '\\') index++;
    else if (text[index] === separator) {
      parts.push(text.slice(start, index));
      start = index + 1;
    }
  }
  parts.push(text.slice(start));
  return parts;
}

function writeName(name: readonly RelativeName[]): string {
  const relative = (attributes: RelativeName): string =>
    attributes
      .map(([type, value]) => `${type}=${value}`)
      .sort()
      .join('+');
  return name.map(relative).join(',');
}

const escaped = (value: string): string =>
  value
    .replaceAll(/["+,;<>\\]/g, '\\$&')
    .replaceAll('\0', '\\00')
    .replace(/^[ #]/, '\\$&')
    .replace(/ $/, '\\ ');

/** An element of DER: the offset where it begins, its tag, and where its content starts and ends. */
interface Element {
  readonly from: number;
  readonly tag: number;
  readonly start: number;
  readonly end: number;
}

/**
 * The subject of a certificate in the spelling of {@link normaliseName}.
 * @param der a certificate that a strict reader has accepted
 * @throws NameError for an unexpected structure or an empty subject
 */
export function subjectOfCertificate(der: Uint8Array): string {
  return nameIn(der, 'subject');
}

/** The issuer of a certificate, as {@link subjectOfCertificate}. @throws NameError */
export function issuerOfCertificate(der: Uint8Array): string {
  return nameIn(der, 'issuer');
}

/** Where the names are behind the version: serialNumber, signature, issuer, validity, subject (RFC 5280 section 4.1). */
const NAME_AT = { issuer: 2, subject: 4 } as const;

function nameIn(der: Uint8Array, which: keyof typeof NAME_AT): string {
  const [certificate] = elements(der, 0, der.length);
  const [toBeSigned] = childrenOf(der, certificate);
  const fields = childrenOf(der, toBeSigned);
  // version [0] may be absent.
  const found = fields[NAME_AT[which] + (fields[0]?.tag === 0xa0 ? 1 : 0)];
  const name = childrenOf(der, found).map((set) => childrenOf(der, set).map((pair) => attributeOf(der, pair)));
  if (name.length === 0) throw new NameError(`the certificate has no ${which}`);
  // The text form reverses the order (RFC 4514 section 2.1).
  return writeName(name.reverse());
}

function attributeOf(der: Uint8Array, pair: Element): Attribute {
  const [type, value] = childrenOf(der, pair);
  if (type === undefined || value === undefined) throw broken();
  const id = identifierOf(der.subarray(type.start, type.end));
  return [NAMES[id] ?? id, valueIn(der, value)];
}

function valueIn(der: Uint8Array, element: Element): string {
  const text = textOf(element.tag, Buffer.from(der.subarray(element.start, element.end)));
  return text === undefined
    ? `#${Buffer.from(der.subarray(element.from, element.end)).toString('hex')}`
    : escaped(text);
}

/** `undefined` for a value that is not text, or whose text readers may decode differently. */
function textOf(tag: number, bytes: Buffer): string | undefined {
  switch (tag) {
    // UTF8String, and the types limited to ASCII: NumericString, PrintableString, IA5String.
    case 0x0c:
    case 0x12:
    case 0x13:
    case 0x16:
      return isUtf8(bytes) ? bytes.toString() : undefined;
    // TeletexString, in practice Latin-1.
    case 0x14:
      return bytes.toString('latin1');
    // BMPString, big-endian.
    case 0x1e:
      return bytes.length % 2 === 0 ? bytes.swap16().toString('utf16le') : undefined;
    default:
      return undefined;
  }
}

/** `2.5.4.3` (X.690 section 8.19). */
function identifierOf(bytes: Uint8Array): string {
  const arcs: number[] = [];
  let arc = 0;
  for (const byte of bytes) {
    arc = arc * 128 + (byte & 0x7f);
    if (byte >= 0x80) continue;
    if (arcs.length === 0) arcs.push(Math.min(Math.floor(arc / 40), 2), arc - 40 * Math.min(Math.floor(arc / 40), 2));
    else arcs.push(arc);
    arc = 0;
  }
  return arcs.join('.');
}

function childrenOf(der: Uint8Array, element: Element | undefined): Element[] {
  if (element === undefined) throw broken();
  return elements(der, element.start, element.end);
}

function elements(der: Uint8Array, from: number, to: number): Element[] {
  const found: Element[] = [];
  let at = from;
  while (at < to) {
    const begin = at;
    const tag = der[at++] as number;
    let length = der[at++] ?? 0;
    if (length >= 0x80) {
      const size = length & 0x7f;
      if (size === 0 || size > 4) throw broken();
      length = 0;
      for (let index = 0; index < size; index++) length = length * 256 + (der[at++] ?? 0);
    }
    if (at + length > to) throw broken();
    found.push({ from: begin, tag, start: at, end: at + length });
    at += length;
  }
  return found;
}

const broken = (): NameError => new NameError('the certificate is broken');
