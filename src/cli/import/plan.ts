import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { Change, Declared, DeclaredMap, DefinitionFiles, DraftContract, Loss } from '../../import/index.ts';
import { wrongUsage } from '../failure.ts';
import type { Place } from '../project.ts';
import { expand } from './expand.ts';
import { type ImportRecord, importOf, readDefinitionTexts, readRecord, refuseForeign } from './project-files.ts';
import { plainAddress, STDIN, sourceReader } from './read-source.ts';

/** The options of `signalbox import`. */
export interface ImportOptions {
  readonly as?: 'consumer' | 'provider';
  readonly name?: string;
  readonly fetch?: true;
  readonly allowPrivate?: true;
  /** `Name: value` */
  readonly header?: readonly string[];
  readonly strict?: true;
  readonly tolerant?: true;
  readonly verbose?: true;
  readonly maxFiles?: number;
  readonly dryRun?: true;
  readonly json?: true;
}

/** What the import of one contract does. */
export interface ImportPlan {
  readonly name: string;
  /** The folder of its definitions, relative to the project. */
  readonly folder: string;
  /** Texts of definition files that change, by path. */
  readonly files: ReadonlyMap<string, string>;
  readonly changes: readonly Change[];
  /** It was not imported before. */
  readonly isNew: boolean;
  readonly losses: readonly Loss[];
  readonly record: ImportRecord;
  /** Whether the contract is to be called or served, and nothing of it can be. */
  readonly isUseless: boolean;
}

/** Reads contracts and compares them with the definitions. Changes nothing. @throws ImportError */
export async function planImport(
  place: Place,
  sources: readonly string[],
  options: ImportOptions,
): Promise<readonly ImportPlan[]> {
  const { DefinitionFiles, importContracts, SOURCE_LIMITS } = await import('../../import/index.ts');
  const given = (await Promise.all(sources.map(expand))).flat().map((name) => plainAddress(name) ?? { location: name });
  const locations = given.map(({ location }) => location);
  const headers = headersOf(options.header ?? []);
  const read = sourceReader({
    fetch: options.fetch === true,
    private: options.allowPrivate === true,
    given: new Set(locations),
    headers: new Map(
      given.flatMap((each) => ('origin' in each ? [[each.origin, { ...each.headers, ...headers }]] : [])),
    ),
  });
  const definitions = place.definitions ?? 'definitions';
  const limits = { ...SOURCE_LIMITS, files: options.maxFiles ?? SOURCE_LIMITS.files };
  const all = await importContracts(locations, read, { limits, tolerant: options.tolerant === true });
  checkNames(all.map(({ roots }) => options.name ?? nameOf(roots)));
  // A later contract sees the definitions of those before it.
  const files = new DefinitionFiles(await readDefinitionTexts(place.root, definitions));
  const plans: ImportPlan[] = [];
  for (const imported of all) plans.push(await planOne(place, { definitions, files, imported, options }));
  return plans;
}

/** Headers as `Name: value`. @throws CliFailure */
function headersOf(texts: readonly string[]): Readonly<Record<string, string>> {
  const entries = texts.map((text) => {
    const [, name, value] = /^\s*([^\s:]+)\s*:\s*(.*?)\s*$/.exec(text) ?? [];
    if (name !== undefined && value !== undefined && isHeader(name, value)) return [name, value] as const;
    throw wrongUsage('a header is not valid', "Write it as --header 'Authorization: Bearer TOKEN'.");
  });
  return Object.fromEntries(entries);
}

function isHeader(name: string, value: string): boolean {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return true;
  } catch {
    return false;
  }
}

/** Each contract has a folder and a record of its own, by its name. @throws CliFailure for two with one name */
function checkNames(names: readonly string[]): void {
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice === undefined) return;
  throw wrongUsage(`two contracts would have the name ${twice}`, 'Import each by itself, with a --name of its own.');
}

interface One {
  readonly definitions: string;
  readonly files: DefinitionFiles;
  readonly imported: Awaited<ReturnType<typeof import('../../import/index.ts')['importContracts']>>[number];
  readonly options: ImportOptions;
}

