import { execFile } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Command } from 'commander';
import { createRedactor } from '../../codec/redact/redactor.ts';
import type { LoadedProject } from '../../load/index.ts';
import { secretsOf } from '../../load/value/config.ts';
import type { Registry } from '../../model/registry.ts';
import { codeOf, messageOf } from '../../wire/error.ts';
import { counted } from '../../wire/words.ts';
import { EXAMPLE_FILE, givenInExample, lackingInExample, type Setting, settingsOf } from '../env.ts';
import { Ended } from '../failure.ts';
import { AS_JSON, explain } from '../help.ts';
import { packageVersion } from '../package-info.ts';
import { load, type Place, placeOf, storeOptions } from '../project.ts';
import { coloursOf, printResult } from '../terminal.ts';
import {
  fail,
  lookAtDatabase,
  lookAtDisk,
  lookAtFileLimit,
  lookAtPort,
  lookAtTimeZone,
  type Outcome,
  ok,
  sqliteFile,
  warn,
} from './machine.ts';

const help = {
  examples: ['signalbox doctor', 'signalbox doctor --json | jq \'.[] | select(.state == "fail")\''],
  notes: [
    'It looks at Node, the package, the project, its settings, the port, the database and this machine, and changes nothing. Each line is ok, warn or fail, with the remedy below it; skipped depends on something that failed. Give it the environment in which the gateway will run: what it finds holds for that.',
  ],
  exits: ['nothing failed, possibly warnings', 'something failed'],
} as const;

/** `signalbox doctor`: what keeps an installation from running, or will. */
export function addDoctor(program: Command): void {
  explain(program.command('doctor'), help)
    .description('report what is wrong with an installation')
    .option('--json', AS_JSON)
    .action(async ({ json }: { json?: true }, command: Command) => {
      const findings = await examine(placeOf(command));
      await printResult(findings, json, render);
      if (findings.some(({ state }) => state === 'fail')) throw new Ended(1);
    });
}

/** An outcome, with the name of its check. */
interface Finding extends Outcome {
  readonly check: string;
}

/** What the checks look at. */
interface Site extends Place {
  readonly loaded: LoadedProject;
  /** Absent when the definitions have errors other than missing handlers. */
  readonly registry: Registry | undefined;
}

/** One that needs sound definitions is skipped without them. */
type Check =
  | { readonly look: (site: Site) => Outcomes }
  | { readonly lookInto: (registry: Registry, site: Site) => Outcomes };
type Outcomes = Outcome | Outcome[] | Promise<Outcome | Outcome[]>;

const CHECKS: Readonly<Record<string, Check>> = {
  node: { look: () => ok(`Node ${process.versions.node} (${process.execPath})`) },
  package: { look: ({ root }) => lookAtPackage(root) },
  clones: { look: ({ root }) => lookAtManifest(root) },
  typescript: { look: ({ root }) => lookAtTypescript(root) },
  sqlite: { look: lookAtDriver },
  definitions: { look: ({ loaded }) => lookAtDefinitions(loaded) },
  generated: { lookInto: lookAtGenerated },
  settings: { look: lookAtSettings },
  port: { lookInto: lookAtPort },
  database: { lookInto: lookAtDatabase },
  disk: { lookInto: lookAtDisk },
  'open files': { look: lookAtFileLimit },
  'time zone': { lookInto: lookAtTimeZone },
};

async function examine(place: Place): Promise<Finding[]> {
  const loaded = await load(place);
  const { registry = (await load(place, 'ignore-missing')).registry } = loaded;
  const site: Site = { ...place, loaded, registry };
  const findings: Finding[] = [];
  for (const [check, how] of Object.entries(CHECKS))
    for (const outcome of [await attempt(how, site)].flat()) findings.push({ check, ...outcome });
  // Drivers repeat addresses in their errors, and paths may contain secrets.
  const redactor = createRedactor(() => secretsOf(process.env));
  return findings.map(({ remedy, ...each }) => ({
    ...each,
    found: redactor.text(each.found),
    ...(remedy === undefined ? {} : { remedy: redactor.text(remedy) }),
  }));
}

