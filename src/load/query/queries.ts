import type { Field } from '../../model/field.ts';
import { type Datasource, type Query, type QueryLink, sqlDialectOf } from '../../model/query.ts';
import { traitsOf } from '../../model/scalar.ts';
import { type SqlDialect, type SqlToken, scanSql } from '../../wire/sql.ts';
import { type Place, positionOf } from '../diagnostic/diagnostic.ts';
import { linkSingleValues } from '../document/field.ts';
import type { DocumentSource } from '../document/field-type.ts';
import { byId, declarationsOf, type Linking, resolveId, resolveKey } from '../linking.ts';
import { eachOnce, given } from '../object.ts';
import type { Declaration } from '../read/declaration.ts';
import { linkInfinity } from '../schema/json-schema.ts';
import type { QueryDeclared } from '../schema/query.ts';
import { type GrantSources, linkThingGrants } from '../security/grants.ts';
import { linkDuration } from '../value/units.ts';

/** Links every stored query. */
export function linkQueries(
  source: DocumentSource,
  grants: GrantSources,
  datasources: ReadonlyMap<string, Datasource>,
): Map<string, Query> {
  const queries = declarationsOf<QueryDeclared>(source.linking, 'query').map((each) =>
    linkQuery(source, each, grants, datasources),
  );
  linkConnects(source.linking, queries);
  return byId(queries);
}

function linkQuery(
  source: DocumentSource,
  declaration: Declaration<QueryDeclared>,
  grants: GrantSources,
  datasources: ReadonlyMap<string, Datasource>,
): Query {
  const { linking } = source;
  const { report, places } = linking;
  const { id, value, at } = declaration;
  const prompts = linkSingleValues(source, id, 'prompt', value.prompts);
  const columns = linkSingleValues(source, id, 'column', value.columns);
  if (Object.keys(value.columns).length === 0 && !linking.doubt.about(value, 'columns')) {
    report.raise('no-columns', { query: id }, places.key(value, 'columns'));
  }
  checkColumnNames(linking, value.columns, columns);
  const datasource = resolveKey(linking, 'datasource', datasources, value, 'datasource');
  return {
    id,
    sql: value.sql,
    statement: linkStatement(linking, declaration, prompts, sqlDialectOf(datasource?.engine)),
    prompts,
    columns,
    children: [],
    ...linkThingGrants(linking, grants, declaration, 'query'),
    ...given({
      description: value.description,
      rows: value.rows,
      timeout: linkDuration(linking, value, 'timeout'),
      csv: value.csv,
      infinity: linkInfinity(value.infinity),
      datasource,
    }),
    at: positionOf(at),
    sqlAt: positionOf(places.inText(value, 'sql', 0, 1)),
  };
}

/** Columns are found in the result by name, regardless of letter case. */
function checkColumnNames({ report, places }: Linking, container: object, columns: readonly Field[]): void {
  eachOnce(
    columns,
    ({ name }) => name.toLowerCase(),
    ({ name }, { name: other }) =>
      report.raise('duplicate-name', { name, where: 'the result', other }, places.key(container, name)),
  );
}

/** Splits the SQL at its prompts, and checks that it is one SELECT with known prompts. */
function linkStatement(
  linking: Linking,
  declaration: Declaration<QueryDeclared>,
  prompts: readonly Field[],
  dialect: SqlDialect,
): Query['statement'] {
  const { report, places } = linking;
  const { value } = declaration;
  const { sql } = value;
  const complete = prompts.length === Object.keys(value.prompts ?? {}).length && !linking.doubt.about(value, 'prompts');
  const placed = (offset: number, length: number): Place => places.inText(value, 'sql', offset, length);
  const tokens = scanSql(sql, dialect);
  const open = tokens.find((token) => token.kind === 'unterminated');
  if (open !== undefined) report.raise('sql-unterminated', { what: open.what }, placed(open.offset, 1));
  else checkSelect(tokens, sql, linking, placed);
  const written = withOperators(sql, tokens);
  const operator = tokens.find((token) => token.kind === 'operator')?.offset;
  const texts: string[] = [];
  const named: Field[] = [];
  const byName = new Map(prompts.map((field) => [field.name, field]));
  let from = 0;
  let unknown = tokens.some((token) => token.kind === 'foreign');
  let told = 0;
  for (const token of tokens) {
    if (token.kind === 'foreign' && ++told <= MOST_TOLD) {
      const known = [...byName.keys()];
      report.raise('foreign-placeholder', { text: token.text, known }, placed(token.offset, token.text.length));
    }
    if (token.kind === 'executable' && ++told <= MOST_TOLD) {
      report.raise('sql-executable-comment', {}, placed(token.offset, token.text.length));
    }
    if (token.kind !== 'prompt') continue;
    const field = byName.get(token.name);
    if (field === undefined) {
      unknown = true;
      if (++told > MOST_TOLD) continue;
      const at = placed(token.offset, token.end - token.offset);
      if (complete) report.raise('unknown-prompt', { prompt: token.name, known: [...byName.keys()] }, at);
      continue;
    }
    texts.push(written.slice(from, token.offset));
    named.push(field);
    from = token.end;
  }
  const end = tokens.find((token) => token.kind === 'semicolon')?.offset ?? sql.length;
  texts.push(written.slice(from, Math.max(from, end)).trimEnd());
  // A prompt that is misspelled in the SQL is not also reported as unused.
  if (open === undefined && complete && !unknown) {
    for (const { name } of prompts) {
      if (!named.some((field) => field.name === name)) {
        const asText = sql.includes(`:${name}`);
        report.raise('unused-prompt', { prompt: name, asText }, places.key(value.prompts as object, name));
      }
    }
  }
  return { texts, prompts: named, ...(operator === undefined ? {} : { operator }) };
}

