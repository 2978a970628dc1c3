import type { Fault } from '../model/fault.ts';
import { type Field, isCollection } from '../model/field.ts';
import type { OddValues, PageColumn, Query, QueryLink, QueryPage } from '../model/query.ts';
import { type ScalarKind, traitsOf } from '../model/scalar.ts';
import type { Engine } from '../model/scalar-traits.ts';

/** A column of a plan: how to find it in the result, and its name in each format. */
export interface PlanColumn {
  readonly name: string;
  readonly jsonName: string;
  readonly xmlName: string;
  /** The column's description; if `undefined`, its name is shown. */
  readonly heading?: string;
  readonly kind: ScalarKind;
  /** Characters of a `string(n)`, or total digits of a `decimal(p.s)`. */
  readonly length?: number;
  /** Digits after the decimal point of a `decimal(p.s)`. */
  readonly scale?: number;
  readonly attribute: boolean;
  readonly namespace?: string;
  /** In a document, an SQL NULL is written as the type's blank instead of being omitted. */
  readonly blank: boolean;
  /** What becomes of values that the type has not, such as `infinity`; without it, they are an error. */
  readonly odd?: OddValues;
  /** In a document, an SQL NULL is null (nil in XML) instead of being omitted. */
  readonly nullable?: true;
}

/** A column of a plan, found in a result. */
export interface ResultColumn extends PlanColumn {
  /** Its index in the rows of the statement. */
  readonly at: number;
}

/** Everything needed to run a query; sent between processes as JSON. */
export interface Plan {
  /** Identifies the plan between the gateway and its readers. */
  readonly id: number;
  /** The query's id. */
  readonly name: string;
  /** With the engine's placeholders in place of prompts. */
  readonly sql: string;
  readonly columns: readonly PlanColumn[];
  /** The prompts that the placeholders stand for, in their order. */
  readonly parameters: readonly Parameter[];
  /** The queries whose rows are nested under its rows when it is run as a connected query. */
  readonly children: readonly PlanLink[];
  /** Its rows are the database's plan for the statement, which is not run. */
  readonly explains?: true;
  /** A user saved it; its error messages are returned to that user. */
  readonly isPrivate?: true;
}

/** The value that a placeholder represents. */
export interface Parameter {
  /** The prompt's name; empty for a key of a connected query. */
  readonly name: string;
  readonly kind: ScalarKind;
}

/** A child of a connected query. */
export interface PlanLink {
  readonly plan: Plan;
  /** Indices of the columns whose values must be equal. */
  readonly on: readonly { readonly parent: number; readonly child: number }[];
  /** Row cap under one row of the parent, if it has its own. */
  readonly rows?: number;
}

/** Compiles a query; `id` must be unique within a runner. */
export function planOf(query: Query, id: number, dialect: Dialect): Plan {
  const { sql, parameters } = statementOf(query, dialect);
  return {
    id,
    name: query.id,
    sql,
    columns: columnsOf(query),
    parameters: parameters.map(({ name, type }) => ({ name, kind: type.kind as ScalarKind })),
    children: query.children.map((link) => linkOf(query, link, dialect)),
    ...(query.explains && { explains: true }),
    ...(query.owner === undefined ? {} : ({ isPrivate: true } as const)),
  };
}

function linkOf(parent: Query, { query, on }: QueryLink, dialect: Dialect): PlanLink {
  return {
    plan: planOf(query, 0, dialect),
    on: on.map((pair) => ({ parent: parent.columns.indexOf(pair.parent), child: query.columns.indexOf(pair.child) })),
    ...(query.rows === undefined ? {} : { rows: query.rows }),
  };
}

/** The columns of a query's plan. */
export function columnsOf({
  columns,
  infinity,
  datasource,
}: Pick<Query, 'columns' | 'infinity' | 'datasource'>): PlanColumn[] {
  const odd = infinity ?? datasource?.infinity;
  return columns.map((column) => ({ ...columnOf(column), ...(odd === undefined ? {} : { odd }) }));
}

function columnOf(field: Field): PlanColumn {
  const type = field.type;
  if (isCollection(type) || type.kind === 'document') throw new TypeError(`column ${field.name} is not a single value`);
  return {
    name: field.name,
    jsonName: field.jsonName,
    xmlName: field.xmlName,
    ...(field.description === undefined ? {} : { heading: field.description }),
    kind: type.kind,
    ...(type.length === undefined ? {} : { length: type.length }),
    ...(type.scale === undefined ? {} : { scale: type.scale }),
    attribute: field.attribute,
    ...(field.namespace === undefined ? {} : { namespace: field.namespace }),
    blank: field.absent === 'blank',
    ...(field.nullable ? { nullable: true } : {}),
  };
}

/** How an engine's SQL is written. */
export interface Dialect {
  readonly engine: Engine;
  /** A prompt that occurs several times is a single parameter instead of one for each occurrence. */
  readonly numbered: boolean;
  /** The placeholder of a parameter, counted from 1, whose prompt has this SQL type; without one, it is not cast. */
  placeholder(number: number, type: string | undefined): string;
  /** How pages are read. */
  readonly pages: PageDialect;
  /** How the plan of a statement is asked for; `undefined` if it can't be. */
  readonly explain?: {
    /** What stands before the statement. */
    readonly before: string;
    /** Columns of the result: the text of a line, then its id and that of the line above it, if lines have ids. */
    readonly columns: readonly { readonly name: string; readonly kind: 'text' | 'integer' }[];
  };
  /** Compiles the encoding of a prompt's values, as texts, before they are bound. */
  encode(kind: ScalarKind, context: EncodeContext): Encode;
}

interface EncodeContext {
  /** IANA zone of datetimes stored without an offset. */
  readonly timezone: string;
  /** Creates the fault for a value that the database can't store. */
  readonly refuse: (reason: string) => Fault;
}

