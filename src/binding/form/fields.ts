import type { CodecError } from '../../codec/index.ts';
import type { Document } from '../../model/document.ts';
import type { Field } from '../../model/field.ts';
import { jsonPointer } from '../../wire/json-pointer.ts';

// What forms of both kinds have in common.

/** The place of an error within the JSON of a field, as a JSON pointer from the body. */
export function pointerBelow({ name, jsonName }: Field, steps: CodecError['steps']): string {
  const tokens = steps.map((step) => (typeof step === 'object' ? step.key : step));
  return jsonPointer(tokens.map((token, index) => (index === 0 && token === name ? jsonName : token)));
}

/** A list in one text, or its entries in a text each, as JSON. */
export function listText(texts: readonly string[]): string {
  const [first] = texts;
  if (texts.length === 1 && first?.trimStart().startsWith('[')) return first;
  return `[${texts.join(',')}]`;
}

/**
 * Whether a form takes a name that is not the name of a field in JSON: if its document is open, any but the own name of a field, which
 * would be mistaken for its checked value.
 */
export function compileTakesUndeclared({ fields, open }: Pick<Document, 'fields' | 'open'>): (name: string) => boolean {
  const own = new Set(fields.map(({ name }) => name));
  return (name) => open && !own.has(name) && name !== '__proto__';
}
