import { CodecError, compileCheck, compileText } from '../codec/index.ts';
import { Fault } from '../model/fault.ts';
import type { Field } from '../model/field.ts';
import type { Query } from '../model/query.ts';
import type { DocumentValue, Value } from '../model/value.ts';

/**
 * Compiles the check of what code, or a request's document, gives for a query's prompts: each value is brought into its
 * prompt's type and held against its options, and what is absent gets its default.
 * @returns a function that throws Fault BAD_PARAMETER, naming the prompt
 */
export function compilePrompts({ prompts }: Query): (given: Readonly<Record<string, Value>>) => DocumentValue {
  const readers = prompts.map((field) => ({ name: field.name, read: compilePrompt(field) }));
  const check = compileCheck(prompts);
  return (given) => {
    const values = { ...given };
    try {
      for (const { name, read } of readers) values[name] = read(given[name]);
      return check(values);
    } catch (error) {
      if (!(error instanceof CodecError)) throw error;
      throw Fault.of('BAD_PARAMETER', { name: `Prompt ${error.path}`, reason: error.reason });
    }
  };
}

function compilePrompt(field: Field): (value: Value) => Value {
  if (field.type.kind === 'json') return (value) => value;
  const read = compileText(field);
  return (value) => {
    if (value === undefined || value === null || value === '') return undefined;
    if (typeof value === 'object') throw new CodecError(field.name, 'is not a single value');
    return read(String(value));
  };
}
