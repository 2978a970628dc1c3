import { PAGED, type Paged, pagesOf, slugOf } from '../../../kinds/kinds.ts';
import type { Registry } from '../../../model/registry.ts';
import { builtOnce } from '../../built.ts';
import { type Html, html, NOTHING, type Part } from '../../html.ts';
import {
  address,
  badge,
  field,
  filters,
  heading,
  hidden,
  input,
  link,
  more,
  number,
  table,
  tabs,
} from '../../parts.ts';
import { page, type Reply, type Visit } from '../../route.ts';
import { placeLink } from './sources.ts';
import { type Entry, entriesOf, factsOf, isOff, linkTo, pathOf, wordOf } from './things.ts';

/** How well a text matches: lower is better. */
const EXACT = 0;
const PREFIX = 1;
const WORD = 2;
const INSIDE = 3;
/** Added if the match is in a description, a path or a field instead of a name. */
const ELSEWHERE = 4;
const NOT = 9;

/** A definition with its texts in lower case. */
interface Indexed {
  readonly entry: Entry;
  readonly names: readonly string[];
  readonly rest: string;
}

/** All definitions by kind and id. Lists without a search have this order. */
export const indexOf = builtOnce(function* (registry): Generator<void, readonly Indexed[]> {
  const all: Indexed[] = [];
  for (const member of PAGED)
    for (const entry of entriesOf(registry, member)) {
      all.push(indexed(entry));
      yield;
    }
  return all;
});

function indexed(entry: Entry): Indexed {
  const { about, names, fields } = factsOf(entry);
  const all = new Set([entry.thing.id, ...names].map((name) => name.toLowerCase()));
  const rest = [...about, ...fields, entry.thing.description ?? ''].join('\n').toLowerCase();
  return { entry, names: [...all], rest };
}

/** The position in a list after which the next part begins. */
const cursorOf = (rank: number, { member, thing }: Entry): string => `${rank} ${member} ${thing.id}`;

interface Match {
  readonly entry: Entry;
  readonly rank: number;
}

interface FoundPart {
  readonly entries: readonly Entry[];
  /** The number of matching definitions of each kind, over all kinds. */
  readonly counts: ReadonlyMap<Paged, number>;
  /** The cursor of the next part; absent at the end. */
  readonly next?: string;
}

interface Asked {
  readonly q: string;
  readonly member?: Paged | undefined;
  readonly after?: string | undefined;
  readonly limit: number;
}

