import { Fault } from '../../model/fault.ts';
import { type Field, typeWords } from '../../model/field.ts';
import type { Query } from '../../model/query.ts';
import { isNumeric } from '../../model/scalar.ts';
import type { Row, Value } from '../../model/value.ts';
import type { QueryResult, ResultFormat } from '../../query/index.ts';
import { may } from '../../security/authorise.ts';
import { duration } from '../../wire/duration.ts';
import { controlName, type Entries, entryFields, readEntries, UNTOUCHED } from '../entries.ts';
import { exact, type Html, html, NOTHING } from '../html.ts';
import {
  address,
  badge,
  type Column,
  code,
  facts,
  field,
  filters,
  heading,
  input,
  link,
  more,
  notice,
  number,
  pathTo,
  section,
  table,
} from '../parts.ts';
import { type Area, actionRoute, page, pageRoute, type Reply, type Visit } from '../route.ts';

/** The id of the form with the prompts. */
const FORM = 'prompts';

/** Maximum number of rows of the table, over all its pages. */
const MOST_ROWS = 1000;
const PAGE = 100;
/** Maximum number of characters in a cell; downloads are complete. */
const LONGEST = 300;
/** Cells with at most this many characters are not wrapped. */
const IN_ONE_LINE = 60;

/** The formats of downloads. */
const FORMATS: readonly { readonly format: ResultFormat; readonly text: string; readonly ending: string }[] = [
  { format: 'csv', text: 'CSV', ending: 'csv' },
  { format: 'xlsx', text: 'Excel', ending: 'xlsx' },
  { format: 'json', text: 'JSON', ending: 'json' },
  { format: 'xmlp', text: 'XML', ending: 'xml' },
  { format: 'webrowset', text: 'WebRowSet', ending: 'webrowset.xml' },
  { format: 'html', text: 'HTML', ending: 'html' },
];

/** Whether values of its prompts must not be in an address. */
const isSensitive = ({ prompts }: Query): boolean => prompts.some(({ sensitive }) => sensitive);

/** The target of the form with its prompts. */
const runPath = (query: Query): string =>
  isSensitive(query) ? `${pathTo('queries', query.id)}/run` : pathTo('queries', query.id);

interface Result {
  readonly body: Html;
  readonly failure?: undefined;
  readonly status?: undefined;
}

/** Runs a query, or explains its plan. @throws what the queries throw */
async function resultOf(visit: Visit, query: Query, entries: Entries, given: URLSearchParams): Promise<Result> {
  const { ports, gone, user } = visit;
  const call = { query, prompts: entries.values, signal: gone, caller: user.id };
  const began = performance.now();
  if (given.get('show') === 'plan') {
    const text = await ports.queries.explain(call);
    const hint = 'The plan by which the database would run it with these prompts. It did not run.';
    return { body: section('Plan', html`<p class="faint">${hint}</p>${code(text, 'Plan')}`, 'result') };
  }
  let cut = false;
  const rows = await ports.queries.rows({ ...call, maxrows: MOST_ROWS + 1, onTruncated: () => (cut = true) });
  const took = performance.now() - began;
  return { body: tableOf(query, rows, { entries, given, took, cut }) };
}

interface Shown {
  readonly entries: Entries;
  readonly given: URLSearchParams;
  readonly took: number;
  /** Whether the limit of the query itself has cut the result. */
  readonly cut: boolean;
}

