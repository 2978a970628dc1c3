import { CONTENT } from '../binding/message.ts';
import type { ConsumerOperation } from '../model/consumer.ts';
import type { Field, FieldType } from '../model/field.ts';
import type { Value } from '../model/value.ts';

/** What a caller may give an operation, by name. */
export type InputField = Pick<Field, 'name' | 'type'>;

/** Everything that a caller may give an operation; a message without a document is `content`. */
export function inputFields(operation: ConsumerOperation): readonly InputField[] {
  if (operation.kind === 'rest') return operation.input.fields;
  const { request } = operation.soap;
  if (request.kind === 'document') return request.document.fields;
  return request.kind === 'raw' ? [{ name: CONTENT, type: { kind: request.raw } }] : [];
}

/** A value for a field that it was not read for: what is written in letters takes numbers and truth values by theirs. */
export function fitted(value: Value, { kind }: FieldType): Value {
  const isText = kind === 'string' || kind === 'text';
  const isPlain = typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean';
  return isText && isPlain ? String(value) : value;
}
