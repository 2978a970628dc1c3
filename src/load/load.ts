import type { Registry } from '../model/registry.ts';
import { resolveDelivered } from './delivered.ts';
import type { Diagnostic } from './diagnostic/diagnostic.ts';
import { deepFreeze } from './freeze.ts';
import { link } from './link.ts';
import { createLinking, type Linking } from './linking.ts';
import { type Declaration, glimpseIds, readDeclaration } from './read/declaration.ts';
import type { DefinitionFile, ProjectFiles } from './read/files.ts';
import { parseTree } from './read/parse.ts';
import { refuseRootLists } from './read/root-list.ts';
import { checkShape } from './read/shape.ts';
import type { TreeMap } from './read/tree.ts';
import { checkTexts } from './value/text-check.ts';

/** What became of the definitions. */
export interface LoadedProject {
  /** There where no error was found: deep-frozen, checked and linked. */
  readonly registry?: Registry;
  /** In the order of files and positions. */
  readonly diagnostics: readonly Diagnostic[];
  /** Definition files of the project that were read, relative to its folder. */
  readonly files: readonly string[];
  /** Their texts, and those of the package's files that were used, by name. */
  readonly sources: ReadonlyMap<string, string>;
}

/** The loader's stages, from texts to a registry, without touching the disk. */
export function loadFiles(files: ProjectFiles, handlers: 'check' | 'ignore-missing'): LoadedProject {
  const linking = createLinking();
  const { report } = linking;
  const sources = new Map<string, string>();
  const reading: Reading = { linking, sources, lost: new Set(), whole: files.definitions.length > 0 };
  if (files.definitions.length === 0) {
    report.raise('no-definitions', { folder: files.folder }, { file: files.folder, line: 1, column: 1 });
  }
  for (const declaration of files.definitions.flatMap((file) => readFile(file, reading, false)))
    accept(declaration, reading);
  const delivered = resolveDelivered(linking, files.delivered, (file) => readFile(file, reading, true));
  for (const declaration of delivered.declarations) accept(declaration, reading);
  checkGatewayPresence(files, reading);
  const { lost, whole } = reading;
  const registry = link(linking, { files, delivered: delivered.ids, lost, whole, handlers });
  const diagnostics = report.sorted();
  const sound = registry !== undefined && !diagnostics.some((each) => each.severity === 'error');
  return {
    ...(sound ? { registry: deepFreeze(registry) } : {}),
    diagnostics,
    files: files.definitions.map((each) => each.file),
    sources,
  };
}

/** What one run gathers while it reads. */
interface Reading {
  readonly linking: Linking;
  readonly sources: Map<string, string>;
  /** Operations that were declared and can't be used. */
  readonly lost: Set<string>;
  /** False once a part that may declare anything could not be read, or where there is none. */
  whole: boolean;
}

/** One file's declarations. */
function readFile(file: DefinitionFile, reading: Reading, delivered: boolean): Declaration[] {
  const { linking, sources } = reading;
  const { report, places } = linking;
  if (file.kind === 'unreadable') {
    report.raise('file-unreadable', { reason: file.reason }, { file: file.file, line: 1, column: 1 });
    reading.whole = false;
    return [];
  }
  const source = { file: file.file, text: file.text };
  sources.set(file.file, file.text);
  const { roots, whole } = parseTree(source, places, report);
  if (!whole) {
    reading.whole = false;
    for (const { kind, id } of glimpseIds(source)) linking.declared.setAside(kind, id);
  }
  return roots.flatMap(({ value, at }) => {
    const declaration = readDeclaration(value, places, at, report, delivered);
    if (declaration === undefined) reading.whole = false;
    return declaration ?? [];
  });
}

/** Checks one declaration by itself and adds it to those that are linked. */
function accept(declaration: Declaration, reading: Reading): void {
  const { linking, lost } = reading;
  const { report, places, declared } = linking;
  const { kind, id, value } = declaration;
  const operations = kind === 'service' ? operationIds(value) : [];
  refuseRootLists(declaration, linking);
  const usable = checkShape(declaration, linking);
  if (usable) checkTexts(declaration, places, report);
  else declared.setAside(kind, id);
  const added = usable && declared.add(declaration, report);
  const kept = new Set(added && kind === 'service' ? operationIds(value) : []);
  for (const operation of operations) if (!kept.has(operation)) lost.add(operation);
}

function operationIds({ operations }: TreeMap): string[] {
  return typeof operations === 'object' && operations !== null && !Array.isArray(operations)
    ? Object.keys(operations)
    : [];
}

function checkGatewayPresence(
  { folder, definitions }: ProjectFiles,
  { linking: { declared, report }, whole }: Reading,
): void {
  const found = declared.of('gateway').size > 0 || declared.anySetAside('gateway');
  // Without the files that could not be read, nobody can tell.
  if (found || !whole || definitions.length === 0) return;
  report.raise('no-gateway', {}, { file: `${folder}/gateway.yaml`, line: 1, column: 1 });
}