function tableOf(query: Query, all: readonly Row[], { entries, given, took, cut }: Shown): Html {
  const isMore = all.length > MOST_ROWS;
  const sort = given.get('sort') ?? '';
  const column = query.columns.find(({ name }) => name === sort.replace(/^-/, ''));
  const rows = sorted(all.slice(0, MOST_ROWS), column, sort.startsWith('-'));
  const pages = Math.max(1, Math.ceil(rows.length / PAGE));
  const current = Math.min(pages, Math.max(1, Math.trunc(Number(given.get('page'))) || 1));
  const shown = rows.slice((current - 1) * PAGE, current * PAGE);
  const go = (text: string, change: Readonly<Record<string, string>>): Html =>
    control(query, entries, text, { show: 'rows', sort, ...change });
  const count = isMore
    ? `The first ${number(MOST_ROWS)} rows; a download has more.`
    : `${number(rows.length)} ${rows.length === 1 ? 'row' : 'rows'}${cut ? ', the most that this query returns' : ''}.`;
  const order = column === undefined ? '' : ` Sorted by ${column.name}${sort.startsWith('-') ? ', descending' : ''}.`;
  const head = query.columns.map((each) => {
    const isCurrent = each === column;
    const isUp = isCurrent && !sort.startsWith('-');
    const state = isCurrent ? html` aria-sort="${isUp ? 'ascending' : 'descending'}"` : NOTHING;
    const sign = isCurrent ? (isUp ? ' ↑' : ' ↓') : '';
    return html`<th scope="col" class="${classOf(each)}"${state}>${go(`${each.name}${sign}`, { sort: isUp ? `-${each.name}` : each.name })}</th>`;
  });
  const body = shown.map(
    (row) =>
      html`<tr>${query.columns.map((each) => cell(each, row[each.name]))}</tr>
`,
  );
  const pager =
    pages === 1
      ? NOTHING
      : html`<nav class="pager submits" aria-label="Pages">${current > 1 ? go('← Previous', { page: String(current - 1) }) : NOTHING}<span>Page ${current} of ${pages}</span>${current < pages ? go('Next →', { page: String(current + 1) }) : NOTHING}</nav>`;
  const table =
    rows.length === 0
      ? html`<p class="empty">The query has no rows for these prompts.</p>`
      : html`<div class="scroll" role="region" aria-label="Rows of ${query.id}" tabindex="0"><table class="rows"><caption class="hidden">Rows of ${query.id}</caption><thead><tr>${head}</tr></thead>
<tbody>${body}</tbody></table></div>`;
  return section(
    'Rows',
    html`<p class="faint" role="status">${count}${order} ${Math.round(took)} ms.</p>${table}${pager}`,
    'result',
  );
}

const classOf = ({ type }: Field): string => (isNumeric(type) ? 'number' : 'text');

function cell(column: Field, value: Value): Html {
  if (value === null || value === undefined) return html`<td><span class="none">–</span></td>`;
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  const shown = text.length > LONGEST ? `${text.slice(0, LONGEST).toWellFormed()}…` : text;
  return html`<td class="${shown.length > IN_ONE_LINE ? 'wide' : classOf(column)}">${shown}</td>`;
}

/** The same query with another order or page: a link, or a button of the form if the prompts must not be in an address. */
function control(query: Query, { texts }: Entries, text: string, changes: Readonly<Record<string, string>>): Html {
  if (!isSensitive(query)) {
    const prompts = query.prompts.map((prompt) => [controlName(prompt), texts[prompt.name]] as const);
    return html`<a href="${address(runPath(query), { ...Object.fromEntries(prompts), ...changes })}#result">${text}</a>`;
  }
  // A button of a form can send one value only. The others are in the address of its form, which contains no prompts.
  const { sort = '', page = '' } = changes;
  return html`<button form="${FORM}" name="show" value="rows" formaction="${address(runPath(query), { sort, page })}#result">${exact(text)}</button>`;
}

/** Sorts rows by a column; rows without a value come last. */
function sorted(rows: readonly Row[], column: Field | undefined, descending: boolean): readonly Row[] {
  if (column === undefined) return rows;
  const compare = isNumeric(column.type) ? compareNumbers : compareTexts;
  const isNone = (value: Value): boolean => value === null || value === undefined;
  return rows.toSorted((one, other) => {
    const [a, b] = [one[column.name], other[column.name]];
    if (isNone(a) || isNone(b)) return Number(isNone(a)) - Number(isNone(b));
    return descending ? compare(b, a) : compare(a, b);
  });
}

/** Compares integers exactly; decimals that are equal as floating-point numbers keep their order. */
function compareNumbers(a: Value, b: Value): number {
  if (typeof a === 'bigint' || typeof b === 'bigint') {
    const [one, other] = [a as bigint | number, b as bigint | number];
    return one < other ? -1 : one > other ? 1 : 0;
  }
  return Number(a) - Number(b);
}

function compareTexts(a: Value, b: Value): number {
  return String(a).localeCompare(String(b), 'en', { numeric: true });
}

