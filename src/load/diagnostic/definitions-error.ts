import type { Registry } from '../../model/registry.ts';
import type { LoadedProject } from '../load.ts';
import { renderDiagnostics } from './render.ts';

/** The definitions do not load; its message shows the diagnostics. */
export class DefinitionsError extends Error {
  override readonly name = 'DefinitionsError';
  readonly project: LoadedProject;

  constructor(project: LoadedProject) {
    const count = project.diagnostics.filter((each) => each.severity === 'error').length;
    const what = `the definitions have ${count} ${count === 1 ? 'mistake' : 'mistakes'}`;
    super(`${what}\n\n${renderDiagnostics(project, { colour: false }).trimEnd()}`);
    this.project = project;
  }
}

/** The registry of a project that loads. @throws DefinitionsError */
export function registryOf(project: LoadedProject): Registry {
  if (project.registry === undefined) throw new DefinitionsError(project);
  return project.registry;
}
