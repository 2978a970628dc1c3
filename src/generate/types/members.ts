import type { Document } from '../../model/document.ts';
import type { Field } from '../../model/field.ts';
import { comment, sentence } from '../comment.ts';
import { propertyName } from '../typescript.ts';
import { isPresent, type Vocabulary } from '../vocabulary.ts';
import { facts } from './facts.ts';
import { type Face, type Uses, valueText } from './type-text.ts';

/** With the package's types that the text uses, collected while it is written. */
export interface Writing extends Vocabulary {
  readonly uses: Uses;
}

/** What else is said of a member. */
interface MemberOptions {
  /** Takes the place of the type that the field has. */
  readonly type?: string;
  /** Stands below the field's own words. */
  readonly said?: readonly (string | undefined)[];
}

/** The members of a document, in braces. */
export function members(document: Document, face: Face, words: Writing): string {
  const lines = document.fields.map((field) =>
    property(field, face, face === 'given' ? codeMustGive(field) : isPresent(field), words),
  );
  if (document.open) {
    words.uses.add('Value');
    const said = comment('  ', ['Fields that nobody declared are kept as they come.']);
    lines.push(`${said}${leadOf(face)}[field: string]: Value;\n`);
  }
  return face === 'given' ? block(lines) : block(lines, 'never');
}

/** Whether code has to give a field: a default or a fixed value is filled in where it gives none. */
export function codeMustGive(field: Field): boolean {
  return field.required && field.default === undefined && field.fixed === undefined;
}

export function property(
  field: Field,
  face: Face,
  present: boolean,
  words: Writing,
  { type = valueText(field, face, words.names, words.uses), said = [] }: MemberOptions = {},
): string {
  // A null in a JSON field is a value.
  const takesNull = face === 'given' && field.type.kind !== 'json';
  const absent = present ? '' : takesNull ? ' | null | undefined' : ' | undefined';
  const mark = present ? '' : '?';
  const title = comment('  ', [sentence(field.description), facts(field), ...said]);
  return `${title}${leadOf(face)}${propertyName(field.name)}${mark}: ${type}${absent};\n`;
}

const leadOf = (face: Face): string => (face === 'received' ? '  readonly ' : '  ');

/**
 * Members in braces. Where there are none, the keys decide: of type string, any member that code gives is an error; of
 * type never, any that it reads.
 */
export function block(lines: readonly string[], keys: 'string' | 'never' = 'string'): string {
  return lines.length === 0 ? `Record<${keys}, never>;\n` : `{\n${lines.join('')}};\n`;
}
