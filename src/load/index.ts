import { type LoadedProject, loadFiles } from './load.ts';
import { readProject } from './read/files.ts';

export { catalogue, type Entry } from './diagnostic/catalogue.ts';
export { databaseCatalogue, databaseDiagnostic } from './diagnostic/database.ts';
export type { Place } from './diagnostic/diagnostic.ts';
export { byPlace, type Diagnostic } from './diagnostic/diagnostic.ts';
export { renderDiagnostics } from './diagnostic/render.ts';
export type { LoadedProject } from './load.ts';
export { DefinitionsError, registryOf } from './load.ts';
export { definitionsSchema, type JsonSchema, kindSchemas } from './schema/index.ts';

/** Where a project is, and what is looked at. */
export interface LoadOptions {
  /** The project's folder. */
  readonly root: string;
  /** Folder of the definitions, relative to the project's; `definitions` by default. */
  readonly definitions?: string;
  /** `ignore-missing`: an operation whose handler file is not there is no mistake. */
  readonly handlers?: 'check' | 'ignore-missing';
}

/**
 * Reads a project: its definitions, and those of the package that it switches on, to a registry, or to diagnostics that
 * name every mistake. Warnings leave the registry standing. Never throws because of what the files hold.
 */
export function loadProject({ root, definitions = 'definitions', handlers = 'check' }: LoadOptions): LoadedProject {
  return loadFiles(readProject(root, definitions), handlers);
}
