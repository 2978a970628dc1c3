import { writeJsonMember } from '../codec/json/plain.ts';
import { Fault } from '../model/fault.ts';
import type { Field } from '../model/field.ts';
import type { Query } from '../model/query.ts';
import { type ScalarKind, traitsOf } from '../model/scalar.ts';
import type { Value } from '../model/value.ts';
import { MAX_DIGITS } from '../wire/decimal.ts';
import { readDouble } from '../wire/double.ts';
import { BEYOND_DATABASE, type Dialect, type Encode, statementOf } from './plan.ts';
import type { Bound } from './runner.ts';

/**
 * Compiles the binding of a query's prompts: from named values to one value for each placeholder. An absent or empty
 * prompt is NULL. Values are sent as text and cast by the statement, so numbers keep every digit.
 * @returns a function that throws Fault BAD_PARAMETER or MISSING_PARAMETER, naming the prompt
 */
export function compileBinding(
  query: Query,
  dialect: Dialect,
  timezone: string,
): (prompts: Readonly<Record<string, Value>>) => Bound[] {
  const named = query.prompts.map((prompt) => ({
    prompt,
    name: prompt.name,
    text: textFor(prompt, dialect, timezone),
  }));
  const places = statementOf(query, dialect).parameters.map((prompt) =>
    query.prompts.findIndex((other) => other.name === prompt.name),
  );
  const names = new Set(named.map((entry) => entry.name));
  return (prompts) => {
    for (const name in prompts) {
      if (!names.has(name)) throw Fault.of('BAD_PARAMETER', { name, reason: `is not a prompt of ${query.id}` });
    }
    const values = named.map(({ prompt, name, text }): Bound => {
      const value = prompts[name];
      if (value !== undefined && value !== null && value !== '') return text(value, prompts);
      if (prompt.required) throw Fault.of('MISSING_PARAMETER', { name });
      return null;
    });
    return places.map((place) => values[place] ?? null);
  };
}

type Refuse = (reason: string) => Fault;

/** The text of a prompt's value. @param prompts that it is one of */
type TextOf = (value: Value, prompts: Readonly<Record<string, Value>>) => string;

function textFor(prompt: Field, dialect: Dialect, timezone: string): TextOf {
  const refuse: Refuse = (reason) => Fault.of('BAD_PARAMETER', { name: prompt.name, reason });
  const text = textOf(prompt, refuse);
  const encode: Encode = dialect.encode(prompt.type.kind as ScalarKind, { timezone, refuse });
  return (value, prompts) => encode(text(value, prompts));
}

function textOf(prompt: Field, refuse: Refuse): TextOf {
  switch (traitsOf(prompt.type)?.primitive) {
    case 'integer':
      return (value) => integerText(value, prompt, refuse);
    case 'decimal':
      return (value) => decimalText(value, refuse);
    case 'double':
      return (value) => {
        const number = typeof value === 'string' ? readDouble(value) : Number(value);
        if (!Number.isFinite(number)) throw refuse('is not a finite number');
        return String(number);
      };
    case 'boolean':
      return (value) => {
        if (typeof value !== 'boolean') throw refuse('is not a boolean');
        return value ? '1' : '0';
      };
    case 'json':
      return (value, prompts) => (typeof value === 'string' ? value : writeJsonMember(prompts, prompt.name));
    default:
      return (value) => {
        if (typeof value === 'string') return value;
        if (typeof value === 'number' || typeof value === 'bigint') return String(value);
        throw refuse('is not a text');
      };
  }
}

function integerText(value: Value, { type }: Field, refuse: Refuse): string {
  const integer =
    typeof value === 'bigint' ||
    Number.isInteger(value) ||
    (typeof value === 'string' && value.length <= MAX_DIGITS && /^[+-]?\d+$/.test(value));
  if (!integer) throw refuse('is not an integer');
  const exact = BigInt(typeof value === 'string' ? value.replace('+', '') : (value as number | bigint));
  // The cast would clamp to the nearest 64-bit integer and match rows that the caller did not ask for.
  const isHeld = traitsOf(type)?.range === undefined || BigInt.asIntN(64, exact) === exact;
  if (!isHeld) throw refuse(BEYOND_DATABASE);
  return exact.toString();
}

function decimalText(value: Value, refuse: Refuse): string {
  if (typeof value === 'bigint' || (typeof value === 'number' && Number.isFinite(value))) return String(value);
  if (typeof value === 'string' && /^[+-]?(\d+(\.\d*)?|\.\d+)$/.test(value)) return value;
  throw refuse('is not a decimal');
}
