import type { Field } from '../../model/field.ts';
import type { Query, QueryLink } from '../../model/query.ts';
import { traitsOf } from '../../model/scalar.ts';
import { declarationsOf, type Linking, resolveId } from '../linking.ts';
import type { QueryDeclared } from '../schema/query.ts';

/** Queries that may stand one under the other, the outermost included, and in all under one. */
const MOST_LEVELS = 10;
const MOST_MEMBERS = 100;

/** What the checks of one definition work with. */
interface Parent {
  readonly linking: Linking;
  readonly query: Query;
  readonly connects: NonNullable<QueryDeclared['connects']>;
}

/** Links the children of connected queries, when all queries are there. */
export function linkConnects(linking: Linking, queries: readonly Query[]): void {
  const byName = new Map(queries.map((query) => [query.id, query]));
  const parents = declarationsOf<QueryDeclared>(linking, 'query').flatMap(({ id, value }): Parent[] => {
    const query = byName.get(id);
    return query === undefined || value.connects === undefined ? [] : [{ linking, query, connects: value.connects }];
  });
  for (const parent of parents) {
    const links = Object.keys(parent.connects).flatMap((id) => linkChild(parent, byName, id) ?? []);
    // A query is there before its children, which may be its parents too until they are looked at.
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
  return one === other ? undefined : `${child.name} is ${child.type.kind}, and ${parent.name} is ${parent.type.kind}`;
}

/** Refuses, and takes out, every link that leads back to its own query. */
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
  /** Queries below it, as often as they stand there. */
  readonly members: number;
}

/** Only the query under which it is too much is named, not those that it stands under in turn. */
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
