import type { Component } from '../../model/component.ts';
import { comment } from '../comment.ts';
import { contextType, type Writing } from './writing.ts';

/** The type of the event that a class registered at a component is given. */
export function eventType(component: Component, words: Writing): string {
  const { names, fromTypes } = words;
  const title = comment('', [`What a class is given that is registered at ${component.id}.`]);
  const record = names.record(component);
  fromTypes.add(record);
  return `${title}export type ${names.event(component)} = ${contextType('TypedEvent', [record], words)};\n`;
}