async function attempt(check: Check, site: Site): Promise<Outcome | Outcome[]> {
  const { registry } = site;
  try {
    if ('look' in check) return await check.look(site);
    if (registry === undefined) return { state: 'skipped', found: 'The definitions have errors.' };
    return await check.lookInto(registry, site);
  } catch (error) {
    const { hint } = error as { readonly hint?: unknown };
    return fail(
      sentence(messageOf(error)),
      typeof hint === 'string' ? hint : 'Correct it and run signalbox doctor again.',
    );
  }
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.?$/, '.')}`;
}

/** The folder of the package that runs. */
const PACKAGE = fileURLToPath(new URL('../../..', import.meta.url)).replace(/[/\\]$/, '');

/** Handlers import the copy of the project. Of two copies neither recognises the faults and definitions of the other. */
async function lookAtPackage(root: string): Promise<Outcome> {
  const own = `signalbox ${packageVersion()} (${PACKAGE})`;
  // The product's own repository.
  if (realpathSync(root) === realpathSync(PACKAGE)) return ok(own);
  const copies = await copiesOf(root);
  const [first] = copies;
  if (first === undefined) return fail(`${own} runs, and the project has none for its handlers.`, 'Run npm install.');
  if (copies.length > 1)
    return fail(
      `The project has ${counted(copies.length, 'copy', 'copies')} of signalbox: ${copies.join(', ')}.`,
      'npm ls signalbox shows which packages need them: let all of them name the same version, then run npm install.',
    );
  if (realpathSync(join(root, first)) === realpathSync(PACKAGE)) return ok(own);
  return fail(
    `${own} runs, and handlers import another copy: ${first}.`,
    'Run npx signalbox in the folder of the project.',
  );
}

/** The folders of copies that are installed, relative to the project. */
async function copiesOf(root: string): Promise<string[]> {
  const installed = await readJson<{ packages?: object }>(join(root, 'node_modules/.package-lock.json'));
  const known = Object.keys(installed?.packages ?? {}).filter((path) => path.endsWith('node_modules/signalbox'));
  return [...new Set(['node_modules/signalbox', ...known])].filter((path) => existsSync(join(root, path)));
}

async function readJson<T>(path: string): Promise<T | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as T;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new Error(`${path} can't be read: ${messageOf(error)}`, { cause: error });
  }
}

/** Whether a clone of the project finds its packages. */
async function lookAtManifest(root: string): Promise<Outcome | Outcome[]> {
  const manifest = await readJson<{ dependencies?: Record<string, string> }>(join(root, 'package.json'));
  if (manifest === undefined)
    return warn('There is no package.json.', 'Run signalbox init in a new folder to see one.');
  const found: Outcome[] = [];
  for (const [name, from] of Object.entries(manifest.dependencies ?? {}))
    if (from.startsWith('file:') && relative(root, resolve(root, from.slice('file:'.length))).startsWith('..'))
      found.push(
        warn(
          `package.json names ${name} as ${from}, outside of the project: a clone does not have it.`,
          `Copy it to vendor/, run npm install ./vendor/<file>, and commit both.`,
        ),
      );
  if (!existsSync(join(root, 'package-lock.json')))
    found.push(warn('There is no package-lock.json, which npm ci needs.', 'Run npm install, and commit it.'));
  if (await isTracked(root, '.env'))
    found.push(
      warn('.env is in version control.', 'Run git rm --cached .env, add it to .gitignore, and change its secrets.'),
    );
  return found.length > 0 ? found : ok('A clone finds every package that package.json names.');
}

async function isTracked(root: string, file: string): Promise<boolean> {
  try {
    await promisify(execFile)('git', ['ls-files', '--error-unmatch', '--', file], { cwd: root });
    return true;
  } catch {
    // Not tracked, not a repository, or there is no git.
    return false;
  }
}

async function lookAtTypescript(root: string): Promise<Outcome> {
  const require = createRequire(join(root, 'package.json'));
  try {
    const found = await readJson<{ version: string }>(require.resolve('typescript/package.json'));
    return ok(`TypeScript ${found?.version}`);
  } catch {
    return warn(
      'TypeScript is not installed: nothing checks the types of handlers.',
      'Run npm install --save-dev typescript.',
    );
  }
}

