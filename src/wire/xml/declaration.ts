import { ownString } from './name.ts';
import type { XmlSource } from './source.ts';

// XML 1.0 (fifth edition), sections 2.8 and 4.3.3: the XML declaration.

interface Part {
  readonly name: string;
  readonly value: RegExp;
}

const VERSION: Part = { name: 'version', value: /^1\.[0-9]+$/ };
/** The other parts of a declaration, in this order. */
const OTHERS: readonly Part[] = [
  { name: 'encoding', value: /^[A-Za-z][A-Za-z0-9._-]*$/ },
  { name: 'standalone', value: /^(?:yes|no)$/ },
];

const PART = /[ \t\r\n]+([A-Za-z]+)[ \t\r\n]*=[ \t\r\n]*(?:"([^"<&?]*)"|'([^'<&?]*)')/y;
const END = /[ \t\r\n]*\?>/y;

/** Longest declaration that is remembered, in characters. */
const REMEMBERED = 100;

/** The most recent declaration: most documents have the same one. */
let last = '<?xml version="1.0"?>';

/**
 * Skips an XML declaration. The encoding that it names counts only where bytes are decoded. Versions other than 1.0 are read as 1.0.
 * @returns the index of its end; `start` if there is none
 * @throws XmlError
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
}
