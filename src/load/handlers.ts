import type { Position } from '../model/definition.ts';
import type { Gateway } from '../model/gateway.ts';
import type { Operation } from '../model/service.ts';
import { placeOf } from './diagnostic/diagnostic.ts';
import { DEFAULT_HANDLERS } from './gateway.ts';
import type { Linking } from './linking.ts';
import type { ProjectFiles } from './read/files.ts';

/** How strictly the folder of handlers is looked at. */
export interface HandlerOptions {
  readonly files: Pick<ProjectFiles, 'handlers'>;
  /** `ignore-missing`: something without its file is no mistake. */
  readonly handlers: 'check' | 'ignore-missing';
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

/** The file of something that names none: its id in small letters with dashes. */
export function fileNamedAs(id: string): string {
  return id.toLowerCase().replaceAll('_', '-');
}

/** The same of an operation: `locations-get`, or `locations.v2-locations-get` of a qualified id. No other id has a dot. */
export function handlerNamedAs(id: string): string {
  return fileNamedAs(id.replace(/\.(?=[^.]*$)/, '_'));
}

/** The files that answer operations. */
export function answeringFiles({ doubt }: Linking, operations: Iterable<Operation>): WantedFile[] {
  return [...operations].flatMap(({ id, answer, at }) =>
    answer.kind === 'handler' ? { id, file: answer.file, unsure: doubt.about(answer), at } : [],
  );
}

/** Holds the files of code against what they are wanted for, both ways. */
export function checkHandlers(
  linking: Linking,
  wanted: readonly WantedFile[],
  gateway: Gateway | undefined,
  options: HandlerOptions,
): void {
  const { report, declared, doubt } = linking;
  // A gateway that can't be used, or not all of it, may have named another folder.
  if (gateway === undefined ? declared.rejected('gateway').size > 0 : doubt.about(gateway)) return;
  const folder = gateway?.handlers ?? DEFAULT_HANDLERS;
  const present = new Set(options.files.handlers(folder));
  const names = new Set<string>();
  for (const { id, file, unsure, at } of wanted) {
    if (unsure) continue;
    const name = `${file}.ts`;
    names.add(name);
    if (options.handlers === 'check' && !present.has(name))
      report.raise('missing-handler', { operation: id, file: `${folder}/${name}` }, placeOf(at));
  }
  // A definition that could not be read, or was rejected, may use a file.
  const isAllKnown = declared.whole && !wanted.some(({ unsure }) => unsure);
  const kinds = ['service', 'operation', 'process', 'related-content'] as const;
  if (!isAllKnown || kinds.some((kind) => declared.rejected(kind).size > 0)) return;
  const known = [...names].filter((name) => !present.has(name));
  for (const meant of present) {
    if (names.has(meant)) continue;
    const file = `${folder}/${meant}`;
    report.raise('orphan-handler', { file, meant, known }, { file, line: 1, column: 1 });
  }
}
