import { tryPercentDecode } from '../percent.ts';

// Content-Disposition, RFC 2183, with names beyond ASCII encoded as in RFC 2231 and RFC 8187.

/** One parameter (RFC 2045 section 5.1). An unclosed quote extends to the end. */
const PARAMETER = /;\s*([^\s=;"]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"?|([^;\s"]+))/gs;

/** A received file name. */
export interface ReceivedFileName {
  /** Without a path; absent for a name that no file can have. */
  readonly name?: string;
  /** As it was sent, if `name` is not the same. */
  readonly rawName?: string;
}

/**
 * The name of a file as a receiver may use it (RFC 6266 section 4.3): what follows the last slash or backslash, since old
 * browsers send whole paths and attackers send `../`. One that is empty, consists of dots and blanks, or contains a control
 * character is no name.
 * @param raw as {@link fileNameOf} returns it
 */
export function receivedFileName(raw: string | undefined): ReceivedFileName {
  if (raw === undefined) return {};
  const name = raw.slice(Math.max(raw.lastIndexOf('/'), raw.lastIndexOf('\\')) + 1);
  if (/^[. ]*$/.test(name) || /\p{Cc}/u.test(raw)) return { rawName: raw };
  return name === raw ? { name } : { name, rawName: raw };
}

/** The file name in a header; `undefined` when there is none. It is returned unchanged and may contain a path. */
export function fileNameOf(header: string): string | undefined {
  const given = parametersOf(header);
  return extended(given.get('filename*')) ?? continued(given) ?? asUtf8(given.get('filename'));
}

/**
 * Servers write names in UTF-8, though fields of HTTP are read as ISO-8859-1 (RFC 9110, section 5.5): as browsers do, bytes that are
 * valid UTF-8 are taken for it.
 */
function asUtf8(name: string | undefined): string | undefined {
  if (name === undefined || !/[\u0080-\u00ff]/.test(name) || /[\u0100-\uffff]/.test(name)) return name;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(name, 'latin1'));
  } catch {
    return name;
  }
}

function parametersOf(header: string): Map<string, string> {
  const given = new Map<string, string>();
  for (const [, name = '', quoted, token = ''] of header.matchAll(PARAMETER)) {
    const key = name.toLowerCase();
    if (!given.has(key)) given.set(key, quoted?.replace(/\\(.)/gs, '$1') ?? token);
  }
  return given;
}

/** A part of a form as its Content-Disposition describes it (RFC 7578, section 4.2). */
export interface FormPart {
  /** The name of its field; `undefined` if it has none. */
  readonly name: string | undefined;
  /** `undefined` for a part that is not a file; empty where a page has sent no file. */
  readonly filename: string | undefined;
}

export function formPartOf(header: string): FormPart {
  const name = parametersOf(header).get('name');
  const filename = fileNameOf(header);
  return { name: name && unescaped(name), filename: filename && unescaped(filename) };
}

/** Browsers and curl write a quote or a line end in a name so (HTML, section 4.10.21.8). */
const unescaped = (text: string): string => text.replace(/%22/g, '"').replace(/%0D/gi, '\r').replace(/%0A/gi, '\n');

const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replace(/"/g, '%22')
    .replace(/\r/g, '%0D')
    .replace(/\n/g, '%0A')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: no header can carry them
    .replace(/[\x00-\x1f\x7f]/g, '_');

/** The Content-Disposition of a part of a form, in UTF-8. */
export function formDisposition({ name = '', filename }: FormPart): string {
  const file = filename === undefined ? '' : `; filename="${escaped(filename)}"`;
  return `form-data; name="${escaped(name)}"${file}`;
}

/** A value prefixed with its charset and language: `utf-8'de'Gr%C3%BC%C3%9Fe`. */
function extended(text: string | undefined): string | undefined {
  const encoded = /^utf-8'[^']*'(.*)$/is.exec(text ?? '')?.[1];
  return encoded === undefined ? undefined : tryPercentDecode(encoded);
}

/** A value in numbered pieces (RFC 2231 section 3): `filename*0=`, or `filename*0*=` for a percent-encoded piece. */
function continued(given: ReadonlyMap<string, string>): string | undefined {
  let encoded = '';
  for (let index = 0; ; index++) {
    const plain = given.get(`filename*${index}`);
    const piece = given.get(`filename*${index}*`) ?? (plain && encodeURIComponent(plain.toWellFormed()));
    if (piece === undefined) break;
    // A character may be split between two pieces.
    encoded += piece;
  }
  if (encoded === '') return undefined;
  return given.has('filename*0*') ? extended(encoded) : tryPercentDecode(encoded);
}

/** The header of an attachment with a file name; characters that a quoted string can't carry are percent-encoded. */
export function dispositionOf(name: string): string {
  if (/^[\x20-\x7e]*$/.test(name) && !/["\\]/.test(name)) return `attachment; filename="${name}"`;
  const encoded = encodeURIComponent(name.toWellFormed()).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`);
  return `attachment; filename*=UTF-8''${encoded}`;
}
