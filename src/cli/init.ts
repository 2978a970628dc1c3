import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { CliFailure } from './failure.ts';
import { explain } from './help.ts';
import { packageVersion } from './package-info.ts';
import { loadRegistry } from './project.ts';
import { coloursOf, jsonText, print } from './terminal.ts';

const help = {
  examples: ['signalbox init my-gateway', 'signalbox init .'],
  notes: ["The folder must be empty, except for files that 'npm install signalbox' and 'git init' create."],
  exits: ['done', 'the folder is not empty, or could not be written'],
} as const;

/** `signalbox init`: creates a project that runs at once. */
export function addInit(program: Command): void {
  explain(program.command('init'), help)
    .description('create a new project with one service')
    .argument('<dir>', 'its folder, which is created if necessary')
    .action(async (dir: string) => {
      const root = resolve(dir);
      const manifest = await checkFolder(root, dir);
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
  files.set('package.json', jsonText(newManifest(files.get('package.json') ?? '{}', packageVersion(), manifest)));
  for (const [path, text] of files) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  const registry = await loadRegistry({ root });
  const { planGenerated, writeGenerated } = await import('./generated-files.ts');
  await writeGenerated(root, await planGenerated(root, registry));
  return [...files.keys(), 'generated/'].sort();
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
function newManifest(template: string, version: string, before: Manifest): object {
  const manifest = JSON.parse(template) as Manifest;
  return {
    ...manifest,
    ...before,
    dependencies: { signalbox: `^${version}`, ...before.dependencies },
    allowScripts: { ...manifest.allowScripts, ...before.allowScripts },
  };
}

/** The files that every project begins with. `{{name}}` in them is the name of the project. */
const TEMPLATE = fileURLToPath(new URL('../../template', import.meta.url));

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