/** A file with all rows that the query may return. @throws Fault BAD_PARAMETER for an unknown format; what the queries throw */
async function sendResult(visit: Visit, query: Query, entries: Entries, format: string): Promise<Reply> {
  const { ports, gone, user } = visit;
  const wanted = FORMATS.find((each) => each.format === format);
  if (wanted === undefined)
    throw Fault.of('BAD_PARAMETER', {
      name: 'format',
      reason: `is ${JSON.stringify(format)}; allowed: ${FORMATS.map((each) => each.format).join(', ')}`,
    });
  const result = await ports.queries.run({
    ...{ query, prompts: entries.values, format: wanted.format, signal: gone, caller: user.id },
    // The file will be opened in a spreadsheet.
    csv: { neutral: true },
  });
  const part = result.truncated ? `-first-${result.rows}-rows` : '';
  const { ending } = wanted;
  const [, own = query.id.replace(/[^\w.-]+/g, '_'), ownEnding = ending] =
    (format === 'csv' && /^(.+?)(?:\.([^.]+))?$/.exec(query.csv?.file ?? '')) || [];
  return {
    kind: 'download',
    name: `${own}${part}.${ownEnding}`,
    contentType: result.contentType,
    content: contentOf(result, gone),
  };
}

function contentOf({ body, dispose }: QueryResult, gone: AbortSignal): Uint8Array | AsyncIterable<Uint8Array> {
  if (body instanceof Uint8Array) return body;
  // A reader that disconnects before the first byte never starts the body, and so would never end it.
  gone.addEventListener('abort', () => dispose?.(), { once: true });
  return body();
}

/** Queries per page. */
const MOST = 100;

/** Compares as the order of the list and its cursor require. */
const byId = (a: Query, b: Query): number => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);

const COLUMNS: readonly Column<Query>[] = [
  { title: 'Query', cell: ({ id }) => link(pathTo('queries', id), id) },
  { title: 'Description', kind: 'wide', cell: ({ description }) => description },
  { title: 'Prompts', cell: ({ prompts }) => prompts.map(({ name }) => name).join(', ') },
  { title: 'Columns', kind: 'number', cell: ({ columns }) => columns.length },
  { title: 'Database', cell: ({ datasource }) => datasource?.id ?? '' },
  { title: 'Owner', cell: ({ owner }) => (owner === undefined ? NOTHING : badge('idle', 'private')) },
];

async function list(visit: Visit) {
  const { ports, user, query } = visit;
  const wanted = (query.get('q') ?? '').trim().toLowerCase();
  const after = query.get('after') ?? '';
  const declared = [...ports.registry.queries.values()].filter((each) => may(user, each));
  const known = new Set(declared.map(({ id }) => id));
  const own = (await ports.saved.list(user.id)).filter(({ id }) => !known.has(id));
  const found = [...declared, ...own]
    .filter(({ id, description = '' }) => `${id} ${description}`.toLowerCase().includes(wanted))
    .sort(byId)
    .filter(({ id }) => id > after);
  const shown = found.slice(0, MOST);
  const next = found.length > MOST ? address('/queries', { q: wanted, after: shown.at(-1)?.id }) : undefined;
  const empty =
    wanted === ''
      ? 'There is no query that you may run. A query grants itself to permission lists with the key permission.'
      : html`No query that you may run has these letters. ${link('/queries', 'Show all')}.`;
  return page(
    'Queries',
    html`${heading('Queries', { about: 'The stored queries that you may run, and your private ones.' })}
${filters('Search of queries', '/queries', field('Name or description', 'q', input('q', query.get('q'), 'search')))}
${table('Queries', COLUMNS, shown, { empty })}${more(next, 'Further queries')}`,
  );
}

/**
 * @throws Fault NOT_FOUND, also for a query that the user is not permitted to run; CONFLICT for a private one that is no longer
 *   valid
 */
async function queryOf({ ports, user, params }: Visit): Promise<Query> {
  const name = params.query as string;
  const declared = ports.registry.queries.get(name);
  const found = declared !== undefined && may(user, declared) ? declared : await ports.saved.find(user.id, name);
  if (found === undefined) throw Fault.of('NOT_FOUND', { what: `query ${name} that you may run` });
  return found;
}

/** The page of a query: its facts, its prompts, and the result after a run. */
async function show(visit: Visit, given: URLSearchParams): Promise<Reply> {
  const query = await queryOf(visit);
  const isRun = given.has('show');
  if (isRun && !visit.may('payload')) throw Fault.of('FORBIDDEN', { user: visit.user.id, what: `rows of ${query.id}` });
  const entries = isRun ? readEntries(query.prompts, given) : UNTOUCHED;
  const result =
    isRun && entries.problems.size === 0 ? await resultOf(visit, query, entries, given).catch(failedRun) : undefined;
  const words =
    entries.problems.size > 0 ? 'The query did not run. Correct the prompts that are marked below.' : result?.failure;
  return page(
    query.id,
    html`${heading(query.id, { about: query.description ?? NOTHING })}
${words === undefined ? NOTHING : notice('bad', words)}
${visit.may('payload') ? promptForm(visit, query, entries) : html`<p class="faint">To run it, one of your permission lists needs <code>console: [payload]</code>.</p>`}
${result?.body ?? NOTHING}
${definitionOf(visit, query)}`,
    { status: entries.problems.size > 0 ? 422 : (result?.status ?? 200) },
  );
}