/** The SQL with `??` as the database reads it, `?`. A blank keeps all offsets. */
function withOperators(sql: string, tokens: readonly SqlToken[]): string {
  const parts: string[] = [];
  let from = 0;
  for (const token of tokens) {
    if (token.kind !== 'operator') continue;
    parts.push(sql.slice(from, token.offset), token.text.slice(1), ' ');
    from = token.offset + token.text.length;
  }
  return `${parts.join('')}${sql.slice(from)}`;
}

/** Maximum number of reported errors of one statement: finding a place searches the whole text, and callers can send SQL. */
const MOST_TOLD = 100;

const WRITES = new Set(['insert', 'update', 'delete', 'merge', 'replace']);

type Placed = (offset: number, length: number) => Place;

function checkSelect(tokens: readonly SqlToken[], sql: string, { report }: Linking, placed: Placed): void {
  const end = tokens.findIndex((token) => token.kind === 'semicolon');
  const statement = end < 0 ? tokens : tokens.slice(0, end);
  const behind = end < 0 ? undefined : tokens.slice(end + 1).find((token) => token.kind !== 'semicolon');
  const wordAt = (offset: number): string => /^\S*/.exec(sql.slice(offset, offset + 100))?.[0] ?? '';
  if (behind !== undefined) {
    const word = wordAt(behind.offset);
    report.raise('sql-many-statements', { word }, placed(behind.offset, word.length));
    return;
  }
  const [first] = statement;
  if (first === undefined) {
    report.raise('sql-not-select', { word: '' }, placed(0, 1));
    return;
  }
  const lower = (token: { readonly text: string }): string => token.text.toLowerCase();
  const start = first.kind === 'word' ? lower(first) : '';
  if (start !== 'select' && start !== 'with') {
    const word = wordAt(first.offset);
    report.raise('sql-not-select', { word }, placed(first.offset, word.length));
    return;
  }
  // WITH: the main statement decides, but PostgreSQL also allows writes in the parts before it.
  const writes = statement
    .filter((token) => token.kind === 'word')
    .find(
      (token) =>
        WRITES.has(lower(token)) &&
        !calls(token, sql) &&
        (token.first || (start === 'with' && token.depth === 0 && leads(token, sql))),
    );
  if (writes !== undefined)
    report.raise('sql-not-select', { word: writes.text }, placed(writes.offset, writes.text.length));
}

/** A word that is the name of a function, as in `upper(replace(name, 'a', 'b'))`. */
function calls({ offset, text }: { readonly offset: number; readonly text: string }, sql: string): boolean {
  return sql
    .slice(offset + text.length)
    .trimStart()
    .startsWith('(');
}

/** A word that begins the main statement of a WITH, directly after the parenthesis of the last part. */
function leads(token: { readonly offset: number }, sql: string): boolean {
  return sql.slice(0, token.offset).trimEnd().endsWith(')');
}

/** Maximum number of nested queries, including the outermost, and of all queries below one. */
const MOST_LEVELS = 10;
const MOST_MEMBERS = 100;

/** Input of the checks of one definition. */
interface Parent {
  readonly linking: Linking;
  readonly query: Query;
  readonly connects: NonNullable<QueryDeclared['connects']>;
}

/** Links the children of connected queries, once all queries are linked. */
function linkConnects(linking: Linking, queries: readonly Query[]): void {
  const byName = new Map(queries.map((query) => [query.id, query]));
  const parents = declarationsOf<QueryDeclared>(linking, 'query').flatMap(({ id, value }): Parent[] => {
    const query = byName.get(id);
    return query === undefined || value.connects === undefined ? [] : [{ linking, query, connects: value.connects }];
  });
  for (const parent of parents) {
    const links = Object.keys(parent.connects).flatMap((id) => linkChild(parent, byName, id) ?? []);
    // A query exists before its children, which may also be its parents until circles are removed.
    (parent.query.children as QueryLink[]).push(...links);
  }
  for (const parent of parents) cutCircles(parent);
  const sizes = new Map<Query, Size>();
  for (const parent of parents) checkSize(parent, sizes);
}

