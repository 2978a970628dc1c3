import { execFile, spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { promisify } from 'node:util';
import { type Command, Option } from 'commander';
import type { Judgement } from '../diff/accepted.ts';
import type { Change } from '../diff/changes.ts';
import type { Verdict } from '../diff/verdict.ts';
import type { LoadedProject } from '../load/index.ts';
import type { Registry } from '../model/registry.ts';
import type { Service } from '../model/service.ts';
import { codeOf } from '../wire/error.ts';
import { counted } from '../wire/words.ts';
import { CliFailure, Ended, wrongUsage } from './failure.ts';
import { AS_JSON, explain } from './help.ts';
import { sourceReader } from './import/read-source.ts';
import { loadRegistry, type Place, placeOf, renderLoaded } from './project.ts';
import { coloursOf, jsonText, note, print, printable } from './terminal.ts';

const help = {
  examples: [
    'signalbox diff                                # what is committed with the working tree',
    'signalbox diff origin/main --fail-on breaking',
    'signalbox diff v1.0.0 HEAD --changelog',
    'signalbox diff ../released --markdown',
    'signalbox diff Locations.v1 Locations.v2',
    'signalbox diff partner.wsdl                   # a contract with the service of its name here',
    'signalbox diff old.wsdl https://partner.example.org/service?wsdl',
  ],
  notes: [
    'BEFORE and AFTER are git references, folders of projects or of definitions, contracts, or both services of these definitions. A folder comes before a reference of the same name.',
    'A contract is a file that ends with .wsdl, .wadl, .xsd, .json, .yaml or .yml, or an address of one (of a gateway, that of one of its contracts, not its base). It is read as `signalbox import` reads it. With definitions, its services are compared with those of the same names; two contracts are compared for callers.',
    'Changes are judged for callers, and for systems that are called: breaking, may break, compatible, documentation. docs/compatibility.md has every rule. `accepted-breaks` of the gateway accepts changes that are intended; it is read from AFTER.',
  ],
  exits: ['no change is as bad as --fail-on', 'a change is, or the definitions contain errors'],
} as const;

interface Options {
  readonly failOn?: Verdict;
  readonly json?: true;
  readonly markdown?: true;
  readonly changelog?: true;
}

/** `signalbox diff`: what changes of the definitions mean for callers and for systems that are called. */
export function addDiff(program: Command): void {
  explain(program.command('diff'), help)
    .description('report what changes of the definitions mean for callers and for systems that are called')
    .argument('[before]', 'a git reference, a folder, a contract or a service', 'HEAD')
    .argument('[after]', 'likewise; by default the definitions as they are')
    .addOption(
      new Option('--fail-on <verdict>', 'exit with 1 if there is a change with this verdict or a worse one').choices([
        'breaking',
        'may-break',
      ]),
    )
    .addOption(new Option('--json', AS_JSON).conflicts(['markdown', 'changelog']))
    .addOption(new Option('--markdown', 'write tables for a review, in Markdown').conflicts(['changelog']))
    .option('--changelog', 'write sentences for partners, by service, in Markdown')
    .action(async (before: string, after: string | undefined, options: Options, command: Command) => {
      const judgement = await compare(before, after, placeOf(command));
      await print(await render(judgement, options));
      // Entries of `accepted-breaks` that have no effect can be removed.
      if (!options.json)
        for (const { entry, why } of judgement.idle)
          note(`${entry.at.file}:${entry.at.line}: this entry of accepted-breaks has no effect: ${printable(why)}.`);
      if (options.failOn !== undefined && (await hasLeft(judgement, options.failOn))) throw new Ended(1);
    });
}

async function compare(before: string, after: string | undefined, place: Place): Promise<Judgement> {
  const [{ compareRegistries }, { judge }] = await Promise.all([
    import('../diff/registries.ts'),
    import('../diff/accepted.ts'),
  ]);
  if (after !== undefined && isServiceName(before) && isServiceName(after)) {
    const changes = await compareServices(before, after, await loadRegistry(place, 'ignore-missing'));
    if (changes !== undefined) return { changes, idle: [] };
  }
  if (isContract(before) || (after !== undefined && isContract(after)))
    return { changes: await compareContracts(before, after, place), idle: [] };
  const [old, now] = [await registryFrom(before, place), await registryFrom(after, place)];
  const today = new Date().toISOString().slice(0, 10);
  return judge(compareRegistries(old, now), now.gateway.acceptedBreaks ?? [], today);
}

const isServiceName = (name: string): boolean => /^[A-Za-z]\w*\.v[1-9]\d*$/.test(name);

/** The changes from one service to another; `undefined` if both names mean something else. */
async function compareServices(
  before: string,
  after: string,
  registry: Registry,
): Promise<readonly Change[] | undefined> {
  const [old, now] = [registry.services.get(before), registry.services.get(after)];
  if (old === undefined && now === undefined) return undefined;
  const missing = (name: string): Error =>
    wrongUsage(`these definitions have no service ${name}`, `Services: ${[...registry.services.keys()].join(', ')}.`);
  const need = (service: Service | undefined, name: string): Service => {
    if (service === undefined) throw missing(name);
    return service;
  };
  const { compareVersions } = await import('../diff/registries.ts');
  return compareVersions(need(old, before), need(now, after), registry.gateway);
}

function isContract(name: string): boolean {
  if (/^https?:/i.test(name)) return true;
  return /\.(?:wsdl|wadl|xsd|json|ya?ml)$/i.test(name) && statSync(name, { throwIfNoEntry: false })?.isFile() === true;
}

/** Compares two contracts, or one with the services of definitions that have the names of its services. */
async function compareContracts(before: string, after: string | undefined, place: Place): Promise<readonly Change[]> {
  const { compareRegistries, compareWithContract } = await import('../diff/registries.ts');
  if (after !== undefined && isContract(before) && isContract(after))
    // Who reads a partner's contract is its caller.
    return compareRegistries(await contractRegistry(before, isServed), await contractRegistry(after, isServed));
  const isOld = isContract(before);
  const contract = isOld ? before : (after as string);
  const ours = await registryFrom(isOld ? after : before, place);
  const ourService = (name: string): Service | undefined => {
    // Contracts of a gateway are named after the id of the service.
    const names = ({ id, name }: Service): readonly string[] => [name, id.replace('.', '_')];
    const same = [...ours.services.values()].filter((each) => !each.delivered && names(each).includes(name));
    return same.find((each) => each.default) ?? same.at(-1);
  };
  const theirs = await contractRegistry(contract, (name) => ourService(name)?.consumers.length === 0);
  const pairs = [...theirs.services.values()].flatMap((service) => {
    const own = ours.services.get(service.id) ?? ourService(service.name);
    if (own === undefined || service.delivered) return [];
    return isOld ? { before: service, after: own } : { before: own, after: service };
  });
  if (pairs.length === 0) throw noService(contract, theirs, ours);
  const gateways = isOld
    ? { before: theirs.gateway, after: ours.gateway }
    : { before: ours.gateway, after: theirs.gateway };
  return compareWithContract(pairs, gateways);
}

const isServed = (): boolean => true;

function noService(contract: string, theirs: Registry, ours: Registry): Error {
  const names = ({ services }: Registry): string =>
    [...services.values()].flatMap(({ id, delivered }) => (delivered ? [] : id)).join(', ') || 'none';
  return wrongUsage(
    `no service of ${contract} has the name of one of the definitions`,
    `Services of the contract: ${names(theirs)}; of the definitions: ${names(ours)}.`,
  );
}

/** A contract as definitions of its own, which are not written. @param isProvided whether a service of a name is served, not called */
async function contractRegistry(location: string, isProvided: (service: string) => boolean): Promise<Registry> {
  const { declare, importContracts, update } = await import('../import/index.ts');
  const { loadTexts } = await import('../load/index.ts');
  const { judgeByCheck } = await import('./import/judge.ts');
  const read = sourceReader({ fetch: /^https?:/i.test(location), private: false, given: new Set([location]) });
  const imported = await importContracts([location], read);
  const gateway = 'gateway: LOCAL\n';
  const declared = imported.flatMap(({ contract, losses }) => {
    const taken = { document: [], service: [], node: [], 'permission-list': [], scheme: [] };
    const declareAs = (as: 'consumer' | 'provider') =>
      declare(contract, { as, name: 'partner', taken, judge: judgeByCheck }, losses);
    const called = declareAs('consumer');
    const names = called.flatMap(({ kind, id }) => (kind === 'service' ? id.replace(/\.v\d+$/, '') : []));
    return names.some(isProvided) ? declareAs('provider') : called;
  });
  const { files } = update({
    files: new Map([['definitions/gateway.yaml', gateway]]),
    before: [],
    after: declared,
    pathOf: (file) => `${location}#${file}.yaml`,
  });
  const project = loadTexts(new Map([['definitions/gateway.yaml', gateway], ...files]));
  const lost = new Set(
    imported.flatMap(({ losses }) => losses.all().map(({ what, instead }) => `${what}: ${instead}`)),
  );
  if (lost.size > 0)
    note(`${counted(lost.size, 'thing')} of ${location} can't be compared: signalbox import --dry-run lists them.`);
  return checked(location, project);
}

async function checked(name: string, project: LoadedProject): Promise<Registry> {
  if (project.registry !== undefined) return project.registry;
  note(`The definitions of ${name} contain errors:\n\n${(await renderLoaded(project, process.stderr)).trimEnd()}`);
  throw new Ended(1);
}

async function registryFrom(name: string | undefined, place: Place): Promise<Registry> {
  if (name === undefined) return loadRegistry(place, 'ignore-missing');
  return checked(name, await loadSource(name, place));
}

/** Whether there is a change with this verdict or a worse one that is not accepted. */
async function hasLeft({ changes }: Judgement, least: Verdict): Promise<boolean> {
  const { isAtLeast } = await import('../diff/verdict.ts');
  return changes.some(({ verdict, accepted }) => accepted === undefined && isAtLeast(verdict, least));
}

async function render(judgement: Judgement, options: Options): Promise<string> {
  const { toChangelog, toMarkdown, toText } = await import('../diff/text.ts');
  if (options.json) return jsonText(judgement);
  if (options.markdown) return toMarkdown(judgement);
  return options.changelog ? toChangelog(judgement) : toText(judgement, coloursOf(process.stdout), printable);
}

/**
 * Loads definitions from a folder or a git reference.
 * @throws CliFailure when the name means neither
 */
async function loadSource(name: string, place: Place): Promise<LoadedProject> {
  const { loadProject } = await import('../load/index.ts');
  const folder = await folderOf(name, place);
  if (folder === undefined) return loadReference(name, place);
  return loadProject({ ...folder, handlers: 'ignore-missing' });
}

/** The project in a folder, or the folder as one of definitions; `undefined` if it does not exist. */
async function folderOf(name: string, { definitions = 'definitions' }: Place): Promise<Required<Place> | undefined> {
  const root = resolve(name);
  if (!(await isFolder(root))) return undefined;
  if (await isFolder(join(root, definitions))) return { root, definitions };
  if ((await readdir(root)).some((each) => /\.ya?ml$/.test(each)))
    return { root: dirname(root), definitions: relative(dirname(root), root) };
  throw new CliFailure(`${name} has no folder ${definitions} and no definitions`, {
    hint: 'Name the folder of a project, or one of definitions. --definitions sets the name of the folder inside a project.',
  });
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return false;
    throw error;
  }
}

