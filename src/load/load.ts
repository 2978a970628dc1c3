import type { Registry } from '../model/registry.ts';
import { readCommitted } from './committed.ts';
import { byPosition, type Diagnostic } from './diagnostic/diagnostic.ts';
import { renderDiagnostics } from './diagnostic/render.ts';
import { checkHandlers } from './handlers.ts';
import { checkKinds, codeOfKinds, type LinkInput, linkKinds } from './kinds.ts';
import { byId, createLinking, declarationsOf, type Linking } from './linking.ts';
import { deepFreeze, given } from './object.ts';
import { type Declaration, glimpseIds, readDeclaration } from './read/declaration.ts';
import { type DefinitionFile, type ProjectFiles, readDelivered, readProject } from './read/files.ts';
import { checkShape, refuseRootLists } from './read/shape.ts';
import { isTreeMap, parseTree, type TreeMap } from './read/tree.ts';
import type { GatewayDeclared } from './schema/gateway.ts';
import { nameOf, versionNumber } from './services.ts';
import { type ConfigUse, checkTexts } from './value/config-text.ts';

/** The result of loading. */
export interface LoadedProject {
  /** Only without errors: deep-frozen, checked and linked. */
  readonly registry?: Registry;
  /** Ordered by file and position. */
  readonly diagnostics: readonly Diagnostic[];
  /** The project's definition files, relative to its folder. */
  readonly files: readonly string[];
  /** Their texts and those of the used files of the package, by name. */
  readonly sources: ReadonlyMap<string, string>;
  /** What the usable definitions refer to in the environment, by file and position; of definitions with errors too. */
  readonly uses: readonly ConfigUse[];
}

/** A project, and what to check. */
export interface LoadOptions {
  /** The project's folder. */
  readonly root: string;
  /** Definitions folder, relative to the project's folder; `definitions` by default. */
  readonly definitions?: string;
  /** `ignore-missing`: a missing handler file is not an error. */
  readonly handlers?: 'check' | 'ignore-missing';
}

/**
 * Loads a project: its definitions, and those of the package that it enables, into a registry or diagnostics of every error.
 * Warnings alone do not prevent the registry. Never throws because of the contents of files.
 */
export function loadProject({ root, definitions = 'definitions', handlers = 'check' }: LoadOptions): LoadedProject {
  return loadFiles(readProject(root, definitions), handlers);
}

/** Loads definitions that are not in files, by the names that diagnostics have for them. Nothing else of a project is there. */
export function loadTexts(texts: ReadonlyMap<string, string>): LoadedProject {
  const files: ProjectFiles = {
    folder: 'definitions',
    definitions: Array.from(texts, ([file, text]) => ({ file, kind: 'text', text })),
    delivered: [],
    migrations: () => undefined,
    sampleData: () => undefined,
    handlers: () => [],
    committed: undefined,
  };
  return loadFiles(files, 'ignore-missing');
}

/** The stages of the loader, from texts to a registry, without access to the disk. */
export function loadFiles(files: ProjectFiles, handlers: NonNullable<LoadOptions['handlers']>): LoadedProject {
  const linking = createLinking();
  const { report } = linking;
  const sources = new Map<string, string>();
  const reading: Reading = { linking, sources };
  if (files.definitions.length === 0) {
    linking.declared.whole = false;
    report.raise('no-definitions', { folder: files.folder }, { file: files.folder, line: 1, column: 1 });
  }
  for (const declaration of files.definitions.flatMap((file) => readFile(file, reading, false)))
    accept(declaration, linking);
  const delivered = resolveDelivered(linking, files.delivered, (file) => readFile(file, reading, true));
  for (const declaration of delivered.declarations) accept(declaration, linking);
  checkGatewayPresence(files, linking);
  const input = { linking, files, delivered: delivered.ids, committed: readCommitted(files.committed) };
  const registry = link(input, handlers);
  const diagnostics = report.sorted();
  const sound = registry !== undefined && !diagnostics.some((each) => each.severity === 'error');
  return {
    ...(sound ? { registry: deepFreeze(registry) } : {}),
    diagnostics,
    files: files.definitions.map((each) => each.file),
    sources,
    uses: linking.uses.sort((a, b) => byPosition(a.at, b.at)),
  };
}

/** The state of one run while it reads. */
interface Reading {
  readonly linking: Linking;
  readonly sources: Map<string, string>;
}

/** The declarations of one file. */
function readFile(file: DefinitionFile, reading: Reading, delivered: boolean): Declaration[] {
  const { linking, sources } = reading;
  const { report, places, declared } = linking;
  if (file.kind === 'unreadable') {
    report.raise('file-unreadable', { reason: file.reason }, { file: file.file, line: 1, column: 1 });
    declared.whole = false;
    return [];
  }
  const source = { file: file.file, text: file.text };
  sources.set(file.file, file.text);
  const { roots, whole } = parseTree(source, places, report);
  if (!whole) {
    declared.whole = false;
    for (const { kind, id } of glimpseIds(source)) declared.reject(kind, id);
  }
  return roots.flatMap(({ value, at }) => {
    const declaration = readDeclaration(value, places, at, report, delivered);
    if (declaration === undefined) declared.whole = false;
    return declaration ?? [];
  });
}

