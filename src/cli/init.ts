import { execFile } from 'node:child_process';
import { access, constants, copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Command } from 'commander';
import { codeOf, messageOf } from '../wire/error.ts';
import { EXAMPLE_FILE, exampleText, settingsOf } from './env.ts';
import { CliFailure, wrongUsage } from './failure.ts';
import { explain } from './help.ts';
import { packageVersion } from './package-info.ts';
import { load } from './project.ts';
import { coloursOf, jsonText, note, print } from './terminal.ts';

const help = {
  examples: ['signalbox init my-gateway', 'signalbox init .'],
  notes: [
    "The folder must be empty, except for files that 'npm install signalbox' and 'git init' create.",
    'The project can be cloned: package.json names this version of signalbox if it came from a registry; otherwise vendor/ gets the file that was installed. .env.example lists the settings, `npm run verify` runs what the CI workflow runs for every push; for pull requests it also runs signalbox diff. The Dockerfile builds an image.',
  ],
  exits: ['done', 'the folder is not empty, or could not be written'],
} as const;

/** `signalbox init`: creates a project that runs at once. */
export function addInit(program: Command): void {
  explain(program.command('init'), help)
    .description('create a new project with one service')
    .argument('<dir>', 'its folder, which is created if necessary')
    .action(async (dir: string) => {
      if (dir === '') throw wrongUsage('the folder has an empty name', 'Name a new folder: signalbox init my-gateway');
      const root = resolve(dir);
      const manifest = await checkFolder(root, dir);
      await createFolder(root, dir);
      const created = await writeProject(root, manifest);
      await print(nextSteps(relative(process.cwd(), root), created));
    });
}

/** Files of package managers and version control, which may exist already. */
const harmless = new Set(['.git', 'node_modules', 'package.json', 'package-lock.json', '.DS_Store']);

/**
 * Checks that the project overwrites nothing.
 * @returns the existing package.json, if it contains only what npm writes itself
 */
async function checkFolder(root: string, shown: string): Promise<Manifest> {
  const names = await namesIn(root, shown);
  const manifest = names.includes('package.json') ? await readManifest(join(root, 'package.json')) : {};
  const inTheWay = names.filter((name) => !harmless.has(name) || (name === 'package.json' && manifest === undefined));
  if (inTheWay.length > 0 || manifest === undefined) {
    throw new CliFailure(`${shown} is not empty`, {
      hint: `In the way: ${shortened(inTheWay)}.\nName a new folder: signalbox init my-gateway`,
    });
  }
  return manifest;
}

function shortened(names: readonly string[]): string {
  const more = names.length - MOST_NAMED;
  return more > 0 ? `${names.slice(0, MOST_NAMED).join(', ')} and ${more} more` : names.join(', ');
}

const MOST_NAMED = 5;

async function namesIn(root: string, shown: string): Promise<string[]> {
  try {
    return (await readdir(root)).sort();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return [];
    if (code === 'ENOTDIR')
      throw new CliFailure(`${shown} is a file`, { hint: 'Name a new folder: signalbox init my-gateway' });
    throw new CliFailure(`${shown} can't be read: ${(error as Error).message}`, { cause: error });
  }
}

async function createFolder(root: string, shown: string): Promise<void> {
  try {
    await mkdir(root, { recursive: true });
    await access(root, constants.W_OK);
  } catch (cause) {
    throw new CliFailure(`${shown} can't be written to: ${messageOf(cause)}`, { cause });
  }
}

/** Keys that npm itself writes to a package.json, including `npm install-scripts approve`. */
const npmKeys = new Set(['dependencies', 'devDependencies', 'allowScripts']);

/** A package.json with nothing but what `npm install` writes; `undefined` if it contains more. */
async function readManifest(path: string): Promise<Manifest | undefined> {
  try {
    const found: unknown = JSON.parse(await readFile(path, 'utf8'));
    if (typeof found !== 'object' || found === null || Array.isArray(found)) return undefined;
    return Object.keys(found).every((key) => npmKeys.has(key)) ? found : undefined;
  } catch {
    return undefined;
  }
}

async function writeProject(root: string, manifest: Manifest): Promise<string[]> {
  const name = packageName(basename(root));
  const files = await projectFiles(name);
  const dependency = await dependencyOf(root, manifest.dependencies?.signalbox);
  files.set('package.json', jsonText(newManifest(files.get('package.json') ?? '{}', dependency, manifest)));
  for (const [path, text] of files) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  const loaded = await load({ root });
  const [{ registryOf }, { planGenerated, writeGenerated }] = await Promise.all([
    import('../load/index.ts'),
    import('./generated-files.ts'),
  ]);
  await writeGenerated(root, await planGenerated(root, registryOf(loaded)));
  await writeFile(join(root, EXAMPLE_FILE), exampleText(settingsOf(loaded)));
  const vendored = dependency.startsWith(FILE) ? [dependency.slice(FILE.length)] : [];
  return [...files.keys(), ...vendored, EXAMPLE_FILE, 'generated/'].sort();
}