/** The definitions of a commit, in a folder that is removed once they are loaded. */
async function loadReference(reference: string, { root, definitions = 'definitions' }: Place): Promise<LoadedProject> {
  const commit = await commitOf(reference, root);
  const { loadProject } = await import('../load/index.ts');
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-diff-'));
  try {
    await extract(commit, { root, definitions }, folder);
    return loadProject({ root: folder, definitions, handlers: 'ignore-missing' });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function commitOf(reference: string, root: string): Promise<string> {
  try {
    return (await git(root, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${reference}^{commit}`])).trim();
  } catch (error) {
    if (codeOf(error) === 'ENOENT')
      throw new CliFailure("git is not installed, and so a commit can't be compared", {
        hint: 'Name a folder instead.',
      });
    if (!(await isRepository(root)))
      throw new CliFailure(`this folder is not in a git repository, and ${reference} is not a folder`, {
        hint: 'Name a folder with the definitions before: signalbox diff ../released',
      });
    throw wrongUsage(
      `${reference} is not a git reference, a folder, or a service of these definitions`,
      reference === 'HEAD'
        ? 'Commit the definitions first.'
        : 'A reference is a branch, a tag or a commit: signalbox diff main',
    );
  }
}

async function isRepository(root: string): Promise<boolean> {
  return git(root, ['rev-parse', '--git-dir']).then(
    () => true,
    () => false,
  );
}

async function git(cwd: string, args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('git', [...args], { cwd, maxBuffer: 1024 ** 3 });
  return stdout;
}

/** A file in a commit. */
interface Entry {
  readonly hash: string;
  /** Relative to the project. */
  readonly path: string;
}

/** Writes the files of a commit that the loader reads: definitions, migrations and sample data, and the committed registry. */
async function extract(commit: string, { root, definitions }: Required<Place>, folder: string): Promise<void> {
  const listed = await git(root, ['ls-tree', '-r', '-z', commit, '--', '.']);
  const entries = listed.split('\0').flatMap((line): Entry[] => {
    const [, kind, hash = '', path = ''] = /^\d+ (\w+) (\w+)\t(.*)$/s.exec(line) ?? [];
    return kind === 'blob' ? [{ hash, path }] : [];
  });
  const inside = definitions.split(sep).join('/');
  const isRead = ({ path }: Entry): boolean =>
    inside === '.' || path.startsWith(`${inside}/`) || path === 'generated/registry.json' || path.endsWith('.sql');
  // Folders that definitions name have to exist, even without a file that is read.
  for (const each of new Set(entries.map(({ path }) => dirname(path))))
    await mkdir(join(folder, each), { recursive: true });
  const read = entries.filter(isRead);
  const contents = await contentsOf(read, root);
  for (const [index, { path }] of read.entries()) await writeFile(join(folder, path), contents[index] ?? '');
}

/** The contents of files, all from one process. */
async function contentsOf(entries: readonly Entry[], cwd: string): Promise<readonly Buffer[]> {
  const child = spawn('git', ['cat-file', '--batch'], { cwd, stdio: ['pipe', 'pipe', 'inherit'] });
  // A process that ends early has said why on standard error.
  child.stdin.on('error', () => undefined);
  child.stdin.end(entries.map(({ hash }) => `${hash}\n`).join(''));
  const pieces: Buffer[] = [];
  for await (const piece of child.stdout) pieces.push(piece as Buffer);
  const output = Buffer.concat(pieces);
  let at = 0;
  return entries.map(({ path }) => {
    const end = output.indexOf(0x0a, at);
    const length = Number(/ blob (\d+)$/.exec(output.toString('utf8', at, Math.max(at, end)))?.[1] ?? Number.NaN);
    if (end < 0 || Number.isNaN(length)) throw new CliFailure(`git could not read ${path}`);
    at = end + 1 + length + 1;
    return output.subarray(end + 1, end + 1 + length);
  });
}