async function planOne(place: Place, one: One): Promise<ImportPlan> {
  const { definitions, files, imported, options } = one;
  const { declare, fileName } = await import('../../import/index.ts');
  const { judgeByCheck } = await import('./judge.ts');
  const { contract, losses, roots } = imported;
  const name = options.name ?? nameOf(roots);
  const folder = `${definitions}/${fileName(name)}`;
  const before = await readRecord(place.root, folder);
  if (before === undefined) refuseForeign(name, folder, files.paths());
  const as = options.as ?? before?.as ?? 'consumer';
  const known = before?.declared ?? [];
  const taken = files.idsBesides(known);
  const idsOf = (kind: string): readonly string[] => taken.get(kind) ?? [];
  const declared = declare(
    contract,
    {
      as,
      name,
      taken: {
        document: [...idsOf('document'), ...idsOf('type')],
        service: idsOf('service').map((id) => id.replace(/\.v\d+$/, '')),
        node: [...idsOf('node'), ...idsOf('gateway')],
        'permission-list': idsOf('permission-list'),
        scheme: idsOf('scheme'),
      },
      judge: judgeByCheck,
    },
    losses,
  );
  if (as === 'consumer') {
    const { compareDryRuns } = await import('./dry-run.ts');
    compareDryRuns(contract, declared, losses);
  }
  await noteRenamed(place, one, declared);
  const gateway = known.length === 0 && idsOf('gateway').length === 0 ? [GATEWAY] : [];
  const updated = files.update({
    before: known,
    after: [...gateway, ...declared],
    pathOf: (file) => (file === GATEWAY.file ? `${definitions}/gateway.yaml` : `${folder}/${file}.yaml`),
  });
  const record = { sources: roots, as, declared };
  return {
    name,
    folder,
    ...updated,
    isNew: before === undefined,
    losses: losses.all(),
    record,
    isUseless: isUseless(contract, declared, losses.all()),
  };
}

/**
 * Whether no operation of a contract is active. Schemas alone are taken for their documents, and so is a contract that has
 * these alone.
 */
function isUseless(
  { language, documents }: DraftContract,
  declared: readonly Declared[],
  losses: readonly Loss[],
): boolean {
  if (language === 'xsd' || callableOf(declared) > 0) return false;
  return documents.length === 0 || losses.some(({ kind }) => kind === 'operation');
}

/** Names the services of the project because of which services of the contract have other names than there. */
async function noteRenamed(
  { root }: Place,
  { files, imported: { contract, losses } }: One,
  declared: readonly Declared[],
): Promise<void> {
  const { serviceNames } = await import('../../import/index.ts');
  const ids = declared.flatMap(({ kind, id }) => (kind === 'service' ? [id] : []));
  for (const [index, wanted] of serviceNames(contract.services).entries()) {
    const { name, place } = contract.services[index] as (typeof contract.services)[number];
    const path = ids[index]?.replace(/\.v\d+$/, '') === wanted ? undefined : files.serviceAt(wanted);
    if (path === undefined) continue;
    const other = await importOf(root, path);
    const remedy = other === undefined ? '' : ` (import with --name ${other} to update that one)`;
    losses.note(`the service "${name}" is declared as ${ids[index]}`, `${path} has ${wanted}${remedy}`, place);
  }
}

/** A project without definitions gets a gateway; everything in it has a default. */
const GATEWAY: Declared = { kind: 'gateway', id: 'LOCAL', keys: {}, file: 'gateway' };

/** The name of a contract that the user does not name: that of its file, or of its host. */
function nameOf([location = '']: readonly string[]): string {
  if (location === STDIN) return 'partner';
  const path = location.replace(/[?#].*$/, '').replace(/\/+$/, '');
  const base = path.replace(/^.*\//, '').replace(/\.[A-Za-z]+$/, '');
  return base === '' ? 'partner' : base;
}

/** How many operations are active: they can be called, or are served. */
export function callableOf(declared: readonly Declared[]): number {
  const operations = declared.flatMap(({ kind, keys }) =>
    kind === 'service' ? Object.values((keys.operations ?? {}) as DeclaredMap) : [],
  );
  return operations.filter((each) => (each as DeclaredMap).active !== false).length;
}

/** How many operations, documents and fields were declared. */
export function countsOf(declared: readonly Declared[]): { operations: number; documents: number; fields: number } {
  const counts = { operations: 0, documents: 0, fields: 0 };
  const visit = (map: DeclaredMap): void => {
    for (const [key, value] of Object.entries(map)) {
      if (typeof value !== 'object' || Array.isArray(value)) continue;
      if (key === 'fields' || key === 'one-of') {
        counts.documents += 1;
        counts.fields += Object.keys(value).length;
      }
      if (key === 'operations') counts.operations += Object.keys(value).length;
      visit(value as DeclaredMap);
    }
  };
  for (const { keys } of declared) visit(keys);
  return counts;
}