function linkChild(
  { linking, query: parent, connects }: Parent,
  queries: ReadonlyMap<string, Query>,
  id: string,
): QueryLink | undefined {
  const { report, places } = linking;
  const at = places.key(connects, id);
  const query = resolveId(linking, 'query', queries, id, at);
  if (query === undefined) return undefined;
  if (query.datasource?.id !== parent.datasource?.id) {
    report.raise('connected-datasource', { parent: parent.id, child: id }, at);
  }
  if (parent.public && !query.public) report.raise('connected-not-public', { parent: parent.id, child: id }, at);
  const column = parent.columns.find((each) => each.name === id);
  if (column !== undefined) report.raise('duplicate-name', { name: id, where: 'the rows', other: column.name }, at);
  const declared = connects[id] ?? {};
  const on = Object.keys(declared).flatMap((name) => {
    const child = columnOf(linking, query, name, places.key(declared, name));
    const other = columnOf(linking, parent, declared[name] ?? '', places.value(declared, name));
    if (child === undefined || other === undefined) return [];
    const reason = differenceOf(child, other);
    if (reason === undefined) return { parent: other, child };
    report.raise('connected-types', { reason }, places.key(declared, name));
    return [];
  });
  return on.length === 0 ? undefined : { query, on };
}

function columnOf(
  linking: Linking,
  query: Query,
  name: string,
  at: Parameters<Linking['report']['raise']>[2],
): Field | undefined {
  const found = query.columns.find((column) => column.name === name);
  const declared = declarationsOf<QueryDeclared>(linking, 'query').find(({ id }) => id === query.id)?.value;
  const complete =
    declared !== undefined &&
    Object.keys(declared.columns).length === query.columns.length &&
    !linking.doubt.about(declared, 'columns');
  if (found === undefined && complete) {
    const known = query.columns.map((column) => column.name);
    linking.report.raise('unknown-column', { column: name, query: query.id, known }, at);
  }
  return found;
}

function differenceOf(child: Field, parent: Field): string | undefined {
  const one = traitsOf(child.type)?.sql.comparedAs;
  const other = traitsOf(parent.type)?.sql.comparedAs;
  if (one === undefined) return `${child.name} is ${child.type.kind}, which can't be compared`;
  return one === other ? undefined : `${child.name} is ${child.type.kind}, but ${parent.name} is ${parent.type.kind}`;
}

/** Refuses and removes every link that leads back to its own query. */
function cutCircles({ linking: { report, places }, query, connects }: Parent): void {
  const children = query.children as QueryLink[];
  for (const link of [...children]) {
    const way = wayTo(query, link.query, new Set());
    if (way === undefined) continue;
    const circle = [query.id, ...way].join(' > ');
    report.raise('connected-circle', { circle }, places.key(connects, link.query.id));
    children.splice(children.indexOf(link), 1);
  }
}

/** Ids of the queries from one down to another, both included. */
function wayTo(wanted: Query, from: Query, seen: Set<Query>): string[] | undefined {
  if (from === wanted) return [from.id];
  if (seen.has(from)) return undefined;
  seen.add(from);
  for (const { query } of from.children) {
    const way = wayTo(wanted, query, seen);
    if (way !== undefined) return [from.id, ...way];
  }
  return undefined;
}

interface Size {
  readonly levels: number;
  /** Number of queries below it, counting repetitions. */
  readonly members: number;
}

/** Only the innermost query that exceeds a limit is reported, not those above it. */
function checkSize({ linking: { report, places }, query, connects }: Parent, known: Map<Query, Size>): void {
  const { levels, members } = sizeOf(query, known);
  const below = query.children.map((link) => sizeOf(link.query, known));
  const at = places.key(connects, query.children[0]?.query.id ?? '');
  if (levels > MOST_LEVELS && below.every((size) => size.levels <= MOST_LEVELS)) {
    report.raise('connected-too-large', { query: query.id, count: levels, what: 'levels', most: MOST_LEVELS }, at);
  } else if (members > MOST_MEMBERS && below.every((size) => size.members <= MOST_MEMBERS)) {
    report.raise('connected-too-large', { query: query.id, count: members, what: 'queries', most: MOST_MEMBERS }, at);
  }
}

function sizeOf(query: Query, known: Map<Query, Size>): Size {
  const found = known.get(query);
  if (found !== undefined) return found;
  const below = query.children.map((link) => sizeOf(link.query, known));
  const size = {
    levels: 1 + Math.max(0, ...below.map((each) => each.levels)),
    members: below.reduce((sum, each) => sum + 1 + each.members, 0),
  };
  known.set(query, size);
  return size;
}