/** @throws Fault for a value that the database can't store */
export type Encode = (text: string) => string;

/** Why an integer is refused that a database would round, or bring within 64 bits. */
export const BEYOND_DATABASE = 'is beyond the integers that the database holds';

/** The SQL type of a prompt; `undefined` when a value of its type can't be bound. */
export function castType(prompt: Field, engine: Engine): string | undefined {
  return traitsOf(prompt.type)?.sql.cast[engine];
}

/** The places of rows in an order, in the dialect of an engine. */
export interface PageDialect {
  quote(column: string): string;
  /** Whether NULL comes before all values in ascending order, and after them in descending order; or the other way round. */
  readonly nullsFirst: boolean;
  /** A column's value as a text that {@link PageDialect.value} reads without loss. */
  text(column: string): string;
  /** The value of such a text, compared as the database orders the column. @param bind a placeholder for the text */
  value(bind: (type: string | undefined) => string, kind: ScalarKind): string;
}

/** The prefix of columns with the texts of the values that a page is ordered by. */
export const PLACE_COLUMN = 'signalbox_place_';

/**
 * The statement of a page: the stored query inside, with conditions and an order around it. Rows are compared by the engine, so
 * that the place behind a row is the one that its own order gives it, whatever the types and collations of its columns are.
 */
function pageStatement(query: Query, { filter, order, after, most }: QueryPage, dialect: Dialect): Statement {
  const { pages, numbered } = dialect;
  const inner = ownStatement(query, dialect);
  const parameters = [...inner.parameters];
  const bind = (prompt: Field, type: string | undefined): string => {
    const known = numbered ? parameters.indexOf(prompt) : -1;
    if (known < 0) parameters.push(prompt);
    return dialect.placeholder(known < 0 ? parameters.length : known + 1, type);
  };
  const nameOf = ({ name }: Field): string => `signalbox_page.${pages.quote(name)}`;
  const boundTo = (place: Field | '', { type }: Field): string =>
    place === '' ? "''" : pages.value((cast) => bind(place, cast), type.kind as ScalarKind);
  const isBehind = ({ column, descending }: PageColumn, place: Field | null | ''): string => {
    const name = nameOf(column);
    const nullsLast = pages.nullsFirst === descending;
    if (place === null) return nullsLast ? '1 = 0' : `${name} is not null`;
    const isFurther = `${name} ${descending ? '<' : '>'} ${boundTo(place, column)}`;
    return nullsLast && !column.required ? `(${isFurther} or ${name} is null)` : isFurther;
  };
  const isEqual = ({ column }: PageColumn, place: Field | null | ''): string =>
    place === null ? `${nameOf(column)} is null` : `${nameOf(column)} = ${boundTo(place, column)}`;
  const places = order.map(({ column }, index) => `${pages.text(nameOf(column))} as ${PLACE_COLUMN}${index}`);
  const head = order.length === 0 ? 'count(*) as total' : ['signalbox_page.*', ...places].join(', ');
  const filters = filter.map(
    ({ column, prompt }) => `${nameOf(column)} = ${bind(prompt, castType(prompt, dialect.engine))}`,
  );
  const behind = (after ?? []).map((place, index) => {
    const same = order.slice(0, index).map((each, before) => isEqual(each, after?.[before] ?? null));
    return `(${[...same, isBehind(order[index]!, place)].join(' and ')})`;
  });
  const conditions = [...filters, ...(behind.length === 0 ? [] : [`(${behind.join(' or ')})`])];
  const where = conditions.length === 0 ? '' : ` where ${conditions.join(' and ')}`;
  const sorted = order.map(({ column, descending }) => `${nameOf(column)}${descending ? ' desc' : ''}`).join(', ');
  const tail = order.length === 0 ? '' : ` order by ${sorted} limit ${most}`;
  return { sql: `select ${head} from (\n${inner.sql}\n) as signalbox_page${where}${tail}`, parameters };
}

/** A query in the dialect of an engine. Values are never part of the text. */
interface Statement {
  readonly sql: string;
  /** The prompts that its placeholders stand for, in their order. */
  readonly parameters: readonly Field[];
}

/** Writes a query in the dialect of an engine. */
export function statementOf(query: Query, dialect: Dialect): Statement {
  return query.page === undefined ? ownStatement(query, dialect) : pageStatement(query, query.page, dialect);
}

function ownStatement(query: Query, dialect: Dialect): Statement {
  const { texts, prompts } = query.statement;
  const parameters = dialect.numbered ? [...new Set(prompts)] : prompts;
  let sql = texts[0] ?? '';
  for (const [index, prompt] of prompts.entries()) {
    sql += `${placeholder(prompt, parameters, dialect)}${texts[index + 1] ?? ''}`;
  }
  return { sql, parameters };
}

function placeholder(prompt: Field, parameters: readonly Field[], dialect: Dialect): string {
  return dialect.placeholder(parameters.indexOf(prompt) + 1, castType(prompt, dialect.engine) ?? 'text');
}

/** The offset in the declared SQL of a character in an engine's statement. */
export function declaredOffset(query: Query, dialect: Dialect, offset: number): number {
  const { texts, prompts } = query.statement;
  const { parameters } = statementOf(query, dialect);
  let written = 0;
  let declared = 0;
  for (const [index, text] of texts.entries()) {
    const prompt = prompts[index];
    if (prompt === undefined || offset < written + text.length) return declared + Math.max(0, offset - written);
    written += text.length;
    declared += text.length;
    const length = placeholder(prompt, parameters, dialect).length;
    if (offset < written + length) return declared;
    written += length;
    declared += 1 + prompt.name.length;
  }
  return declared;
}
