import { Fault } from '../../model/fault.ts';
import type { Field } from '../../model/field.ts';
import type { Query } from '../../model/query.ts';
import { traitsOf } from '../../model/scalar.ts';
import type { Value } from '../../model/value.ts';
import { type Engine, statementOf } from './statement.ts';

/** A bound value: text that the database casts to the prompt's type, or NULL. */
export type Bound = string | null;

const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;

/**
 * Compiles the binding of a query's prompts: named values in, one value for each placeholder out. An absent or empty
 * prompt is NULL. Values travel as text and are cast by the statement, so every digit of a number arrives.
 * @returns a function that throws Fault BAD_PARAMETER or MISSING_PARAMETER, naming the prompt
 */
export function compileBinding(
  query: Query,
  engine: Engine = 'sqlite',
): (prompts: Readonly<Record<string, Value>>) => Bound[] {
  const named = query.prompts.map((prompt) => ({ prompt, name: prompt.name, text: textFor(prompt, engine) }));
  const places = statementOf(query, engine).parameters.map((prompt) =>
    query.prompts.findIndex((other) => other.name === prompt.name),
  );
  const names = new Set(named.map((entry) => entry.name));
  return (prompts) => {
    for (const name in prompts) {
      if (!names.has(name)) throw Fault.of('BAD_PARAMETER', { name, reason: `is not a prompt of ${query.id}` });
    }
    const values = named.map(({ prompt, name, text }): Bound => {
      const value = prompts[name];
      if (value !== undefined && value !== null && value !== '') return text(value);
      if (prompt.required) throw Fault.of('MISSING_PARAMETER', { name });
      return null;
    });
    return places.map((place) => values[place] ?? null);
  };
}

type Refuse = (reason: string) => Fault;

function textFor(prompt: Field, engine: Engine): (value: Value) => string {
  const refuse: Refuse = (reason) => Fault.of('BAD_PARAMETER', { name: prompt.name, reason });
  const text = textOf(prompt, refuse);
  if (engine === 'sqlite') return text;
  return (value) => {
    const bound = text(value);
    if (bound.includes('\0')) throw refuse("holds a NUL character, which the database can't take");
    return bound;
  };
}

function textOf(prompt: Field, refuse: Refuse): (value: Value) => string {
  switch (traitsOf(prompt.type)?.primitive) {
    case 'integer':
      return (value) => integerText(value, refuse);
    case 'decimal':
      return (value) => decimalText(value, refuse);
    case 'boolean':
      return (value) => {
        if (typeof value !== 'boolean') throw refuse('is not a boolean');
        return value ? '1' : '0';
      };
    case 'json':
      return (value) => (typeof value === 'string' ? value : JSON.stringify(value, digits));
    default:
      return (value) => {
        if (typeof value === 'string') return value;
        if (typeof value === 'number' || typeof value === 'bigint') return String(value);
        throw refuse('is not a text');
      };
  }
}

function integerText(value: Value, refuse: Refuse): string {
  const integer =
    typeof value === 'bigint' ||
    Number.isInteger(value) ||
    (typeof value === 'string' && /^[+-]?\d{1,40}$/.test(value));
  if (!integer) throw refuse('is not an integer');
  const exact = BigInt(typeof value === 'string' ? value.replace('+', '') : (value as number | bigint));
  // The cast would take the nearest integer that it can hold, and find rows that nobody asked for.
  if (exact < INT64_MIN || exact > INT64_MAX) throw refuse('is beyond the integers that the database holds');
  return exact.toString();
}

function decimalText(value: Value, refuse: Refuse): string {
  if (typeof value === 'bigint' || (typeof value === 'number' && Number.isFinite(value))) return String(value);
  if (typeof value === 'string' && /^[+-]?(\d+(\.\d*)?|\.\d+)$/.test(value)) return value;
  throw refuse('is not a decimal');
}

/** JSON.stringify refuses a bigint; its digits are what JSON writes. */
function digits(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? JSON.rawJSON(value.toString()) : value;
}
