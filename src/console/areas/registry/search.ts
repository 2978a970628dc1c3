import type { Registry } from '../../../model/registry.ts';
import { ALL_KINDS, type Entry, entriesOf, factsOf, type Kind } from './things.ts';

/** How well a text matches: the least is the best. */
const EXACT = 0;
const PREFIX = 1;
const WORD = 2;
const INSIDE = 3;
/** Added where it is not a name that matches, but a description, a path or a field. */
const ELSEWHERE = 4;
const NOT = 9;

/** A definition with its texts in lower case. */
interface Indexed {
  readonly entry: Entry;
  readonly names: readonly string[];
  readonly rest: string;
}

/** All definitions by kind and id. Their order is the one of lists without a search. */
const indexes = new WeakMap<Registry, readonly Indexed[]>();

function indexOf(registry: Registry): readonly Indexed[] {
  const known = indexes.get(registry);
  if (known !== undefined) return known;
  const all = ALL_KINDS.flatMap((kind) => entriesOf(registry, kind)).map(indexed);
  indexes.set(registry, all);
  return all;
}

function indexed(entry: Entry): Indexed {
  const { about, names, fields } = factsOf(entry);
  const all = new Set([entry.thing.id, ...names].map((name) => name.toLowerCase()));
  const rest = [...about, ...fields, entry.thing.description ?? ''].join('\n').toLowerCase();
  return { entry, names: [...all], rest };
}

/** The place in a list behind which the next part begins. */
const cursorOf = (rank: number, { kind, thing }: Entry): string => `${rank} ${kind} ${thing.id}`;

interface Match {
  readonly entry: Entry;
  readonly rank: number;
}

interface FoundPart {
  readonly entries: readonly Entry[];
  /** The number of definitions of each kind that match, of all kinds. */
  readonly counts: ReadonlyMap<Kind, number>;
  /** For the part after it; absent at the end. */
  readonly next?: string;
}

interface Asked {
  readonly q: string;
  readonly kind?: Kind | undefined;
  readonly after?: string | undefined;
  readonly limit: number;
}

/** Finds definitions, the best matches first; all of them without words to look for. */
export function findThings(registry: Registry, { q, kind, after, limit }: Asked): FoundPart {
  const matches = matching(registry, q);
  const counts = new Map<Kind, number>();
  for (const { entry } of matches) counts.set(entry.kind, (counts.get(entry.kind) ?? 0) + 1);
  const ofKind = kind === undefined ? matches : matches.filter(({ entry }) => entry.kind === kind);
  const begin = after === undefined ? 0 : 1 + ofKind.findIndex(({ rank, entry }) => cursorOf(rank, entry) === after);
  const part = ofKind.slice(begin, begin + limit);
  const last = part.at(-1);
  const isMore = last !== undefined && begin + limit < ofKind.length;
  return {
    entries: part.map(({ entry }) => entry),
    counts,
    ...(isMore ? { next: cursorOf(last.rank, last.entry) } : {}),
  };
}

function matching(registry: Registry, q: string): readonly Match[] {
  const all = indexOf(registry);
  const words = wordsOf(q);
  if (words.length === 0) return all.map(({ entry }) => ({ entry, rank: 0 }));
  const found = all.flatMap(({ entry, names, rest }) => {
    let rank = EXACT;
    for (const word of words) {
      rank = Math.max(rank, rankOf(word, names, rest));
      if (rank === NOT) return [];
    }
    return [{ entry, rank }];
  });
  // The order within a rank stays that of the index: sorting is stable.
  return found.sort((a, b) => a.rank - b.rank);
}

/** The words that are looked for, in lower case. */
export const wordsOf = (q: string): string[] => q.toLowerCase().split(/\s+/).filter(Boolean).slice(0, 8);

function rankOf(word: string, names: readonly string[], rest: string): number {
  let best = NOT;
  for (const name of names) best = Math.min(best, rankIn(word, name));
  return best === NOT ? Math.min(NOT, ELSEWHERE + rankIn(word, rest)) : best;
}

/** How a word is in a text. */
function rankIn(word: string, text: string): number {
  const first = text.indexOf(word);
  if (first < 0) return NOT;
  if (text === word) return EXACT;
  if (first === 0) return PREFIX;
  for (let at = first; at >= 0; at = text.indexOf(word, at + 1)) if (isStart(text, at)) return WORD;
  return INSIDE;
}

const isStart = (text: string, at: number): boolean => /[^\p{L}\p{N}]/u.test(text[at - 1] ?? ' ');

/** The first text of a definition, beside its names, that has a word; `undefined` if its name has it. */
export function whereFound(entry: Entry, word: string): { readonly what: string; readonly text: string } | undefined {
  const { about, names, fields } = factsOf(entry);
  const has = (text: string): boolean => text.toLowerCase().includes(word);
  if ([entry.thing.id, ...names].some(has)) return undefined;
  const field = fields.find(has);
  // What it does and its description are in the list anyway.
  if (field === undefined || about.some(has) || has(entry.thing.description ?? '')) return undefined;
  return { what: 'field', text: field };
}
