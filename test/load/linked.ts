import { expect } from 'vitest';
import { loadFiles } from '../../src/load/load.ts';
import type { Document } from '../../src/model/document.ts';
import type { Field } from '../../src/model/field.ts';
import type { Registry } from '../../src/model/registry.ts';
import type { Message, Operation } from '../../src/model/service.ts';
import { projectOf } from './project-text.ts';

/** The registry of a project that has no mistake. */
export function load(text: string): Registry {
  const { registry, diagnostics } = loadFiles(projectOf(text), 'ignore-missing');
  expect(diagnostics).toEqual([]);
  if (registry === undefined) throw new TypeError('no registry');
  return registry;
}

export function operation(registry: Registry, id: string): Operation {
  const found = registry.operations.get(id);
  if (found === undefined) throw new TypeError(id);
  return found;
}

export const documentOf = (message: Message | undefined): Document => {
  if (message?.kind !== 'document') throw new TypeError('no document');
  return message.document;
};
export const names = (fields: readonly Field[]): string[] => fields.map((field) => field.name);
