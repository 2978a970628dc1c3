import { relative, resolve } from 'node:path';
import type { Command } from 'commander';
import type { LoadedProject } from '../load/index.ts';
import type { Registry } from '../model/registry.ts';
import { Ended } from './failure.ts';
import { withProgress } from './progress/progress.ts';
import { coloursOf, note } from './terminal.ts';
import { count } from './words.ts';

/** Where a command works. */
export interface Place {
  /** The project's folder. */
  readonly root: string;
  /** The folder of the definitions, relative to the root, where `--definitions` names one. */
  readonly definitions?: string;
}

/** The project's folder and what the global options say of it. */
export function placeOf(command: Command): Place {
  const root = process.cwd();
  const { definitions } = command.optsWithGlobals<{ definitions?: string }>();
  if (definitions === undefined) return { root };
  return { root, definitions: relative(root, resolve(root, definitions)) || '.' };
}

/** Reads the definitions, with progress where that takes long. */
export async function load(place: Place, handlers: 'check' | 'ignore-missing' = 'check'): Promise<LoadedProject> {
  const { loadProject } = await import('../load/index.ts');
  return await withProgress('Reading the definitions', async () => loadProject({ ...place, handlers }));
}

/**
 * The registry, for commands that need a sound one: errors go to standard error, warnings are counted there.
 * @throws Ended with 1 where the definitions hold errors
 */
export async function loadRegistry(place: Place, handlers?: 'check' | 'ignore-missing'): Promise<Registry> {
  const loaded = await load(place, handlers);
  if (loaded.registry === undefined) {
    note((await renderLoaded(loaded, process.stderr)).trimEnd());
    throw new Ended(1);
  }
  const warnings = loaded.diagnostics.length;
  if (warnings > 0) note(`The definitions have ${count(warnings, 'warning')}: see signalbox check.`);
  return loaded.registry;
}

/** The diagnostics as text for `stream`. */
export async function renderLoaded(loaded: LoadedProject, stream: NodeJS.WriteStream): Promise<string> {
  const { renderDiagnostics } = await import('../load/index.ts');
  return renderDiagnostics(loaded, { colour: coloursOf(stream).isColorSupported });
}
