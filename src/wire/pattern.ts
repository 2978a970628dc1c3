import { RE2JS } from 're2js';
import {
  type CharacterClass,
  complement,
  PatternError,
  type PatternNode,
  type Range,
  readPattern,
} from './pattern-syntax.ts';

// Patterns of ECMA-262, run by RE2 (Cox, Regular Expression Matching in the Wild): the time grows linearly with the
// text.

/** A pattern that a whole text must match. */
export interface Pattern {
  /** The original source. */
  readonly source: string;
  /** Longer texts (in UTF-16 units) must not be tested: they could take more than about 0.3 s. */
  readonly longest: number;
  /** Whether the whole text matches: the result of `new RegExp('^(?:source)$', 'u')` for a well-formed text. */
  test(text: string): boolean;
}

/**
 * Characters and assertions of a pattern with its repetitions expanded. RE2 rejects larger ones or compiles them
 * slowly.
 */
const LARGEST = 1000;
/**
 * Characters and ranges of classes in the expanded pattern; a property counts as a large class. Each takes about 1 µs
 * to compile.
 */
const MOST_MEMBERS = 50_000;
const PROPERTY = 500;
/** Steps of the machine times units of the text: the bound for a text for which RE2 can't use a table of its states. */
const MOST_STEPS = 20_000_000;

/**
 * Compiles a pattern.
 * @throws PatternError if it is not valid, can't be run in linear time (look-around, backreferences), or is too large
 */
export function compilePattern(source: string): Pattern {
  const machine = RE2JS.compile(write(checkPattern(source)));
  return {
    source,
    longest: Math.floor(MOST_STEPS / machine.programSize()),
    test: (text) => machine.testExact(text),
  };
}

/**
 * Parses a pattern that can be compiled, without the time that compiling takes.
 * @throws PatternError as {@link compilePattern} does
 */
export function checkPattern(source: string): PatternNode {
  const node = readPattern(source);
  if (sizeOf(node) > LARGEST)
    throw new PatternError(`is longer than ${LARGEST} characters when its repetitions are written out`);
  if (membersOf(node) > MOST_MEMBERS)
    throw new PatternError(
      `has more than ${MOST_MEMBERS} characters and ranges in its classes, where a property counts ${PROPERTY}`,
    );
  return node;
}

function sizeOf(node: PatternNode): number {
  switch (node.kind) {
    case 'class':
    case 'assertion':
      return 1;
    case 'sequence':
    case 'choice':
      return Math.max(
        1,
        node.items.reduce((sum, item) => sum + sizeOf(item), 0),
      );
    case 'repeat':
      return sizeOf(node.item) * Math.max(1, node.least, Number.isFinite(node.most) ? node.most : 0);
  }
}

function membersOf(node: PatternNode): number {
  switch (node.kind) {
    case 'class':
      return node.ranges.length + node.properties.length * PROPERTY;
    case 'assertion':
      return 0;
    case 'sequence':
    case 'choice':
      return node.items.reduce((sum, item) => sum + membersOf(item), 0);
    case 'repeat':
      return membersOf(node.item);
  }
}

const assertions = { start: '\\A', end: '\\z', 'word edge': '\\b', 'no word edge': '\\B' } as const;

/** In RE2's dialect, with code points only: its shorthands have other meanings (`\s`, `.`, properties). */
function write(node: PatternNode): string {
  switch (node.kind) {
    case 'class':
      return writeClass(node);
    case 'assertion':
      return assertions[node.at];
    case 'sequence':
      return node.items.map((item) => (item.kind === 'choice' ? `(?:${write(item)})` : write(item))).join('');
    case 'choice':
      return node.items.map(write).join('|');
    case 'repeat':
      return `(?:${write(node.item)})${quantifier(node.least, node.most)}`;
  }
}

function writeClass({ negated, ranges, properties }: CharacterClass): string {
  const all = [
    ...ranges,
    ...properties.flatMap(({ name, negated: not }) => (not ? complement(propertyRanges(name)) : propertyRanges(name))),
  ];
  // RE2 has no class without members.
  if (all.length === 0) return negated ? ANY : `[^${ANY.slice(1)}`;
  const members = all.map(([from, to]) => (from === to ? escaped(from) : `${escaped(from)}-${escaped(to)}`));
  return `[${negated ? '^' : ''}${members.join('')}]`;
}

const ANY = '[\\x{0}-\\x{10FFFF}]';

function escaped(code: number): string {
  return `\\x{${code.toString(16)}}`;
}

function quantifier(least: number, most: number): string {
  if (most === Number.POSITIVE_INFINITY) return least === 0 ? '*' : least === 1 ? '+' : `{${least},}`;
  return `{${least},${most}}`;
}

/**
 * The code points with a Unicode property, as the JavaScript engine defines it: another library may use the tables of
 * another Unicode version.
 * @param name as in `\p{name}`: `Lu`, `Script=Greek`
 */
export function propertyRanges(name: string): readonly Range[] {
  const known = cache.get(name);
  if (known !== undefined) return known;
  samples ??= takeSamples();
  const { text, points } = samples;
  const ranges: [number, number][] = [];
  const run = new RegExp(`\\p{${name}}+`, 'gu');
  let index = 0;
  let unit = 0;
  const forward = (to: number): void => {
    for (; unit < to; index++) unit += (points[index] as number) > 0xffff ? 2 : 1;
  };
  for (const found of text.matchAll(run)) {
    forward(found.index);
    const from = points[index] as number;
    forward(found.index + found[0].length);
    ranges.push([from, (points[index] ?? 0x110000) - 1]);
  }
  cache.set(name, ranges);
  return ranges;
}

const cache = new Map<string, readonly Range[]>();
let samples: { readonly text: string; readonly points: readonly number[] } | undefined;

/**
 * Sample code points, each representing all up to the next: planes 4 to 13, 15 and 16 are uniform except at their ends.
 */
function takeSamples(): { readonly text: string; readonly points: readonly number[] } {
  const points: number[] = [];
  const each = (from: number, to: number): void => {
    for (let code = from; code <= to; code++) points.push(code);
  };
  each(0, 0xd7ff);
  each(0xe000, 0x3ffff);
  for (let plane = 4; plane <= 16; plane++) {
    const start = plane * 0x10000;
    if (plane === 14) each(start, start + 0x1000);
    else points.push(start);
    each(start + 0xfffe, start + 0xffff);
  }
  let text = '';
  for (let from = 0; from < points.length; from += 4096)
    text += String.fromCodePoint(...points.slice(from, from + 4096));
  return { text, points };
}
