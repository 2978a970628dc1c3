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
import { findThings, whereFound, wordsOf } from './search.ts';
import { placeLink } from './sources.ts';
import { ALL_KINDS, type Entry, factsOf, isOff, KINDS, type Kind, linkTo, pathOf } from './things.ts';

/** Definitions of one page of the list. */
const MOST = 100;
/** Matches below the search field of all pages. */
const MOST_FOUND = 12;
/** Characters of what a definition does. */
const LONGEST = 140;

const kindOf = (text: string | null): Kind | undefined => ALL_KINDS.find((kind) => kind === text);

/** `/registry`: all definitions. */
export function list(visit: Visit): Reply {
  const q = visit.query.get('q') ?? '';
  const kind = kindOf(visit.query.get('kind'));
  const asked = { q, kind, limit: MOST, after: visit.query.get('after') ?? undefined };
  const { entries, counts, next } = findThings(visit.ports.registry, asked);
  const all = [...counts.values()].reduce((sum, each) => sum + each, 0);
  const to = (of: Kind | undefined): string => address('/registry', { q, kind: of }).replace('/console', '');
  const kinds = ALL_KINDS.filter((each) => counts.has(each) || each === kind);
  const views = kinds.map((each) => [to(each), `${KINDS[each].title} ${number(counts.get(each) ?? 0)}`] as const);
  return page(
    'Registry',
    html`${heading('Registry', { about: 'Everything that the definitions declare, as this gateway has loaded it.', actions: html`<a class="button" href="${address('/registry/files')}">Files</a>` })}
${filters('Search the registry', '/registry', html`${field('Ids, descriptions, paths, fields', 'q', input('q', q, 'search'))}${kind === undefined ? NOTHING : hidden({ kind })}`)}
${tabs('Kinds', [[to(undefined), `All ${number(all)}`], ...views], to(kind))}
${table('Definitions', columnsFor(visit, wordsOf(q), kind === undefined), entries, { empty: emptyText(q, kind) })}${more(
  next === undefined ? undefined : address('/registry', { q, kind, after: next }),
  'More',
)}`,
  );
}

function emptyText(q: string, kind: Kind | undefined): Part {
  if (q === '') return 'Nothing is declared. Add definitions to the folder of the project.';
  const where = kind === undefined ? 'definition' : KINDS[kind].word;
  return html`No ${where} has “${q}” in its id, description, paths or fields. ${link('/registry', 'Show everything')}`;
}

const columnsFor = (visit: Visit, words: readonly string[], hasKind: boolean) => [
  { title: 'Name', kind: 'code' as const, cell: (entry: Entry) => nameOf(entry) },
  ...(hasKind ? [{ title: 'Kind', cell: ({ kind }: Entry) => KINDS[kind].word }] : []),
  { title: 'What it does', kind: 'wide' as const, cell: (entry: Entry) => whatOf(visit, entry, words) },
  { title: 'File', kind: 'code' as const, cell: ({ thing }: Entry) => placeLink(thing.at) },
];

const nameOf = (entry: Entry): Html =>
  html`${linkTo(entry.kind, entry.thing)}${isOff(entry) ? html` ${badge('idle', 'not active')}` : NOTHING}`;

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

/** Cut at its end, or around the word that was looked for. */
function shortened(text: string, words: readonly string[]): string {
  if (text.length <= LONGEST) return text;
  const lower = text.toLowerCase();
  const at = Math.max(0, ...words.map((word) => lower.indexOf(word)));
  const begin = at < LONGEST - 20 ? 0 : at - 40;
  const rest = text.slice(begin, begin + LONGEST);
  return `${begin > 0 ? '…' : ''}${rest}${begin + LONGEST < text.length ? '…' : ''}`;
}

/** A text with the first place of the first word that it has. */
function marked(text: string, words: readonly string[]): Html {
  const lower = text.toLowerCase();
  // Lower case may have another length; then nothing is marked.
  const word = lower.length === text.length ? words.find((each) => lower.includes(each)) : undefined;
  if (word === undefined) return html`${text}`;
  const at = lower.indexOf(word);
  return html`${text.slice(0, at)}<mark>${text.slice(at, at + word.length)}</mark>${text.slice(at + word.length)}`;
}

/** `/find`: the best matches of what is typed into the search field of all pages. */
export function find({ ports, query }: Visit): Reply {
  const q = query.get('q') ?? '';
  if (wordsOf(q).length === 0) return { kind: 'fragment', body: NOTHING };
  const { entries } = findThings(ports.registry, { q, limit: MOST_FOUND });
  const body =
    entries.length === 0
      ? html`<p>Nothing found.</p>`
      : html`<ul>${entries.map(
          ({ kind, thing }) =>
            html`<li><a href="${address(pathOf(kind, thing.id))}">${thing.id} <span>${KINDS[kind].word}</span></a></li>`,
        )}</ul>`;
  return { kind: 'fragment', body };
}