/** A name that npm accepts, derived from the name of the folder. */
function packageName(folder: string): string {
  const name = folder
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return name === '' || name === 'signalbox' || name === 'node-modules' ? 'my-gateway' : name;
}

function nextSteps(folder: string, created: readonly string[]): string {
  const { bold, green } = coloursOf(process.stdout);
  const steps = [
    ...(folder === '' ? [] : [`cd ${/^[\w./-]+$/.test(folder) ? folder : `'${folder}'`}`]),
    'npm install',
    'npm run dev',
  ];
  return [
    `${green('Created')} ${created.join(', ')}.`,
    '',
    'Next:',
    ...steps.map((step) => `  ${bold(step)}`),
    'and in another terminal:',
    `  ${bold('curl http://127.0.0.1:8080/gateway/RESTListeningConnector/Hello.v1/Hello/World')}`,
    '',
  ].join('\n');
}

/** The keys of a package.json that `npm install` writes. */
interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly allowScripts?: Readonly<Record<string, boolean>>;
}

/** The package.json of a new project, with what npm has already written. */
function newManifest(template: string, dependency: string, before: Manifest): object {
  const manifest = JSON.parse(template) as Manifest;
  const { devDependencies: dev } = before;
  return {
    ...manifest,
    dependencies: { ...manifest.dependencies, ...before.dependencies, signalbox: dependency },
    ...(dev === undefined ? {} : { devDependencies: { ...manifest.devDependencies, ...dev } }),
    allowScripts: { ...manifest.allowScripts, ...before.allowScripts },
  };
}

/** The folder of this package. */
const PACKAGE = fileURLToPath(new URL('../..', import.meta.url));

/** The folder of a project with packages that no registry has. */
const VENDOR = 'vendor';

/**
 * How package.json names signalbox, so that every clone of the project finds it: a version, if this package came from a
 * registry; otherwise a file in the project, with the tarball that was installed or one packed from this package.
 * @param named how package.json names it already
 */
async function dependencyOf(root: string, named: string | undefined): Promise<string> {
  if (named !== undefined && !named.startsWith(FILE)) return named;
  const version = `^${packageVersion()}`;
  const origin = named === undefined ? await originOf(PACKAGE) : resolve(root, named.slice(FILE.length));
  if (origin === REGISTRY) return version;
  try {
    const vendor = join(root, VENDOR);
    await mkdir(vendor, { recursive: true });
    return `${FILE}${VENDOR}/${(await copyTarball(origin, vendor)) ?? (await pack(vendor))}`;
  } catch (error) {
    note(
      `signalbox could not be packed into ${VENDOR}/ (${messageOf(error)}). package.json names ${version} of the registry.`,
    );
    return version;
  }
}

/** How npm writes a dependency that is a file. */
const FILE = 'file:';
const REGISTRY = Symbol('a registry');

/** The file that npm installed a package from, by its record in node_modules; empty if that is unknown. */
async function originOf(folder: string): Promise<string | typeof REGISTRY> {
  const modules = dirname(folder);
  try {
    const { packages } = JSON.parse(await readFile(join(modules, '.package-lock.json'), 'utf8')) as {
      readonly packages: Readonly<Record<string, { readonly resolved?: string }>>;
    };
    const { resolved = '' } = packages[`node_modules/${basename(folder)}`] ?? {};
    return /^https?:/.test(resolved) ? REGISTRY : resolve(dirname(modules), resolved.replace(FILE, ''));
  } catch {
    return '';
  }
}

/** Copies a tarball. @returns its name; `undefined` if it no longer exists, or is a folder */
async function copyTarball(tarball: string, to: string): Promise<string | undefined> {
  const name = basename(tarball);
  if (!/\.t(?:ar\.)?gz$/.test(name)) return undefined;
  try {
    await copyFile(tarball, join(to, name));
    return name;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Packs this package as it is installed. @returns the name of the tarball */
async function pack(to: string): Promise<string> {
  const args = ['pack', PACKAGE, '--ignore-scripts', '--json', '--pack-destination', to];
  const { stdout } = await promisify(execFile)('npm', args, { shell: process.platform === 'win32' });
  const [packed] = JSON.parse(stdout) as { readonly filename: string }[];
  return packed?.filename ?? '';
}

/** The files that every project begins with. `{{name}}` in them is the name of the project. */
const TEMPLATE = join(PACKAGE, 'examples', 'new');

/**
 * The files of a new project by path, apart from generated files. npm leaves out files called .gitignore, and editors
 * apply files such as .vscode/settings.json where they lie: an underscore in the template stands for the dot of a name.
 */
async function projectFiles(name: string): Promise<Map<string, string>> {
  const entries = await readdir(TEMPLATE, { recursive: true, withFileTypes: true });
  const read = entries
    .filter((entry) => entry.isFile())
    .map(async (entry): Promise<[string, string]> => {
      const path = join(entry.parentPath, entry.name);
      const text = await readFile(path, 'utf8');
      return [relative(TEMPLATE, path).replace(/(^|[/\\])_/g, '$1.'), text.replaceAll('{{name}}', name)];
    });
  return new Map(await Promise.all(read));
}
