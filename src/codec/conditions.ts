import type { Field } from '../model/field.ts';
import type { Conditions } from '../model/message.ts';
import { primitiveOf } from '../model/scalar.ts';
import type { Primitive } from '../model/scalar-traits.ts';
import type { DocumentValue, Value } from '../model/value.ts';
import { compileTextWriter } from './scalar.ts';

/**
 * Compiles the text of a value that is the same for all forms of the value: `1.5` for `1.50`, and the time in UTC for a datetime
 * with an offset.
 */
export function compileSameText(field: Field): (value: Value) => string {
  const write = compileTextWriter(field);
  const same = SAME[primitiveOf(field.type) ?? 'text'] ?? ((text) => text);
  return (value) => same(write(value)[0] as string);
}

const SAME: Readonly<Partial<Record<Primitive, (text: string) => string>>> = {
  decimal: (text) => (text.includes('.') ? text.replace(/\.?0+$/, '') : text).replace(/^-0$/, '0'),
  datetime: (text) => (/(?:Z|[+-]\d\d:\d\d)$/.test(text) ? new Date(text).toISOString() : text),
};

/** The same of a field in a document; `undefined` when it is absent or null. */
export function compileMemberText(field: Field): (value: DocumentValue) => string | undefined {
  const write = compileSameText(field);
  return (value) => {
    const own = Object.hasOwn(value, field.name) ? value[field.name] : undefined;
    return own === undefined || own === null ? undefined : write(own);
  };
}

/** Compiles whether a document meets conditions: each field has one of its values. @param fields that conditions may be about */
export function compileConditions(
  when: Conditions,
  fields: ReadonlyMap<string, Field>,
): (value: DocumentValue) => boolean {
  const conditions = when.flatMap(({ field: name, values }) => {
    const field = fields.get(name);
    if (field === undefined) return [];
    const write = compileSameText(field);
    return [{ text: compileMemberText(field), texts: new Set(values.map(write)) }];
  });
  return (value) =>
    conditions.every(({ text, texts }) => {
      const own = text(value);
      return own !== undefined && texts.has(own);
    });
}
