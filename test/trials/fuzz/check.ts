import { renderDiagnostics } from '../../../src/load/diagnostic/render.ts';
import { loadFiles } from '../../../src/load/load.ts';
import { readProject } from '../../../src/load/read/files.ts';

/** A check takes a tenth of a second. The first one also waits for its process to start, possibly on a busy machine. */
export const CHECK_MS = 15_000;

/** A file of a project with a changed text. */
export interface DefinitionsCase {
  readonly path: string;
  readonly text: string;
}

/** Returns the error of a case; an empty text if there is none. */
export type Check = (given: DefinitionsCase) => string;

/** Creates a check of cases for a project, which is read once. */
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
