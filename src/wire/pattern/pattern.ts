// Patterns of ECMA-262, run by RE2 (Cox, Regular Expression Matching in the Wild): in time that grows with the text alone.
import { RE2JS } from 're2js';
import { propertyRanges } from './property.ts';
import { type CharacterClass, complement, PatternError, type PatternNode, readPattern } from './read.ts';

/** A pattern that a whole text must match. */
export interface Pattern {
  /** As it was given. */
  readonly source: string;
  /** Texts with more UTF-16 units than this are not to be tried: they could take longer than some 0.3 s. */
  readonly longest: number;
  /** Whether the whole text matches: what `new RegExp('^(?:source)$', 'u')` says of a well-formed text. */
  test(text: string): boolean;
}

/** Characters and assertions of a pattern, repetitions written out. Beyond it RE2 refuses, or is slow to compile. */
const LARGEST = 1000;
/** Characters and ranges of classes as they are written, a property as a large one has. Each takes some 1 µs to compile. */
const MOST_MEMBERS = 50_000;
const PROPERTY = 500;
/** Steps of the machine times units of the text: the bound for a text where RE2 finds no table for its states. */
const MOST_STEPS = 20_000_000;

/**
 * Compiles a pattern.
 * @throws PatternError where it is none, where it can't be run in linear time (look-around, references back), or is too large
 */
export function compilePattern(source: string): Pattern {
  const node = readPattern(source);
  if (sizeOf(node) > LARGEST)
    throw new PatternError(`is longer than ${LARGEST} characters when its repetitions are written out`);
  if (membersOf(node) > MOST_MEMBERS)
    throw new PatternError(
      `has more than ${MOST_MEMBERS} characters and ranges in its classes, where a property counts ${PROPERTY}`,
    );
  const machine = RE2JS.compile(write(node));
  return {
    source,
    longest: Math.floor(MOST_STEPS / machine.programSize()),
    test: (text) => machine.testExact(text),
  };
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

/** In RE2's dialect, by code points alone: what its short forms mean differs (`\s`, `.`, properties). */
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
