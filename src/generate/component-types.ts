import type { Component } from '../model/component.ts';
import { comment, sentence } from './comment.ts';
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
  return `${title}export type ${names.event(component)} = TypedEvent<Queries, Calls, Flows, ${record}>;\n`;
}