/** What is shown after a failed run; the form keeps what was entered. */
function failedRun(error: unknown): { readonly failure: string; readonly body: Html; readonly status: number } {
  if (!(error instanceof Fault)) throw error;
  return { failure: error.text, body: NOTHING, status: error.status };
}

function promptForm({ token }: Visit, query: Query, entries: Entries): Html {
  const isSecret = isSensitive(query);
  const downloads = FORMATS.map(
    ({ format, text }) =>
      html`<button class="plain" name="format" value="${format}" formaction="${address(`${pathTo('queries', query.id)}/download`)}">${text}</button>`,
  );
  return html`<form id="${FORM}" class="form" method="${isSecret ? 'post' : 'get'}" action="${address(runPath(query))}">${
    isSecret ? html`<input type="hidden" name="token" value="${token}">` : NOTHING
  }
${query.prompts.length === 0 ? NOTHING : entryFields(query.prompts, entries)}
<div class="submits"><button class="primary" name="show" value="rows">Run</button><button class="plain" name="show" value="plan">Show the plan</button></div>
<div class="submits" role="group" aria-label="Downloads"><span class="faint">Download</span>${downloads}</div></form>`;
}

const fieldsOf = (title: string): readonly Column<Field>[] => [
  { title, cell: ({ name }) => name },
  { title: 'Type', cell: ({ type }) => typeWords(type) },
  { title: 'Description', kind: 'wide', cell: ({ description }) => description },
];

function definitionOf(visit: Visit, query: Query): Html {
  const { ports } = visit;
  const { limits } = ports.registry.gateway;
  const { permissions, at, owner, children } = query;
  return html`${section(
    'Definition',
    facts([
      ['Database', query.datasource?.id ?? 'the gateway’s own'],
      ['Most rows', number(query.rows ?? limits.rows)],
      ['Time limit', duration(query.timeout ?? limits.timeout)],
      ['Nested below its rows', children.map((each) => each.query.id).join(', ')],
      ['Permission lists', query.public ? 'public' : permissions.map(({ id }) => id).join(', ')],
      ['Defined in', owner === undefined ? `${at.file}:${at.line}` : `a private query of ${owner}`],
    ]),
  )}
${code(query.sql, `SQL of ${query.id}`)}
${visit.may('payload') ? NOTHING : table('Prompts', fieldsOf('Prompt'), query.prompts, { empty: 'It has no prompts.' })}
${table('Columns', fieldsOf('Column'), query.columns, { empty: 'It has no columns.' })}`;
}

/** Prompts are in the address, unless one of them is sensitive: then they must be posted. */
function refuseAddress(query: Query, { query: given }: Visit): void {
  if (isSensitive(query) && given.size > 0)
    throw Fault.of('BAD_PARAMETER', {
      name: `Query ${query.id}`,
      reason: 'has a sensitive prompt, which no address may hold',
    });
}

export const queriesArea: Area = {
  id: 'queries',
  title: 'Queries',
  path: '/queries',
  grant: 'read',
  routes: [
    pageRoute('/queries', list),
    pageRoute('/queries/:query', async (visit) => {
      if (visit.query.has('show')) refuseAddress(await queryOf(visit), visit);
      return show(visit, visit.query);
    }),
    actionRoute(
      '/queries/:query/run',
      'query.run',
      (visit) => show(visit, new URLSearchParams([...visit.query, ...visit.form])),
      'payload',
    ),
    pageRoute(
      '/queries/:query/download',
      async (visit) => {
        const query = await queryOf(visit);
        refuseAddress(query, visit);
        return download(visit, query, visit.query);
      },
      'payload',
    ),
    actionRoute(
      '/queries/:query/download',
      'query.download',
      async (visit) => download(visit, await queryOf(visit), visit.form),
      'payload',
    ),
  ],
};

async function download(visit: Visit, query: Query, given: URLSearchParams): Promise<Reply> {
  const entries = readEntries(query.prompts, given);
  // The page shows the problems.
  if (entries.problems.size === 0) return sendResult(visit, query, entries, given.get('format') ?? '');
  return show(visit, new URLSearchParams([...given, ['show', 'rows']]));
}
