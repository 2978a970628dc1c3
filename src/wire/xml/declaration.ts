// XML 1.0 (fifth edition), sections 2.8 and 4.3.3: the XML declaration.
import { ownString } from './name.ts';
import type { XmlSource } from './source.ts';

/** Encodings that it may name: the document is text by now, which these and no others became. */
const ENCODINGS: ReadonlySet<string> = new Set(['utf-8', 'utf8', 'utf-16', 'us-ascii']);

interface Part {
  readonly name: string;
  readonly value: RegExp;
}

const VERSION: Part = { name: 'version', value: /^1\.[0-9]+$/ };
/** What may follow, in this order. */
const OTHERS: readonly Part[] = [
  { name: 'encoding', value: /^[A-Za-z][A-Za-z0-9._-]*$/ },
  { name: 'standalone', value: /^(?:yes|no)$/ },
];

const PART = /[ \t\r\n]+([A-Za-z]+)[ \t\r\n]*=[ \t\r\n]*(?:"([^"<&?]*)"|'([^'<&?]*)')/y;
const END = /[ \t\r\n]*\?>/y;

/** Characters of the longest declaration that is remembered. */
const REMEMBERED = 100;

/** The one that was read last: that of most documents is the same. */
let last = '<?xml version="1.0"?>';

/**
 * Passes over an XML declaration. Other versions than 1.0 are read as 1.0.
 * @returns where it ends; `start` where there is none @throws XmlError
 */
export function skipDeclaration(source: XmlSource, start: number): number {
  const { text } = source;
  if (text.startsWith(last, start)) return start + last.length;
  if (!text.startsWith('<?xml', start) || !' \t\r\n?'.includes(text.charAt(start + 5))) return start;
  const end = readDeclaration(source, start + 5);
  if (end - start <= REMEMBERED) last = ownString(text.slice(start, end));
  return end;
}

function readDeclaration(source: XmlSource, start: number): number {
  const { text } = source;
  let at = start;
  let expected = [VERSION];
  for (;;) {
    PART.lastIndex = at;
    const [whole, name = '', quoted, single = ''] = PART.exec(text) ?? [];
    if (whole === undefined) break;
    const index = expected.findIndex((each) => each.name === name);
    if (index === -1) throw source.error(`XML declaration: ${name} where ${named(expected)} is expected`, at);
    checkValue(source, expected[index]!, quoted ?? single, at);
    expected = name === 'version' ? [...OTHERS] : expected.slice(index + 1);
    at += whole.length;
  }
  END.lastIndex = at;
  if (expected[0] === VERSION || !END.test(text))
    throw source.error(`XML declaration: ${named(expected)} is expected`, at);
  return END.lastIndex;
}

function named(expected: readonly Part[]): string {
  const names = expected.map(({ name }) => name);
  return expected[0] === VERSION ? 'version' : [...names, 'its end'].join(' or ');
}

function checkValue(source: XmlSource, part: Part, value: string, at: number): void {
  if (!part.value.test(value)) throw source.error(`XML declaration: malformed ${part.name}`, at);
  if (part.name === 'encoding' && !ENCODINGS.has(value.toLowerCase()))
    throw source.error(`its XML declaration says ${value}, and it is read in UTF-8 or UTF-16 only`, at);
}
