import { createHash } from 'node:crypto';
import { Fault } from '../model/fault.ts';
import type { Field } from '../model/field.ts';
import { PAGE_VARIABLES, type PageColumn, type Paging, type Query } from '../model/query.ts';
import type { DocumentValue, Row, Value } from '../model/value.ts';
import { PLACE_COLUMN } from './plan.ts';
import type { QueryPort, RowsCall } from './query-port.ts';

/** A page of a list. */
export interface Page {
  readonly rows: readonly Row[];
  /** The cursor of the next page; absent on the last one. */
  readonly next?: string;
  /** Rows of all pages, if the caller asked for their number. */
  readonly total?: number;
}

/** The list that pages are of: the order, and the values that its rows were selected by. */
interface List {
  readonly order: readonly PageColumn[];
  readonly filter: readonly Field[];
  /** Identifies the list: a cursor of another one has no place in it. */
  readonly mark: string;
}

/** Most characters of a cursor. Values of columns that are longer than that are not for ordering pages. */
const LONGEST_CURSOR = 16_384;

/** Compiled pages that are kept: a caller chooses sort and filters, and which values of a place are NULL. */
const MOST_KEPT = 64;

/**
 * Compiles the reading of a query in pages.
 * @param scope identifies the operation
 * @returns reads one page; throws Fault BAD_PARAMETER for a cursor that is not of this list, and what the queries throw
 */
export function compilePages(
  query: Query,
  paging: Paging,
  scope: string,
  queries: Pick<QueryPort, 'rows'>,
): (input: DocumentValue, call: Pick<RowsCall, 'signal' | 'caller'>) => Promise<Page> {
  const kept = new Map<string, Query>();
  const keep = (key: string, make: () => Query): Query => {
    const found = kept.get(key) ?? make();
    kept.delete(key);
    kept.set(key, found);
    const [oldest] = kept.keys();
    if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
    return found;
  };
  return async (input, call) => {
    const list = listOf(query, paging, scope, input);
    const filters = list.filter.map(({ name }) => name).join();
    const given = Object.fromEntries([...query.prompts, ...list.filter].map(({ name }) => [name, input[name]]));
    const place = readCursor(input[PAGE_VARIABLES.after], list);
    const wanted = Number(input[PAGE_VARIABLES.limit] ?? paging.limit);
    const shape = place?.map((value) => (value === null ? 'n' : value === '' ? 'e' : 'v')).join('') ?? '';
    const sorted = list.order.map(({ column, descending }) => `${descending ? '-' : ''}${column.name}`).join();
    const page = keep(JSON.stringify([sorted, filters, shape]), () => pageOf(query, paging, list, place));
    const places = place?.map((value, index): [string, Value] => [placeName(index), value]) ?? [];
    const prompts = { ...given, ...Object.fromEntries(places.filter(([, value]) => value !== null && value !== '')) };
    const total =
      input[PAGE_VARIABLES.count] === true
        ? queries.rows({ ...call, query: keep(`#${filters}`, () => countOf(query, list)), prompts: given })
        : undefined;
    const [found, counted] = await Promise.all([
      // One row more tells whether another page follows.
      queries.rows({ ...call, query: page, prompts, maxrows: wanted + 1 }).catch(refusePlace),
      total,
    ]);
    const rows = found.slice(0, wanted);
    const last = found.length > wanted ? rows.at(-1) : undefined;
    return {
      rows: rows.map((row) => Object.fromEntries(query.columns.map(({ name }) => [name, row[name]])) as Row),
      ...(last === undefined ? {} : { next: writeCursor(last, list) }),
      ...(counted === undefined ? {} : { total: Number(counted[0]?.total ?? 0) }),
    };
  };
}

/** A place that the database can't compare with its columns was not written by the gateway. */
function refusePlace(error: unknown): never {
  if (error instanceof Fault && error.code === 'BAD_PARAMETER' && error.message.includes(PLACE_COLUMN))
    throw badCursor(SPOILT);
  throw error;
}

function listOf(query: Query, { order, sort, filter }: Paging, scope: string, input: DocumentValue): List {
  const asked = input[PAGE_VARIABLES.sort];
  const name = typeof asked === 'string' ? asked.replace(/^-/, '') : undefined;
  const first = sort.find((column) => column.name === name);
  const ordered =
    first === undefined
      ? order
      : [
          { column: first, descending: String(asked).startsWith('-') },
          ...order.filter(({ column }) => column.name !== name),
        ];
  const filtered = filter.filter((column) => isGiven(input[column.name]));
  const values = [...query.prompts, ...filtered].map(({ name }) => [
    name,
    isGiven(input[name]) ? textOf(input[name]) : null,
  ]);
  const names = ordered.map(({ column, descending }) => [column.name, descending]);
  return { order: ordered, filter: filtered, mark: digest([scope, names, values]) };
}

