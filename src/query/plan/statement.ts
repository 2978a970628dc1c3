import type { Field, ScalarKind } from '../../model/field.ts';
import type { Query } from '../../model/query.ts';

/** The two ways in which SQL is written and run. */
export type Engine = 'sqlite' | 'postgres';

/**
 * SQL types that prompts are cast to, so that an absent one is a NULL of that type; a kind without one can be no prompt. A
 * bigint is compared with the indexes of all integers, and a timestamptz with those of dates and of timestamps.
 */
const castTypes: Readonly<Record<Engine, Readonly<Partial<Record<ScalarKind, string>>>>> = {
  sqlite: {
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
  },
  postgres: {
    string: 'text',
    text: 'text',
    flag: 'text',
    date: 'date',
    time: 'time',
    datetime: 'timestamptz',
    json: 'jsonb',
    xml: 'text',
    integer: 'bigint',
    boolean: 'boolean',
    decimal: 'numeric',
  },
};

/** The SQL type of a prompt; undefined where its type can be no prompt. */
export function castType(prompt: Field, engine: Engine): string | undefined {
  const type = prompt.type;
  return type.kind === 'list' || type.kind === 'document' ? undefined : castTypes[engine][type.kind];
}

/** A query in the words of an engine. Values are never part of it. */
export interface Statement {
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