/** Finds definitions, best matches first; without search words, all of them. */
async function findThings(registry: Registry, { q, member, after, limit }: Asked): Promise<FoundPart> {
  const matches = matching(await indexOf(registry), q);
  const counts = new Map<Paged, number>();
  for (const { entry } of matches) counts.set(entry.member, (counts.get(entry.member) ?? 0) + 1);
  const ofKind = member === undefined ? matches : matches.filter(({ entry }) => entry.member === member);
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

function matching(all: readonly Indexed[], q: string): readonly Match[] {
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
  // Sorting is stable: definitions of one rank keep the order of the index.
  return found.sort((a, b) => a.rank - b.rank);
}

/** The search words in lower case. */
const wordsOf = (q: string): string[] => q.toLowerCase().split(/\s+/).filter(Boolean).slice(0, 8);

function rankOf(word: string, names: readonly string[], rest: string): number {
  let best = NOT;
  for (const name of names) best = Math.min(best, rankIn(word, name));
  return best === NOT ? Math.min(NOT, ELSEWHERE + rankIn(word, rest)) : best;
}

/** How well a word matches a text. */
function rankIn(word: string, text: string): number {
  const first = text.indexOf(word);
  if (first < 0) return NOT;
  if (text === word) return EXACT;
  if (first === 0) return PREFIX;
  for (let at = first; at >= 0; at = text.indexOf(word, at + 1)) if (isStart(text, at)) return WORD;
  return INSIDE;
}

const isStart = (text: string, at: number): boolean => /[^\p{L}\p{N}]/u.test(text[at - 1] ?? ' ');

/** The first text of a definition, other than its names, that contains a word; `undefined` if a name contains it. */
function whereFound(entry: Entry, word: string): { readonly what: string; readonly text: string } | undefined {
  const { about, names, fields } = factsOf(entry);
  const has = (text: string): boolean => text.toLowerCase().includes(word);
  if ([entry.thing.id, ...names].some(has)) return undefined;
  const field = fields.find(has);
  // The list shows what the definition does and its description in any case.
  if (field === undefined || about.some(has) || has(entry.thing.description ?? '')) return undefined;
  return { what: 'field', text: field };
}

/** Definitions per page. */
const MOST = 100;
/** Maximum number of matches below the search field of all pages. */
const MOST_FOUND = 12;
/** Maximum number of characters of what a definition does. */
const LONGEST = 140;

const memberOf = (text: string | null): Paged | undefined => PAGED.find((member) => slugOf(member) === text);

/** `/registry`: all definitions. */
export async function list(visit: Visit): Promise<Reply> {
  const q = visit.query.get('q') ?? '';
  const member = memberOf(visit.query.get('kind'));
  const kind = member && slugOf(member);
  const asked = { q, member, limit: MOST, after: visit.query.get('after') ?? undefined };
  const { entries, counts, next } = await findThings(visit.ports.registry, asked);
  const all = [...counts.values()].reduce((sum, each) => sum + each, 0);
  const to = (of: Paged | undefined): string =>
    address('/registry', { q, kind: of && slugOf(of) }).replace('/console', '');
  const members = PAGED.filter((each) => counts.has(each) || each === member);
  const views = members.map((each) => [to(each), `${pagesOf(each).title} ${number(counts.get(each) ?? 0)}`] as const);
  return page(
    'Registry',
    html`${heading('Registry', { about: 'Everything that the definitions declare, as this gateway has loaded it.', actions: html`<a class="button" href="${address('/registry/files')}">Files</a>` })}
${filters('Search the registry', '/registry', html`${field('Ids, descriptions, paths, fields', 'q', input('q', q, 'search'))}${kind === undefined ? NOTHING : hidden({ kind })}`)}
${tabs('Kinds', [[to(undefined), `All ${number(all)}`], ...views], to(member))}
${table('Definitions', columnsFor(visit, wordsOf(q), kind === undefined), entries, { empty: emptyText(q, member) })}${more(
  next === undefined ? undefined : address('/registry', { q, kind, after: next }),
  'More',
)}`,
  );
}

function emptyText(q: string, member: Paged | undefined): Part {
  if (q === '') return 'Nothing is declared. Add definitions to the folder of the project.';
  const where = member === undefined ? 'definition' : wordOf(member);
  return html`No ${where} has “${q}” in its id, description, paths or fields. ${link('/registry', 'Show everything')}`;
}

const columnsFor = (visit: Visit, words: readonly string[], hasKind: boolean) => [
  { title: 'Name', kind: 'code' as const, cell: (entry: Entry) => nameOf(entry) },
  ...(hasKind ? [{ title: 'Kind', cell: ({ member }: Entry) => wordOf(member) }] : []),
  { title: 'What it does', kind: 'wide' as const, cell: (entry: Entry) => whatOf(visit, entry, words) },
  { title: 'File', kind: 'code' as const, cell: ({ thing }: Entry) => placeLink(thing.at) },
];

const nameOf = (entry: Entry): Html =>
  html`${linkTo(entry.member, entry.thing)}${isOff(entry) ? html` ${badge('idle', 'not active')}` : NOTHING}`;

function whatOf({ ports: { redactor } }: Visit, entry: Entry, words: readonly string[]): Html {
  const { about } = factsOf(entry);
  const hits = words.flatMap((word) => whereFound(entry, word) ?? []);
  const found = hits.map(({ what, text }) => html`<div class="faint">${what} ${marked(text, words)}</div>`);
  return html`${entry.thing.description === undefined ? NOTHING : html`<div>${marked(entry.thing.description, words)}</div>`}${about
    .slice(0, 2)
    .map(
      (text) => html`<div class="faint"><code>${marked(shortened(redactor.text(text), words), words)}</code></div>`,
    )}${found}`;
}

/** A text cut at its end, or around the word that was searched for. */
function shortened(text: string, words: readonly string[]): string {
  if (text.length <= LONGEST) return text;
  const lower = text.toLowerCase();
  const at = Math.max(0, ...words.map((word) => lower.indexOf(word)));
  const begin = at < LONGEST - 20 ? 0 : at - 40;
  const rest = text.slice(begin, begin + LONGEST);
  return `${begin > 0 ? '…' : ''}${rest}${begin + LONGEST < text.length ? '…' : ''}`;
}

/** A text with the first occurrence of a search word marked. */
function marked(text: string, words: readonly string[]): Html {
  const lower = text.toLowerCase();
  // If lower case changes the length, positions differ, and nothing is marked.
  const word = lower.length === text.length ? words.find((each) => lower.includes(each)) : undefined;
  if (word === undefined) return html`${text}`;
  const at = lower.indexOf(word);
  return html`${text.slice(0, at)}<mark>${text.slice(at, at + word.length)}</mark>${text.slice(at + word.length)}`;
}

/** `/find`: the best matches of the search field of all pages. */
export async function find({ ports, query }: Visit): Promise<Reply> {
  const q = query.get('q') ?? '';
  if (wordsOf(q).length === 0) return { kind: 'fragment', body: NOTHING };
  const { entries } = await findThings(ports.registry, { q, limit: MOST_FOUND });
  const body =
    entries.length === 0
      ? html`<p>Nothing found.</p>`
      : html`<ul>${entries.map(
          ({ member, thing }) =>
            html`<li><a href="${address(pathOf(member, thing.id))}">${thing.id} <span>${wordOf(member)}</span></a></li>`,
        )}</ul>`;
  return { kind: 'fragment', body };
}
