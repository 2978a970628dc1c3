import { CodecError, compileCheck, compileText } from '../../codec/index.ts';
import { Fault } from '../../model/fault.ts';
import type { Field } from '../../model/field.ts';
import type { Query } from '../../model/query.ts';
import { traitsOf } from '../../model/scalar.ts';
import type { DocumentValue, Value } from '../../model/value.ts';

/**
 * Brings what is given for a query's prompts into their types and holds it against their options; what is absent gets
 * its default. Both throw Fault BAD_PARAMETER, which names the prompt.
 */
export interface PromptReader {
  /** What code gives, or a request's document. */
  fromValues(given: Readonly<Record<string, Value>>): DocumentValue;
  /** What a URL or a command line gives, by names that are prompts; an empty text is not given. */
  fromTexts(given: ReadonlyMap<string, string>): DocumentValue;
}

/**
 * Compiles that for a query, once.
 * @param asMember faults name the query too: it is a member of a connected query, in which others may have such a prompt
 */
export function compilePrompts({ id, prompts }: Query, asMember = false): PromptReader {
  const naming = compileNaming(asMember ? ` of ${id}` : '');
  const readers = prompts.map((field) => ({ name: field.name, fromText: compileText(field), field }));
  const check = compileCheck(prompts);
  return {
    fromValues: (given) =>
      naming(() => {
        const values = { ...given };
        for (const { name, field, fromText } of readers) values[name] = readValue(field, fromText, given[name]);
        return check(values);
      }),
    fromTexts: (given) =>
      naming(() => {
        const values: Record<string, Value> = {};
        for (const { name, fromText } of readers) {
          const text = given.get(name) ?? '';
          if (text !== '') values[name] = fromText(text);
        }
        return check(values);
      }),
  };
}

function readValue(field: Field, fromText: (text: string) => Value, value: Value): Value {
  if (traitsOf(field.type)?.primitive === 'json') return value;
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'object') throw new CodecError(field.name, 'is not a single value');
  return fromText(String(value));
}

function compileNaming(whose: string): <T>(read: () => T) => T {
  return (read) => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof CodecError)) throw error;
      throw Fault.of('BAD_PARAMETER', { name: `Prompt ${error.path}${whose}`, reason: error.reason });
    }
  };
}
