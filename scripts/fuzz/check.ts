import { renderDiagnostics } from '../../src/load/diagnostic/render.ts';
import { loadFiles } from '../../src/load/load.ts';
import { readProject } from '../../src/load/read/files.ts';

/** A check takes a tenth of a second; the first one of a process waits for that to start, on a machine that is busy. */
export const CHECK_MS = 15_000;

/** A file of a project with another text. */
export interface DefinitionsCase {
  readonly path: string;
  readonly text: string;
}

/** Says what is wrong with a case; an empty text where nothing is. */
export type Check = (given: DefinitionsCase) => string;

/** A check of cases in a project, which is read once. */
export function createCheck(root: string): Check {
  const project = readProject(root, 'definitions');
  return ({ path, text }) => {
    try {
      if (!project.definitions.some(({ file }) => file === path)) return `the sample has no ${path}`;
      const definitions = project.definitions.map((each) =>
        each.file === path ? { file: path, kind: 'text' as const, text } : each,
      );
      const loaded = loadFiles({ ...project, definitions }, 'ignore-missing');
      renderDiagnostics(loaded, { colour: false });
      const failed = loaded.diagnostics.some(({ severity }) => severity === 'error');
      return failed === (loaded.registry === undefined) ? '' : 'no registry and no error, or both';
    } catch (error) {
      return (error as Error).stack ?? String(error);
    }
  };
}
