import { KIND_WORDS, kindOf } from '../kinds/kinds.ts';
import type { Position } from '../model/definition.ts';
import type { Gateway } from '../model/gateway.ts';
import type { Operation } from '../model/service.ts';
import { placeOf } from './diagnostic/diagnostic.ts';
import { DEFAULT_HANDLERS } from './gateway.ts';
import type { Linking } from './linking.ts';
import type { ProjectFiles } from './read/files.ts';

/** Options of the check of handler files. */
export interface HandlerOptions {
  readonly files: Pick<ProjectFiles, 'handlers'>;
  /** `ignore-missing`: a missing file is not an error. */
  readonly handlers: 'check' | 'ignore-missing';
}

/** A handler file that a definition needs. */
export interface WantedFile {
  /** Id of the operation, process, related-content service or subscription. */
  readonly id: string;
  /** Name without its extension. */
  readonly file: string;
  /** A rejected key may have named another file. */
  readonly unsure: boolean;
  /** The file may be missing: what it answers is not active. */
  readonly optional?: true;
  readonly at: Position;
}

/** The default file name for an id: in lower case with hyphens, `book-shipment` of `BOOK_SHIPMENT` and of `bookShipment`. */
export function fileNamedAs(id: string): string {
  const words = id.replace(/(\p{Ll}\d*)(?=\p{Lu})/gu, '$1-').replace(/(\p{Lu})(?=\p{Lu}\p{Ll})/gu, '$1-');
  return words.toLowerCase().replaceAll('_', '-');
}

/** The same for an operation: `locations-get`, or `locations.v2-locations-get` for a qualified id. Other ids have no dot. */
export function handlerNamedAs(id: string): string {
  return fileNamedAs(id.replace(/\.(?=[^.]*$)/, '_'));
}

/** The handler files of operations. */
export function answeringFiles({ doubt }: Linking, operations: Iterable<Operation>): WantedFile[] {
  return [...operations].flatMap(({ id, answer, active, at }) => {
    if (answer.kind !== 'handler') return [];
    return { id, file: answer.file, unsure: doubt.about(answer), ...(active ? {} : { optional: true as const }), at };
  });
}

/** Reports handler files that are missing, and files that nothing uses. */
export function checkHandlers(
  linking: Linking,
  wanted: readonly WantedFile[],
  gateway: Gateway | undefined,
  options: HandlerOptions,
): void {
  const { report, declared, doubt } = linking;
  // A gateway that was rejected in part may have named another folder.
  if (gateway === undefined ? declared.rejected('gateway').size > 0 : doubt.about(gateway)) return;
  const folder = gateway?.handlers ?? DEFAULT_HANDLERS;
  const present = new Set(options.files.handlers(folder));
  const names = new Set<string>();
  for (const { id, file, unsure, optional, at } of wanted) {
    if (unsure) continue;
    const name = `${file}.ts`;
    names.add(name);
    if (options.handlers === 'check' && !optional && !present.has(name))
      report.raise('missing-handler', { operation: id, file: `${folder}/${name}` }, placeOf(at));
  }
  // A definition that could not be read, or was rejected, may use a file.
  const isAllKnown = declared.whole && !wanted.some(({ unsure }) => unsure);
  const kinds = KIND_WORDS.filter((kind) => kindOf(kind).code);
  if (!isAllKnown || ([...kinds, 'operation'] as const).some((kind) => declared.rejected(kind).size > 0)) return;
  const known = [...names].filter((name) => !present.has(name));
  for (const meant of present) {
    if (names.has(meant)) continue;
    const file = `${folder}/${meant}`;
    report.raise('orphan-handler', { file, meant, known }, { file, line: 1, column: 1 });
  }
}
