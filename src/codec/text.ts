import { type Field, singleType } from '../model/field.ts';
import type { DocumentValue, Value } from '../model/value.ts';
import { CodecError, kindOf, refuse, within } from './error.ts';
import { compileEntryCount } from './list.ts';
import { setMember } from './names.ts';
import { compileScalar, initialValue } from './scalar.ts';

/**
 * Compiles the reading of one field's value from a text: a URL variable, a header, a prompt. A list field gets a list of
 * one entry. The function throws a {@link CodecError} with the field's name for its path.
 */
export function compileText(field: Field): (text: string) => Value {
  const { type, name } = field;
  if (type.kind === 'document') throw new TypeError(`${name} is a document, which has no form as text`);
  if (type.kind === 'list') {
    const read = compileList(field);
    return (text) => read([text]);
  }
  const { fromText } = compileScalar(field, type);
  return (text) => {
    try {
      return fromText(text);
    } catch (error) {
      throw within(error, name);
    }
  };
}

/** Compiles the reading of a list field's value from its entries' texts. */
export function compileList(field: Field): (texts: readonly string[]) => Value {
  const { type, name } = field;
  if (type.kind !== 'list') {
    const read = compileText(field);
    return (texts) => {
      if (texts.length !== 1) throw new CodecError(name, texts.length === 0 ? 'is missing' : 'is given more than once');
      return read(texts[0]!);
    };
  }
  if (type.item.kind === 'document') throw new TypeError(`${name} is a list of documents, which has no form as text`);
  const { fromText } = compileScalar(field, type.item);
  const checkCount = compileEntryCount(field);
  return (texts) => {
    const values: Value[] = [];
    let place = name;
    try {
      checkCount(texts.length);
      for (const text of texts) {
        place = `${name}[${values.length}]`;
        values.push(fromText(text));
      }
    } catch (error) {
      throw within(error, place);
    }
    return values;
  };
}

/**
 * Compiles the writing of a field's value as text, checked: one text, or for a list one of each entry. The function throws a
 * {@link CodecError} with the field's name for its path.
 */
export function compileTextWriter(field: Field): (value: Value) => readonly string[] {
  const { type, name } = field;
  const single = singleType(type);
  if (single.kind === 'document') throw new TypeError(`${name} holds a document, which has no form as text`);
  const { toText } = compileScalar(field, single);
  const checkCount = compileEntryCount(field);
  return (value) => {
    let place = name;
    try {
      if (type.kind !== 'list') return [toText(value)];
      if (!Array.isArray(value)) return refuse(`is ${kindOf(value)}, not a list`);
      checkCount(value.length);
      return value.map((entry: Value, index) => {
        place = `${name}[${index}]`;
        return toText(entry);
      });
    } catch (error) {
      throw within(error, place);
    }
  };
}

/**
 * Compiles what is done once all parts of a request are read: a required field that is missing is refused, and what is not
 * given gets its fixed value or its default. The values themselves are taken to be checked already.
 */
export function compileCheck(fields: readonly Field[]): (given: Readonly<Record<string, Value>>) => DocumentValue {
  const initials = fields.flatMap((field) => {
    const value = initialValue(field);
    return value === undefined ? [] : [{ name: field.name, value }];
  });
  const required = fields.filter((field) => field.required && initialValue(field) === undefined);
  const names = required.map((field) => field.name);
  return (given) => {
    for (const name of names) {
      if (!Object.hasOwn(given, name) || given[name] === undefined) throw new CodecError(name, 'is missing');
    }
    const complete: Record<string, Value> = { ...given };
    for (const { name, value } of initials) {
      if (!Object.hasOwn(given, name) || given[name] === undefined) setMember(complete, name, value);
    }
    return complete;
  };
}
