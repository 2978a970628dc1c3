import type { Pick } from '../../../src/mock/instance.ts';

// Texts that match a regular expression of XML Schema (Part 2, appendix F). Written apart from the import's translation of
// them, which it tests.

type Sample = () => string;

const DIGITS = '0123456789';
const LETTERS = 'abcXYZ';

/** Characters of the escapes, and of properties that schemas use. */
const ESCAPES: Readonly<Record<string, string>> = {
  d: DIGITS,
  D: `${LETTERS}-`,
  w: `${LETTERS}${DIGITS}`,
  W: '-. ',
  s: ' ',
  S: `${LETTERS}${DIGITS}-`,
  i: `_${LETTERS}`,
  I: DIGITS,
  c: `${LETTERS}${DIGITS}-._`,
  C: '# ',
  n: '\n',
  r: '\r',
  t: '\t',
};
const PROPERTIES: Readonly<Record<string, string>> = {
  L: LETTERS,
  Lu: 'XYZ',
  Ll: 'abc',
  N: DIGITS,
  Nd: DIGITS,
  P: '.-',
};
const ANY = `${LETTERS}${DIGITS}-._@é`;

/** A function that makes such texts. @throws RangeError for an expression that it does not read */
export function samplerOf(source: string, pick: Pick): Sample {
  let at = 0;
  const oneOf =
    (characters: string): Sample =>
    () =>
      characters[pick(characters.length)] as string;

  const alternatives = (): Sample => {
    const branches = [branch()];
    while (source[at] === '|') {
      at += 1;
      branches.push(branch());
    }
    return () => (branches[pick(branches.length)] as Sample)();
  };
  const branch = (): Sample => {
    const pieces: Sample[] = [];
    while (at < source.length && source[at] !== '|' && source[at] !== ')') pieces.push(quantified(atom()));
    return () => pieces.map((each) => each()).join('');
  };
  const quantified = (piece: Sample): Sample => {
    const [text, mark, least = '0', comma, most] = /^(?:([?*+])|\{(\d+)(,?)(\d*)\})/.exec(source.slice(at)) ?? [];
    if (text === undefined) return piece;
    at += text.length;
    const from = mark === '+' ? 1 : mark === undefined ? Number(least) : 0;
    const to =
      mark === '?' ? 1 : mark !== undefined || (comma === ',' && most === '') ? from + 3 : Number(most || least);
    return () => Array.from({ length: from + pick(Math.min(to - from, 40) + 1) }, piece).join('');
  };
  const atom = (): Sample => {
    const character = source[at++] as string;
    if (character === '(') {
      const inner = alternatives();
      if (source[at++] !== ')') throw new RangeError(source);
      return inner;
    }
    if (character === '[') return oneOf(characterClass());
    if (character === '\\') return oneOf(escaped());
    if (character === '.') return oneOf(ANY);
    return () => character;
  };
  const escaped = (): string => {
    const character = source[at++] as string;
    if (character === 'p' || character === 'P') {
      const [text = '', name = ''] = /^\{(\w+)\}/.exec(source.slice(at)) ?? [];
      at += text.length;
      if (character === 'P') return '-.';
      return PROPERTIES[name] ?? ANY;
    }
    return ESCAPES[character] ?? character;
  };
  const characterClass = (): string => {
    const isNegated = source[at] === '^';
    if (isNegated) at += 1;
    let found = '';
    let without = '';
    while (source[at] !== ']') {
      if (at >= source.length) throw new RangeError(source);
      if (source.startsWith('-[', at)) {
        at += 2;
        without = characterClass();
        continue;
      }
      const first = source[at++] as string;
      const set = first === '\\' ? escaped() : first;
      if (set.length === 1 && source[at] === '-' && source[at + 1] !== ']' && source[at + 1] !== '[') {
        at += 1;
        const end = source[at++] === '\\' ? escaped() : (source[at - 1] as string);
        const [from, to] = [set.charCodeAt(0), end.charCodeAt(0)];
        for (let code = from; code <= Math.min(to, from + 100); code++) found += String.fromCharCode(code);
      } else found += set;
    }
    at += 1;
    const characters = [...(isNegated ? `${ANY} #` : found)].filter(
      (each) => !without.includes(each) && !(isNegated && found.includes(each)),
    );
    if (characters.length === 0) throw new RangeError(source);
    return characters.join('');
  };

  const sample = alternatives();
  if (at < source.length) throw new RangeError(source);
  return sample;
}
