import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { catalogue } from '../../src/load/diagnostic/catalogue.ts';
import { renderDiagnostics } from '../../src/load/diagnostic/render.ts';
import { loadFiles } from '../../src/load/load.ts';
import { namesHandlers, projectOf } from './project-text.ts';

// A case file: definitions (see projectOf), a line of dashes, the diagnostics that they get. Where it names files of
// handlers, they are checked too.
const folder = new URL('./cases/', import.meta.url);
const cases = readdirSync(folder)
  .filter((name) => name.endsWith('.case'))
  .sort()
  .map((name) => {
    const [input = '', expected = ''] = readFileSync(new URL(name, folder), 'utf8').split(/^-{10,}\n/m);
    return { name: name.slice(0, -'.case'.length), input, expected };
  });

describe('diagnostics', () => {
  it.each(cases)('$name', ({ input, expected }) => {
    const loaded = loadFiles(projectOf(input), namesHandlers(input) ? 'check' : 'ignore-missing');
    expect(renderDiagnostics(loaded, { colour: false })).toBe(expected);
    const failed = loaded.diagnostics.some((each) => each.severity === 'error');
    expect(loaded.registry === undefined).toBe(failed);
  });

  it('has a case for every code of the catalogue', () => {
    const raised = cases.flatMap(({ expected }) =>
      [...expected.matchAll(/ (?:error|warning) ([a-z-]+): /g)].map((found) => found[1]),
    );
    expect([...new Set(raised)].sort()).toEqual(Object.keys(catalogue).sort());
  });
});
