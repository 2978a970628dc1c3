import type { Field } from '../model/field.ts';
import type { Query, QueryLink } from '../model/query.ts';
import { type ScalarKind, traitsOf } from '../model/scalar.ts';
import type { Engine } from '../model/scalar-traits.ts';

/** One column of a plan: how it is found in the result, and what it is called in each format. */
export interface PlanColumn {
  readonly name: string;
  readonly jsonName: string;
  readonly xmlName: string;
  /** The column's description; its name where undefined. */
  readonly heading?: string;
  readonly kind: ScalarKind;
  /** Characters of a `string(n)`, digits in all of a `decimal(p.s)`. */
  readonly length?: number;
  /** Digits after the point of a `decimal(p.s)`. */
  readonly scale?: number;
  readonly attribute: boolean;
  readonly namespace?: string;
  /** An SQL NULL is written as the type's blank in a document rather than left out. */
  readonly blank: boolean;
}

/** A column of a plan, found in a result. */
export interface ResultColumn extends PlanColumn {
  /** Its index in the rows of the statement. */
  readonly at: number;
}

/** What is needed to run a query; crosses between the processes as JSON. */
export interface Plan {
  /** Names the plan between those who run it. */
  readonly id: number;
  /** The query's id. */
  readonly name: string;
  /** With `cast(? as type)` or `cast($1 as type)` in place of prompts. */
  readonly sql: string;
  readonly columns: readonly PlanColumn[];
  /** Names of the prompts that the placeholders stand for, in their order. */
  readonly prompts: readonly string[];
  /** What stands under its rows where it is run as a connected query. */
  readonly children: readonly PlanLink[];
  /** A user has saved it, and gets to know why it fails. */
  readonly isPrivate?: true;
}

/** A child of a connected query. */
export interface PlanLink {
  readonly plan: Plan;
  /** Places, among the columns of both, of the values that are equal. */
  readonly on: readonly { readonly parent: number; readonly child: number }[];
  /** Most of its rows under one row of the parent, where it has a cap of its own. */
  readonly rows?: number;
}

/** Compiles a query; `id` is unique among those that the same runner is given. */
export function planOf(query: Query, id: number, engine: Engine = 'sqlite'): Plan {
  const { sql, parameters } = statementOf(query, engine);
  const prompts = parameters.map((prompt) => prompt.name);
  const children = query.children.map((link) => linkOf(query, link, engine));
  const owned = query.owner === undefined ? {} : ({ isPrivate: true } as const);
  return { id, name: query.id, sql, columns: query.columns.map(columnOf), prompts, children, ...owned };
}

function linkOf(parent: Query, { query, on }: QueryLink, engine: Engine): PlanLink {
  return {
    plan: planOf(query, 0, engine),
    on: on.map((pair) => ({ parent: parent.columns.indexOf(pair.parent), child: query.columns.indexOf(pair.child) })),
    ...(query.rows === undefined ? {} : { rows: query.rows }),
  };
}

function columnOf(field: Field): PlanColumn {
  const type = field.type;
  if (type.kind === 'list' || type.kind === 'document')
    throw new TypeError(`column ${field.name} is not a single value`);
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
  };
}

export type { Engine };

/** The SQL type of a prompt; `undefined` when a value of its type can't be bound. */
export function castType(prompt: Field, engine: Engine): string | undefined {
  return traitsOf(prompt.type)?.sql.cast[engine];
}

/** A query in the words of an engine. Values are never part of it. */
interface Statement {
  readonly sql: string;
  /** The prompts that its placeholders stand for, in their order. */
  readonly parameters: readonly Field[];
}

/** Writes a query for an engine: SQLite has a placeholder for each occurrence of a prompt, PostgreSQL a number for each prompt. */
export function statementOf(query: Query, engine: Engine): Statement {
  const { texts, prompts } = query.statement;
  const parameters = engine === 'postgres' ? [...new Set(prompts)] : prompts;
  let sql = texts[0] ?? '';
  for (const [index, prompt] of prompts.entries()) {
    sql += `${placeholder(prompt, parameters, engine)}${texts[index + 1] ?? ''}`;
  }
  return { sql, parameters };
}

function placeholder(prompt: Field, parameters: readonly Field[], engine: Engine): string {
  const sign = engine === 'postgres' ? `$${parameters.indexOf(prompt) + 1}` : '?';
  return `cast(${sign} as ${castType(prompt, engine) ?? 'text'})`;
}

/** Where a character of an engine's statement stands in the SQL as it is declared. */
export function declaredOffset(query: Query, engine: Engine, offset: number): number {
  const { texts, prompts } = query.statement;
  const { parameters } = statementOf(query, engine);
  let written = 0;
  let declared = 0;
  for (const [index, text] of texts.entries()) {
    const prompt = prompts[index];
    if (prompt === undefined || offset < written + text.length) return declared + Math.max(0, offset - written);
    written += text.length;
    declared += text.length;
    const length = placeholder(prompt, parameters, engine).length;
    if (offset < written + length) return declared;
    written += length;
    declared += 1 + prompt.name.length;
  }
  return declared;
}
