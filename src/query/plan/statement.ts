import type { Field } from '../../model/field.ts';
import type { Query } from '../../model/query.ts';
import { traitsOf } from '../../model/scalar.ts';
import type { Engine } from '../../model/scalar-traits.ts';

export type { Engine };

/** The SQL type of a prompt; `undefined` when a value of its type can't be bound. */
export function castType(prompt: Field, engine: Engine): string | undefined {
  return traitsOf(prompt.type)?.sql.cast[engine];
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
