import type { Position } from '../model/position.ts';
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

/** Something that a file of code is wanted for. */
export interface WantedFile {
  /** The operation, process or related-content service. */
  readonly id: string;
  /** Without its ending. */
  readonly file: string;
  /** What was refused may have named another file. */
  readonly unsure: boolean;
  readonly at: Position;
}

/** The files that answer operations. */
export function answeringFiles({ incomplete }: Linking, operations: Iterable<Operation>): WantedFile[] {
  return [...operations].flatMap(({ id, answer, at }) =>
    answer.kind === 'handler' ? { id, file: answer.file, unsure: incomplete.has(answer), at } : [],
  );
}

/** Holds the files of code against what they are wanted for, both ways. */
export function checkHandlers({ report }: Linking, all: Iterable<WantedFile>, files: HandlerFiles): void {
  const present = new Set(files.names);
  const wanted = new Set<string>();
  let { orphans } = files;
  for (const { id, file, unsure, at } of all) {
    if (unsure) {
      orphans = false;
      continue;
    }
    const name = `${file}.ts`;
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
