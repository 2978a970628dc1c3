import type { Operation } from '../model/service.ts';
import { type Linking, placeOf } from './linking.ts';

/** What the folder of handlers holds, and how strictly it is looked at. */
export interface HandlerFiles {
  /** Relative to the project's folder. */
  readonly folder: string;
  /** Names of the .ts files in it. */
  readonly names: readonly string[];
  /** An operation without its file is a mistake. */
  readonly missing: boolean;
  /** A file without an operation is a mistake; not where some operations could not be read. */
  readonly orphans: boolean;
}

/** Holds the handler files against the operations, both ways. */
export function checkHandlers(
  { report, incomplete }: Linking,
  operations: Iterable<Operation>,
  files: HandlerFiles,
): void {
  const present = new Set(files.names);
  const wanted = new Set<string>();
  let { orphans } = files;
  for (const { id, answer, at } of operations) {
    if (answer.kind !== 'handler') continue;
    if (incomplete.has(answer)) {
      orphans = false;
      continue;
    }
    const name = `${answer.file}.ts`;
    wanted.add(name);
    if (files.missing && !present.has(name))
      report.raise('missing-handler', { operation: id, file: `${files.folder}/${name}` }, placeOf(at));
  }
  if (!orphans) return;
  const unanswered = [...wanted].filter((name) => !present.has(name));
  for (const name of present) {
    if (wanted.has(name)) continue;
    const file = `${files.folder}/${name}`;
    report.raise('orphan-handler', { file, meant: name, known: unanswered }, { file, line: 1, column: 1 });
  }
}