/** Checks one declaration and adds it to those to link. */
function accept(declaration: Declaration, linking: Linking): void {
  const { report, places, declared } = linking;
  const { kind, id, value } = declaration;
  const operations = kind === 'service' ? operationIds(value) : [];
  refuseRootLists(declaration, linking);
  const usable = checkShape(declaration, linking);
  if (usable) linking.uses.push(...checkTexts(declaration, places, report));
  else declared.reject(kind, id);
  const added = usable && declared.add(declaration, report);
  const kept = new Set(added && kind === 'service' ? operationIds(value) : []);
  for (const operation of operations) if (!kept.has(operation)) declared.reject('operation', operation);
}

function operationIds({ operations }: TreeMap): string[] {
  return isTreeMap(operations) ? Object.keys(operations) : [];
}

function checkGatewayPresence({ folder }: ProjectFiles, { declared, report }: Linking): void {
  const found = declared.of('gateway').size > 0 || declared.rejected('gateway').size > 0;
  // A part that could not be read may hold it.
  if (found || !declared.whole) return;
  report.raise('no-gateway', {}, { file: `${folder}/gateway.yaml`, line: 1, column: 1 });
}

/** Links and checks declarations as far as no database is needed; `undefined` without a gateway. */
function link(input: LinkInput, handlers: NonNullable<LoadOptions['handlers']>): Registry | undefined {
  const { linking, files } = input;
  const all = linkKinds(input);
  // A rejected service or operation may be the call that fills a default in.
  if (linking.declared.rejected('operation').size === 0 && linking.declared.rejected('service').size === 0)
    for (const refuse of linking.misfits.values()) refuse();
  checkKinds(all, input);
  checkHandlers(linking, codeOfKinds(all, linking), all.gateway, { files, handlers });
  const { gateway, migrations, documents, callers: _callers, calls: _calls, overrides: _overrides, ...members } = all;
  return (
    gateway && {
      ...members,
      gateway: { ...gateway, ...given({ migrations }) },
      documents: byId(documents.byId.values()),
    }
  );
}

/** Thrown for definitions with errors; its message contains the diagnostics. */
export class DefinitionsError extends Error {
  override readonly name = 'DefinitionsError';
  /** Private, or test runners would print all of it with the error. */
  readonly #project: LoadedProject;

  constructor(project: LoadedProject) {
    const count = project.diagnostics.filter((each) => each.severity === 'error').length;
    const what = `the definitions have ${count} ${count === 1 ? 'error' : 'errors'}`;
    super(`${what}\n\n${renderDiagnostics(project, { colour: false }).trimEnd()}`);
    this.#project = project;
  }

  get project(): LoadedProject {
    return this.#project;
  }
}

/**
 * The registry of a project without errors.
 * @throws DefinitionsError
 */
export function registryOf(project: LoadedProject): Registry {
  if (project.registry === undefined) throw new DefinitionsError(project);
  return project.registry;
}

/** The services of the package that a project enables. */
interface Delivered {
  /** Unique ids, in the order of the gateway definition. */
  readonly ids: readonly string[];
  /** All declarations of their files. */
  readonly declarations: readonly Declaration[];
}

/** Selects the files of the package that `delivered:` of the gateway refers to, and reads only these. */
function resolveDelivered(
  linking: Linking,
  packaged: readonly DefinitionFile[],
  read: (file: DefinitionFile) => readonly Declaration[],
): Delivered {
  const { report, places } = linking;
  const [gateway] = declarationsOf<GatewayDeclared>(linking, 'gateway');
  const names = gateway?.value.delivered ?? [];
  if (names.length === 0) return { ids: [], declarations: [] };
  // Reading it reports the reason.
  for (const file of packaged) if (file.kind === 'unreadable') read(file);
  const offered = servicesIn(packaged);
  const ids: string[] = [];
  const used = new Set<DefinitionFile>();
  for (const [index, name] of names.entries()) {
    const id = offered.has(name) ? name : lowestVersion(name, offered.keys());
    const file = id === undefined ? undefined : offered.get(id);
    if (id === undefined || file === undefined) {
      const at = places.value(names, index);
      report.raise('unknown-reference', { what: 'delivered service', id: name, known: [...offered.keys()] }, at);
    } else {
      ids.push(id);
      used.add(file);
    }
  }
  return { ids: [...new Set(ids)], declarations: [...used].flatMap(read) };
}

/** The files that declare services, by the ids of these. */
function servicesIn(files: readonly DefinitionFile[]): ReadonlyMap<string, DefinitionFile> {
  const texts = files.filter((file) => file.kind === 'text');
  return new Map(
    texts.flatMap((file) =>
      glimpseIds(file).flatMap(({ kind, id }) => (kind === 'service' ? [[id, file] as const] : [])),
    ),
  );
}

/** The ids of the services of the package, which a project may enable. */
export function deliveredServices(): string[] {
  return [...servicesIn(readDelivered()).keys()].sort();
}

/** A reference without a version means the default version. */
function lowestVersion(name: string, ids: Iterable<string>): string | undefined {
  return [...ids].filter((id) => nameOf(id) === name).sort((a, b) => versionNumber(a) - versionNumber(b))[0];
}