/** An empty value counts as absent, as it does in a URI: clients of SOAP send an element for each parameter. */
function isGiven(value: Value): boolean {
  return value !== undefined && value !== null && value !== '';
}

function textOf(value: Value): string | null {
  return value === undefined || value === null ? null : String(value);
}

const placeName = (index: number): string => `${PLACE_COLUMN}${index}`;

/** A field without options. */
export function plainField(name: string, { at }: Query, kind: 'text' | 'integer' = 'text'): Field {
  const options = { required: false, anyCase: false, sensitive: false, attribute: false, absent: 'omit' } as const;
  return { name, jsonName: name, xmlName: name, type: { kind }, ...options, url: 'segment', at };
}

function pageOf(
  query: Query,
  { maximum }: Paging,
  { order, filter }: List,
  place: readonly (string | null)[] | undefined,
): Query {
  const fields = order.map((_, index) => plainField(placeName(index), query));
  const after = place?.map((value, index) => (value === null || value === '' ? value : fields[index]!));
  const most = maximum + 1;
  const filters = filter.map((column) => ({ column, prompt: { ...column, required: false } }));
  return {
    ...query,
    prompts: [...query.prompts, ...filters.map(({ prompt }) => prompt), ...(after === undefined ? [] : fields)],
    // As in a whole list, a row is sent as the database has it.
    columns: [...query.columns.map((column) => ({ ...column, required: false })), ...fields],
    rows: most,
    children: [],
    page: { filter: filters, order, most, ...(after === undefined ? {} : { after }) },
  };
}

function countOf(query: Query, { filter }: List): Query {
  const filters = filter.map((column) => ({ column, prompt: { ...column, required: false } }));
  const total = plainField('total', query, 'integer');
  return {
    ...query,
    prompts: [...query.prompts, ...filters.map(({ prompt }) => prompt)],
    columns: [total],
    rows: 1,
    children: [],
    page: { filter: filters, order: [], most: 1 },
  };
}

/** The first pages of a query, for a check on its database: in every order. */
export function firstPages(query: Query, paging: Paging): Query[] {
  const sorts = [undefined, ...paging.sort.map(({ name }) => name)];
  const all = Object.fromEntries(paging.filter.map(({ name }) => [name, '1']));
  return sorts.map((sort) => {
    const list = listOf(query, paging, '', { ...all, ...(sort === undefined ? {} : { sort }) });
    return pageOf(
      query,
      paging,
      list,
      list.order.map(() => '1'),
    );
  });
}

/**
 * A cursor: the mark of its list, the values of the row that it is behind, and a checksum, as base64url of JSON. It has no values
 * but those that the caller has read, and needs no signature: with other values it is another place in a list that the caller may
 * read. The checksum makes a mistake known.
 */
function writeCursor(row: Row, { order, mark }: List): string {
  const values = order.map((_, index) => textOf(row[placeName(index)]));
  const cursor = Buffer.from(JSON.stringify([mark, values, digest([mark, values])])).toString('base64url');
  if (cursor.length > LONGEST_CURSOR) throw new Error('the values that order a page are too long for a cursor');
  return cursor;
}

const SPOILT = 'is not a cursor that this list has given; take `next` of the page before, unchanged';
const FOREIGN = 'belongs to another list: keep sort, filters and all other values as on the first page';

function badCursor(reason: string): Fault {
  const name = PAGE_VARIABLES.after;
  return Fault.of('BAD_PARAMETER', { name, reason }, { at: { parameter: name } });
}

function readCursor(given: Value, { order, mark }: List): (string | null)[] | undefined {
  if (!isGiven(given)) return undefined;
  const cursor = parseCursor(String(given));
  if (cursor === undefined) throw badCursor(SPOILT);
  if (cursor.mark !== mark || cursor.values.length !== order.length) throw badCursor(FOREIGN);
  return cursor.values;
}

function parseCursor(text: string): { readonly mark: string; readonly values: (string | null)[] } | undefined {
  if (text.length > LONGEST_CURSOR || !/^[\w-]+$/.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64url');
  // There is one way only to write a cursor.
  if (bytes.toString('base64url') !== text) return undefined;
  try {
    const [mark, values, sum, ...more] = JSON.parse(bytes.toString()) as unknown[];
    if (more.length > 0 || typeof mark !== 'string' || !Array.isArray(values) || digest([mark, values]) !== sum)
      return undefined;
    const isText = (each: unknown): boolean => each === null || (typeof each === 'string' && each.isWellFormed());
    return values.every(isText) ? { mark, values } : undefined;
  } catch {
    return undefined;
  }
}

/** 72 bits are enough to tell lists of one operation apart, and to notice a mistake. */
function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 12);
}
