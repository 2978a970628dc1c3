import type { Component } from '../../model/component.ts';
import { comment, sentence } from '../comment.ts';
import { propertyName, quoted } from '../names.ts';
import { block, property, type Writing } from './members.ts';

/** The types of components' records, of `types.ts`: what is NULL in the database is absent, required fields are there. */
export function recordTypes(words: Writing): string[] {
  return words.components.map((component) => {
    const lines = component.shape.fields.map((field) => property(field, 'received', field.required, words));
    const title = comment('', [`A record of ${component.id}.`, sentence(component.description)]);
    return `${title}export type ${words.names.record(component)} = ${block(lines, 'never')}`;
  });
}

/** The type of the event that a class registered at a component is given, of `handlers.ts`. */
export function eventType(component: Component, { names }: Pick<Writing, 'names'>): string {
  const title = comment('', [`What a class is given that is registered at ${component.id}.`]);
  const record = names.record(component);
  return `${title}export type ${names.event(component)} = TypedEvent<Queries, Calls, Flows, ${record}, Components>;\n`;
}

/** The map of components, of `types.ts`: what names a record, a record as code gives it, and as it is; nothing for none. */
export function componentsType({ components, names }: Pick<Writing, 'components' | 'names'>): string[] {
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
