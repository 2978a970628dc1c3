import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { catalogue } from '../../src/load/diagnostic/catalogue.ts';
import { codeCatalogue } from '../../src/load/diagnostic/code.ts';
import { databaseCatalogue } from '../../src/load/diagnostic/database.ts';
import { loadFiles } from '../../src/load/load.ts';
import { namesHandlers, projectOf } from './project-text.ts';
import { diagnosticSample } from './samples.ts';

const codes = Object.keys(catalogue);
const known = [...codes, ...Object.keys(databaseCatalogue), ...Object.keys(codeCatalogue)];

function codesOf(text: string): string[] {
  const handlers = namesHandlers(text) ? 'check' : 'ignore-missing';
  return loadFiles(projectOf(text), handlers).diagnostics.map((each) => each.code);
}

describe('the catalogue', () => {
  it('has a sample for each code, and no other samples', () => {
    const samples = readdirSync(new URL('./samples/', import.meta.url)).map((name) => name.replace(/\.case$/, ''));
    expect(samples.sort()).toEqual(known.sort());
  });

  it('calls its codes by words in small letters', () => {
    for (const code of codes) expect(code).toMatch(/^[a-z]+(-[a-z]+)*$/);
  });

  it.each(codes)('%s is raised by its wrong example, and by nothing else in it', (code) => {
    expect(new Set(codesOf(diagnosticSample(code).wrong))).toEqual(new Set([code]));
  });

  it.each(codes)('%s has a right example without any mistake', (code) => {
    expect(codesOf(diagnosticSample(code).right)).toEqual([]);
  });
});
