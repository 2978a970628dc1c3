import type { Field, ScalarKind } from '../../model/field.ts';

/** PeopleSoft's words for types of fields. */
const WORDS: Readonly<Record<ScalarKind, string>> = {
  string: 'Character',
  flag: 'Character',
  boolean: 'Character',
  text: 'Long Character',
  json: 'Long Character',
  xml: 'Long Character',
  integer: 'Number',
  decimal: 'Number',
  date: 'Date',
  time: 'Time',
  datetime: 'DateTime',
  binary: 'Image',
};

/** Lengths of types that have one of their own, as PeopleSoft has them; `boolean` is `true` or `false`. */
const LENGTHS: Readonly<Partial<Record<ScalarKind, number>>> = {
  flag: 1,
  boolean: 5,
  date: 10,
  time: 15,
  datetime: 26,
};

/** A column or a prompt in the words of the query services. */
export function describeField({ name, type, description }: Field) {
  const { kind, length, scale } = type.kind === 'list' || type.kind === 'document' ? { kind: 'text' as const } : type;
  return {
    // `A.EMPLID` is the field EMPLID of the record with the alias A.
    FieldName: name.slice(name.lastIndexOf('.') + 1),
    HeadingText: description ?? name,
    FieldType: WORDS[kind],
    FieldLength: length ?? LENGTHS[kind] ?? 0,
    FieldDecimal: scale ?? 0,
  };
}
