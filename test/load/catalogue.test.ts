import { describe, expect, it } from 'vitest';
import { type Code, catalogue, type Entry } from '../../src/load/diagnostic/catalogue.ts';
import { loadFiles } from '../../src/load/load.ts';
import { namesHandlers, projectOf } from './project-text.ts';

const entries = Object.entries(catalogue) as [Code, Entry<never>][];

function codesOf(text: string): string[] {
  const handlers = namesHandlers(text) ? 'check' : 'ignore-missing';
  return loadFiles(projectOf(text), handlers).diagnostics.map((each) => each.code);
}

describe('the catalogue', () => {
  it('calls its codes by words in small letters', () => {
    for (const [code] of entries) expect(code).toMatch(/^[a-z]+(-[a-z]+)*$/);
  });

  it.each(entries)('%s is raised by its wrong example, and by nothing else in it', (code, entry) => {
    expect(new Set(codesOf(entry.wrong))).toEqual(new Set([code]));
  });

  it.each(entries)('%s has a right example without any mistake', (_, entry) => {
    expect(codesOf(entry.right)).toEqual([]);
  });
});
