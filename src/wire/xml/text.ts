// Characters of XML 1.0 (fifth edition): sections 2.2 and 2.4 (characters and escapes), 2.7 (CDATA), and Namespaces in XML 1.0 section 3 (NCName).

const REPLACEMENT = '\ufffd';

/**
 * Escapes element text. A carriage return is written as a reference, since readers turn a bare one into a line feed
 * (2.11).
 * @param unfit what is written for a character that XML can't represent (section 2.2): U+FFFD unless it says otherwise
 */
export function escapeText(text: string, unfit: Unfit = replaced): string {
  return escapeMarkup(text, false, unfit);
}

/** Takes a UTF-16 unit that XML can't represent; what it returns is written. May throw. */
export type Unfit = (unit: number) => string;

const replaced: Unfit = () => REPLACEMENT;

/** The text with U+FFFD for each character that XML can't represent. */
export function representable(text: string): string {
  return SUSPECT.test(text) ? replaceOthers(text, replaced) : text;
}

/**
 * Escapes the value of an attribute, for either kind of quote; also tabs and line feeds, which readers would normalise
 * (3.3.3).
 */
export function escapeAttribute(text: string, unfit: Unfit = replaced): string {
  return escapeMarkup(text, true, unfit);
}

/** Characters that may have to be replaced: few texts contain any, and this is the engine's fastest check. */
const SUSPECT = /[^\x20\x21\x23-\x25\x28-\x3b\x3d\x3f-\ud7ff\ue000-\ufffd]/;

function escapeMarkup(text: string, attribute: boolean, unfit: Unfit): string {
  if (!SUSPECT.test(text)) return text;
  let out = '';
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isPair(text, at, code)) {
      at += 1;
      continue;
    }
    const written = replacementFor(code, attribute);
    if (written === undefined) continue;
    out += text.slice(from, at) + (written === REPLACEMENT ? unfit(code) : written);
    from = at + 1;
  }
  return from === 0 ? text : out + text.slice(from);
}

function replacementFor(code: number, attribute: boolean): string | undefined {
  if (code > 0x3e) return code < 0xd800 || isXmlUnit(code) ? undefined : REPLACEMENT;
  if (code < 0x20) return controlFor(code, attribute);
  switch (code) {
    case 0x26:
      return '&amp;';
    case 0x3c:
      return '&lt;';
    case 0x3e:
      return '&gt;';
    case 0x22:
      return attribute ? '&quot;' : undefined;
    case 0x27:
      return attribute ? '&apos;' : undefined;
    default:
      return undefined;
  }
}

function controlFor(code: number, attribute: boolean): string | undefined {
  if (code === 0x0d) return '&#13;';
  if (code === 0x09 || code === 0x0a) return attribute ? `&#${code};` : undefined;
  return REPLACEMENT;
}

/** Whether a surrogate pair begins here. */
function isPair(text: string, at: number, code: number): boolean {
  if (code < 0xd800 || code > 0xdbff) return false;
  const next = text.charCodeAt(at + 1);
  return next >= 0xdc00 && next <= 0xdfff;
}

/** Whether a UTF-16 unit outside of a pair is a Char of section 2.2. */
function isXmlUnit(code: number): boolean {
  if (code < 0x20) return code === 0x09 || code === 0x0a || code === 0x0d;
  return code < 0xd800 || (code > 0xdfff && code < 0xfffe);
}

/**
 * Writes a CDATA section with this text. `]]>` is split over two sections; a carriage return is written as a reference
 * between two sections; characters that XML can't represent become U+FFFD.
 */
export function cdata(text: string): string {
  const sections = replaceOthers(text, replaced).split('\r').map(splitEnds);
  return `<![CDATA[${sections.join(']]>&#13;<![CDATA[')}]]>`;
}

/** Ends a section inside every `]]>`. */
function splitEnds(text: string): string {
  return text.includes(']]>') ? text.replaceAll(']]>', ']]]]><![CDATA[>') : text;
}

/** Replaces every character that XML can't represent. */
function replaceOthers(text: string, by: (unit: number) => string): string {
  let out = '';
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isPair(text, at, code)) at += 1;
    else if (!isXmlUnit(code)) {
      out += text.slice(from, at) + by(code);
      from = at + 1;
    }
  }
  return from === 0 ? text : out + text.slice(from);
}

/**
 * Puts JSON text into the wrapper `<data psnonxml='Yes'><![CDATA[...]]></data>`, without an XML declaration: the text
 * is UTF-8, which needs none. `]]>` is split over two sections. The few characters that JSON allows and XML does not
 * are written as JSON escapes, so nothing is lost.
 * @param json JSON text (RFC 8259)
 */
export function wrapPsnonxml(json: string): string {
  const suspect = json.includes('\ufffe') || json.includes('\uffff') || !json.isWellFormed();
  const carried = suspect ? replaceOthers(json, jsonEscape) : json;
  return `<data psnonxml='Yes'><![CDATA[${splitEnds(carried)}]]></data>`;
}

const jsonEscape = (unit: number) => `\\u${unit.toString(16).padStart(4, '0')}`;

const start =
  'A-Z_a-z\\u{c0}-\\u{d6}\\u{d8}-\\u{f6}\\u{f8}-\\u{2ff}\\u{370}-\\u{37d}\\u{37f}-\\u{1fff}\\u{200c}\\u{200d}\\u{2070}-\\u{218f}\\u{2c00}-\\u{2fef}\\u{3001}-\\u{d7ff}\\u{f900}-\\u{fdcf}\\u{fdf0}-\\u{fffd}\\u{10000}-\\u{effff}';
const ncName = new RegExp(`^[${start}][${start}\\-.0-9\\u{b7}\\u{300}-\\u{36f}\\u{203f}\\u{2040}]*$`, 'u');

/** Whether a name is valid for an element or attribute: an NCName, hence without a colon. */
export function isXmlName(name: string): boolean {
  return ncName.test(name);
}
