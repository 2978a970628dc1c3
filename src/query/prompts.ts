import { addError, CodecError, compileCheck, compileText } from '../codec/index.ts';
import { carryDigits } from '../codec/json/digits.ts';
import { Fault } from '../model/fault.ts';
import type { Field } from '../model/field.ts';
import type { Query } from '../model/query.ts';
import { traitsOf } from '../model/scalar.ts';
import type { DocumentValue, Value } from '../model/value.ts';
import { canNest, type RenderFormat } from './render/index.ts';
import type { Bound } from './runner.ts';

/**
 * Converts the values of a query's prompts to their types, checks them against their options, and fills in defaults. Both
 * methods throw Fault BAD_PARAMETER, naming the prompt.
 */
export interface PromptReader {
  /** Reads values from a handler or from a request's document. */
  fromValues(given: Readonly<Record<string, Value>>): DocumentValue;
  /** Reads texts from a URL or a command line, by prompt name; an empty text counts as absent. */
  fromTexts(given: ReadonlyMap<string, string>): DocumentValue;
}

/**
 * Compiles the reader of a query's prompts.
 * @param asMember faults also name the query, since other members of the connected query may have a prompt of the same name
 */
export function compilePrompts({ id, prompts }: Query, asMember = false): PromptReader {
  const naming = compileNaming(asMember ? ` of ${id}` : '');
  const readers = prompts.map((field) => ({ name: field.name, fromText: compileText(field), field }));
  const check = compileCheck(prompts);
  const checked = (values: Record<string, Value>, errors: CodecError | undefined): DocumentValue => {
    if (errors !== undefined) throw errors;
    return check(values);
  };
  return {
    fromValues: (given) =>
      naming(() => {
        const values = carryDigits(given, { ...given });
        let errors: CodecError | undefined;
        for (const { name, field, fromText } of readers) {
          try {
            values[name] = readValue(field, fromText, given[name]);
          } catch (error) {
            errors = addError(errors, error);
          }
        }
        return checked(values, errors);
      }),
    fromTexts: (given) =>
      naming(() => {
        const values: Record<string, Value> = {};
        let errors: CodecError | undefined;
        for (const { name, fromText } of readers) {
          const text = given.get(name) ?? '';
          try {
            if (text !== '') values[name] = fromText(text);
          } catch (error) {
            errors = addError(errors, error);
          }
        }
        return checked(values, errors);
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
      const faults = [error, ...error.others].map(({ path, reason }) =>
        Fault.of('BAD_PARAMETER', { name: `Prompt ${path}${whose}`, reason }, { at: {} }),
      );
      throw Fault.together(faults);
    }
  };
}

/** Prompts of members, by member id and prompt name. */
type Given = Readonly<Record<string, Readonly<Record<string, Value>>>>;

/** Binds the values of one query. @throws Fault */
type Bind = (prompts: Readonly<Record<string, Value>>) => Bound[];

/**
 * Whether a call wants the rows of a query's members.
 * @throws Fault BAD_PARAMETER if there are no members, or the format can't nest rows
 */
export function runsConnected(
  { query, connected = false }: { readonly query: Query; readonly connected?: boolean },
  format: RenderFormat,
): boolean {
  const refuse = (name: string, reason: string): Fault => Fault.of('BAD_PARAMETER', { name, reason });
  if (connected && query.children.length === 0) throw refuse(query.id, 'is not a connected query');
  if (connected && !canNest(format)) {
    throw refuse(format, 'has no place for the rows of a connected query; json and xmlp have');
  }
  return connected;
}

/** All queries below one, in the order of the tree: a child, its own children, the next child. */
function membersBelow(query: Query): Query[] {
  return query.children.flatMap(({ query: child }) => [child, ...membersBelow(child)]);
}

/**
 * Compiles the binding of the prompts of a connected query's members. A member that occurs in several places has one set of
 * values; an absent prompt has its default.
 * @param compile compiles the binding of one member
 * @returns a function that throws Fault BAD_PARAMETER or MISSING_PARAMETER, naming member and prompt
 */
export function compileMemberValues(query: Query, compile: (member: Query) => Bind): (given: Given) => Bound[][] {
  const members = membersBelow(query).map((member) => ({
    id: member.id,
    prompts: member.prompts,
    read: compilePrompts(member, true),
    bind: compile(member),
  }));
  const ids = new Set(members.map((member) => member.id));
  return (given) => {
    for (const id in given) {
      if (!ids.has(id)) throw Fault.of('BAD_PARAMETER', { name: id, reason: `is not a member of ${query.id}` });
    }
    return members.map(({ id, prompts, read, bind }) => {
      const values = given[id] ?? {};
      for (const { name, required } of prompts) {
        if (required && isMissing(values[name]))
          throw Fault.of('MISSING_PARAMETER', { name: `Prompt ${name} of ${id}` });
      }
      for (const name in values) {
        if (prompts.some((prompt) => prompt.name === name)) continue;
        throw Fault.of('BAD_PARAMETER', { name, reason: `is not a prompt of ${id}` });
      }
      return bind(read.fromValues(values));
    });
  };
}

function isMissing(value: Value): boolean {
  return value === undefined || value === null || value === '';
}