/** @returns a failure only where the database is a file, or may be */
async function lookAtDriver({ registry, ...place }: Site): Promise<Outcome> {
  try {
    const { default: Database } = await import('better-sqlite3');
    const database = new Database(':memory:');
    const version = database.prepare('select sqlite_version()').pluck().get();
    database.close();
    return ok(`SQLite ${version}`);
  } catch (error) {
    const isNeeded = registry === undefined || sqliteFile(await storeOptions(registry, place)) !== undefined;
    return (isNeeded ? fail : warn)(
      `better-sqlite3 can't be loaded: ${messageOf(error).split('\n')[0]}.`,
      'Its binary is for the machine and the Node that installed it: run npm ci here, with this Node.',
    );
  }
}

function lookAtDefinitions({ diagnostics, files }: LoadedProject): Outcome {
  const errors = diagnostics.filter(({ severity }) => severity === 'error').length;
  const warnings = diagnostics.length - errors;
  if (errors > 0) return fail(`The definitions have ${counted(errors, 'error')}.`, 'Run signalbox check.');
  if (warnings > 0) return warn(`The definitions have ${counted(warnings, 'warning')}.`, 'Run signalbox check.');
  return ok(`${counted(files.length, 'file')} without errors`);
}

async function lookAtGenerated(registry: Registry, { root }: Site): Promise<Outcome> {
  const { planGenerated } = await import('../generated-files.ts');
  const { write, remove, stubs, same } = await planGenerated(root, registry);
  const stale = write.size + remove.length + stubs.size;
  if (stale === 0) return ok(`${counted(same.length, 'file')} up to date`);
  return warn(`${counted(stale, 'generated file')} out of date.`, 'Run signalbox generate, and commit the result.');
}

/** Kinds whose settings are read at start, rather than at the first call. */
const AT_START: ReadonlySet<string> = new Set(['gateway', 'datasource', 'scheme']);

async function lookAtSettings({ loaded, root }: Site): Promise<Outcome | Outcome[]> {
  const settings = settingsOf(loaded);
  const missing = settings.filter(({ state }) => state === 'missing');
  const early = missing.filter(({ usedIn }) => usedIn.some(({ kind }) => AT_START.has(kind)));
  const late = missing.filter((each) => !early.includes(each));
  const lacking = await lackingInExample(root, settings);
  const names = (some: readonly Setting[]): string => some.map(({ name }) => name).join(', ');
  const where = 'signalbox env shows where they are used.';
  const found: Outcome[] = [];
  if (early.length > 0) found.push(fail(`Not set, and needed at start: ${names(early)}.`, `Set them; ${where}`));
  if (late.length > 0 && found.length + lacking.length === 0 && (await isUntouched(root, settings)))
    return ok(
      `None is set yet. ${EXAMPLE_FILE} has a value for each of ${counted(missing.length, 'setting')}: copy it to .env, or set yours`,
    );
  if (late.length > 0) found.push(warn(`Not set: ${names(late)}. Calls that need them fail.`, `Set them; ${where}`));
  if (lacking.length > 0)
    found.push(warn(`${EXAMPLE_FILE} lacks ${names(lacking)}.`, 'Add them; signalbox env --example prints them.'));
  return found.length > 0 ? found : ok(`${counted(settings.length, 'setting')}: all are set or have a default`);
}

/** A clone before anyone has configured it: no setting has a value yet, and each that needs one gets it from `.env.example`. */
async function isUntouched(root: string, settings: readonly Setting[]): Promise<boolean> {
  if (settings.some(({ state, reason }) => (state !== 'missing' && state !== 'default') || reason !== undefined))
    return false;
  const given = await givenInExample(root);
  return settings.every(({ name, state }) => state === 'default' || given.has(name));
}

function render(findings: readonly Finding[]): string {
  const { green, yellow, red, dim } = coloursOf(process.stdout);
  const paint = { ok: green, warn: yellow, fail: red, skipped: dim };
  const width = Math.max(...Object.keys(CHECKS).map((name) => name.length));
  const margin = ' '.repeat('skipped'.length + width + 4);
  const lines = findings.flatMap(({ check, state, found, remedy }) => [
    `${paint[state](state.padEnd('skipped'.length))}  ${check.padEnd(width)}  ${found}`,
    ...(remedy === undefined ? [] : remedy.split('\n').map((line) => `${margin}${line}`)),
  ]);
  const count = (state: Finding['state']): number => findings.filter((each) => each.state === state).length;
  return `${lines.join('\n')}\n\n${count('ok')} ok, ${counted(count('warn'), 'warning')}, ${counted(count('fail'), 'failure')}.\n`;
}
