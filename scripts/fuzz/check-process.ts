// Checks one changed sample after the other for the process that started it.
import { readProject } from '../../src/load/files.ts';
import { loadFiles } from '../../src/load/load.ts';
import { renderDiagnostics } from '../../src/load/render.ts';
import type { DefinitionsCase } from './definitions.ts';

const sample = readProject(process.cwd(), 'definitions');

process.on('message', (given: DefinitionsCase) => process.send?.(check(given)));

/** What is wrong; empty where nothing is. */
function check({ path, text }: DefinitionsCase): string {
  try {
    const definitions = sample.definitions.map((each) =>
      each.file === path ? { file: path, kind: 'text' as const, text } : each,
    );
    if (!sample.definitions.some(({ file }) => file === path)) return `the sample has no ${path}`;
    const loaded = loadFiles({ ...sample, definitions }, 'ignore-missing');
    renderDiagnostics(loaded, { colour: false });
    const failed = loaded.diagnostics.some(({ severity }) => severity === 'error');
    return failed === (loaded.registry === undefined) ? '' : 'no registry and no error, or both';
  } catch (error) {
    return (error as Error).stack ?? String(error);
  }
}
