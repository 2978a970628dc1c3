import { comment, sentence } from '../comment.ts';
import { propertyName, quoted } from '../typescript.ts';
import type { Vocabulary } from '../vocabulary.ts';
import { block, property, type Writing } from './members.ts';

/** The types of components' records, of `types.ts`: what is NULL in the database is absent, required fields are there. */
export function recordTypes(words: Writing): string[] {
  return words.components.map((component) => {
    const lines = component.shape.fields.map((field) => property(field, 'received', field.required, words));
    const title = comment('', [`A record of ${component.id}.`, sentence(component.description)]);
    return `${title}export type ${words.names.record(component)} = ${block(lines, 'never')}`;
  });
}

/** The map of components, of `types.ts`: what names a record, a record as code gives it, and as it is; nothing for none. */
export function componentsType({ components, names }: Vocabulary): string[] {
  if (components.length === 0) return [];
  const lines = components.map((component) => {
    const given = names.given(component.shape);
    const keys = component.keys.map(({ name }) => quoted(name)).join(' | ');
    const entry = `{ keys: Pick<${given}, ${keys}>; given: ${given}; record: ${names.record(component)} }`;
    return `${comment('  ', [sentence(component.description)])}  ${propertyName(component.id)}: ${entry};\n`;
  });
  const title = comment('', ['Every component: what names a record of it, a record as code gives it, and as it is.']);
  return [`${title}export type Components = ${block(lines)}`];
}
