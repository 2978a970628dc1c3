import type { Field, ScalarKind } from '../model/field.ts';
import type { Query } from '../model/query.ts';

/** One column of a plan: how it is found in the result, and what it is called in each format. */
export interface PlanColumn {
  readonly name: string;
  readonly jsonName: string;
  readonly xmlName: string;
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

/** What a reader needs to run a query; crosses between the processes as JSON. */
export interface Plan {
  /** Names the plan between a pool and its readers. */
  readonly id: number;
  /** The query's id. */
  readonly name: string;
  /** With one `cast(? as type)` for each occurrence of a prompt. */
  readonly sql: string;
  readonly columns: readonly PlanColumn[];
}

/** SQL type that a prompt of a kind is cast to, so that an absent one is a NULL of that type; undefined where a kind can be no prompt. */
const castTypes: Readonly<Partial<Record<ScalarKind, string>>> = {
  string: 'text',
  text: 'text',
  flag: 'text',
  date: 'text',
  time: 'text',
  datetime: 'text',
  json: 'text',
  xml: 'text',
  integer: 'integer',
  boolean: 'integer',
  decimal: 'numeric',
};

/** The SQL type of a prompt; undefined where its type can be no prompt. */
export function castType(prompt: Field): string | undefined {
  const type = prompt.type;
  return type.kind === 'list' || type.kind === 'document' ? undefined : castTypes[type.kind];
}

/** The statement with a placeholder for each occurrence of a prompt. Values are never part of it. */
function statementText(query: Query): string {
  const { texts, prompts } = query.statement;
  let sql = texts[0] ?? '';
  for (const [index, prompt] of prompts.entries()) {
    sql += `cast(? as ${castType(prompt) ?? 'text'})${texts[index + 1] ?? ''}`;
  }
  return sql;
}

/** Compiles a query; `id` is unique in the pool that will run it. */
export function planOf(query: Query, id: number): Plan {
  return { id, name: query.id, sql: statementText(query), columns: query.columns.map(columnOf) };
}

function columnOf(field: Field): PlanColumn {
  const type = field.type;
  if (type.kind === 'list' || type.kind === 'document')
    throw new TypeError(`column ${field.name} is not a single value`);
  return {
    name: field.name,
    jsonName: field.jsonName,
    xmlName: field.xmlName,
    kind: type.kind,
    ...(type.length === undefined ? {} : { length: type.length }),
    ...(type.scale === undefined ? {} : { scale: type.scale }),
    attribute: field.attribute,
    ...(field.namespace === undefined ? {} : { namespace: field.namespace }),
    blank: field.absent === 'blank',
  };
}
