import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import type { Command } from 'commander';
import type { LoadedProject } from '../load/index.ts';
import { type Environment, missingIn } from '../load/value/config.ts';
import type { ConfigUse } from '../load/value/config-text.ts';
import { codeOf } from '../wire/error.ts';
import { counted } from '../wire/words.ts';
import { envFileOf } from './env-file.ts';
import { CliFailure, Ended, wrongUsage } from './failure.ts';
import { AS_JSON, explain } from './help.ts';
import { load, placeOf } from './project.ts';
import { type Columns, jsonText, note, print, tableOf } from './terminal.ts';

const help = {
  examples: [
    'signalbox env',
    'signalbox env --json | jq -r \'.[] | select(.state == "missing").name\'',
    'signalbox env --env-file production.env',
    'signalbox env --example > .env.example',
    'signalbox env --check',
  ],
  notes: [
    'It lists every ${env:NAME} and ${secret:NAME} of the definitions, and never prints a value. STATE is the origin of the value: environment, the name of a file, default, or missing. Commands take variables from the environment, then from the files of --env-file, of which a later one wins, or without that option from .env in the current folder.',
    'Variables that code reads from process.env are not known to it: declare them in settings: of gateway.yaml, which code reads as context.settings, or add them to .env.example by hand, which --check accepts.',
  ],
  exits: ['everything is set, or has a default', 'something is missing; with --check, in .env.example'],
} as const;

/** The file that shows colleagues what to set. */
export const EXAMPLE_FILE = '.env.example';

interface EnvOptions {
  readonly json?: true;
  readonly example?: true;
  readonly check?: true;
}

/** `signalbox env`: the settings that the definitions refer to. */
export function addEnv(program: Command): void {
  explain(program.command('env'), help)
    .description('list the environment variables and secrets that the definitions refer to')
    .option('--example', `print a ${EXAMPLE_FILE} for the project`)
    .option('--check', `report what ${EXAMPLE_FILE} lacks`)
    .option('--json', AS_JSON)
    .action(async ({ json, example, check }: EnvOptions, command: Command) => {
      if ([json, example, check].filter(Boolean).length > 1)
        throw wrongUsage('--json, --example and --check exclude each other');
      const place = placeOf(command);
      const loaded = await load(place, 'ignore-missing');
      if (loaded.registry === undefined)
        note('The definitions have errors, so the list may be incomplete. Run signalbox check for details.');
      const settings = settingsOf(loaded);
      if (example) await print(exampleText(settings));
      else if (check) await checkExample(place.root, settings);
      else await list(settings, json);
    });
}

/** A variable that the definitions refer to. */
export interface Setting {
  readonly name: string;
  /** A secret can also be in the file that NAME_FILE names. */
  readonly kind: 'env' | 'secret';
  /** The origin of its value: `environment`, a file, `default`; or `missing`. */
  readonly state: string;
  /** Why the file with a secret is of no use. */
  readonly reason?: string;
  /** Of the first use; absent when one of the uses has none. */
  readonly default?: string;
  readonly usedIn: readonly SettingUse[];
}

interface SettingUse {
  /** The kind of the definition. */
  readonly kind: ConfigUse['kind'];
  /** As in `base of the node STOCK`. */
  readonly by: string;
  /** What it is for, of a setting that says so. */
  readonly description?: string;
  readonly file: string;
  readonly line: number;
}

/** The settings of a project, in the order of their first use. */
export function settingsOf({ uses }: LoadedProject): Setting[] {
  // A copy: files with secrets are read anew.
  const env: Environment = { ...process.env };
  return [...Map.groupBy(uses, ({ reference }) => reference.name)].map(([name, found]) => {
    const references = found.map(({ reference }) => reference);
    const isSecret = references.some(({ kind }) => kind === 'secret');
    const defaults = references.map((each) => (each.kind === 'env' ? each.default : undefined));
    const places = found.map(({ kind, by, description, at }) => ({
      ...{ kind, by, file: at.file, line: at.line },
      ...(description === undefined ? {} : { description }),
    }));
    const keyOf = ({ by, file, line }: SettingUse): string => `${file}:${line} ${by}`;
    return {
      name,
      kind: isSecret ? 'secret' : 'env',
      ...originOf(name, isSecret, defaults.includes(undefined), env),
      ...(defaults[0] === undefined || defaults.includes(undefined) ? {} : { default: defaults[0] }),
      usedIn: [...new Map(places.map((each) => [keyOf(each), each])).values()],
    };
  });
}

function originOf(
  name: string,
  isSecret: boolean,
  isRequired: boolean,
  env: Environment,
): Pick<Setting, 'state' | 'reason'> {
  // An empty variable counts as unset.
  if ((env[name] ?? '') !== '') return { state: envFileOf(name) ?? 'environment' };
  if (!isRequired) return { state: 'default' };
  const reason = missingIn([{ kind: isSecret ? 'secret' : 'env', name }], env);
  if (reason === undefined) return { state: `${name}_FILE` };
  return { state: 'missing', ...((env[`${name}_FILE`] ?? '') === '' ? {} : { reason }) };
}

async function list(settings: readonly Setting[], json: true | undefined): Promise<void> {
  const missing = settings.filter(({ state }) => state === 'missing');
  if (json) await print(jsonText(settings));
  else if (settings.length === 0) await print('The definitions refer to no environment variables.\n');
  else await print(tableOf(settings.flatMap(rowsOf), COLUMNS));
  if (missing.length === 0) return;
  const names = missing.map(({ name }) => name).join(', ');
  note(`${counted(missing.length, 'setting')} missing: ${names}.`);
  for (const { reason } of missing) if (reason !== undefined) note(`${reason}.`);
  throw new Ended(1);
}

/** One line for each use; the first has the setting. */
interface Row {
  readonly setting?: Setting;
  readonly use: SettingUse;
}

function rowsOf(setting: Setting): Row[] {
  return setting.usedIn.map((use, index) => (index === 0 ? { setting, use } : { use }));
}

const COLUMNS: Columns<Row> = {
  NAME: ({ setting }) => setting?.name,
  KIND: ({ setting }) => setting?.kind,
  STATE: ({ setting }) => setting?.state,
  DEFAULT: ({ setting }) => setting?.default,
  'USED IN': ({ use }) => `${use.file}:${use.line}`,
  BY: ({ use }) => use.by,
};

/** The text of a `.env.example`: settings with a default are commented out. */
export function exampleText(settings: readonly Setting[]): string {
  const parts = settings.map(({ name, kind, default: otherwise, usedIn }) => {
    const about = usedIn.flatMap(({ description }) => description?.trim().split('\n') ?? []);
    const uses = [
      ...new Set([...about, ...usedIn.map(({ by, file }) => `${by} (${file})`)].map((line) => `# ${line}`)),
    ];
    if (kind === 'secret') uses.push(`# A secret: the value, or the path of a file with it in ${name}_FILE.`);
    return `${[...uses, otherwise === undefined ? `${name}=` : `# ${name}=${quoted(otherwise)}`].join('\n')}\n`;
  });
  return [HEAD, ...parts].join('\n');
}

const HEAD = `# The settings of this project. Copy this file to .env and fill it in: .env is read at start, and is not committed.
# The environment wins over .env. HOST and PORT replace the address of 'listen:'.
`;

/** A value as `util.parseEnv` reads it back. */
function quoted(value: string): string {
  if (!/[\s#"'`]/.test(value)) return value;
  const quote = ['"', "'", '`'].find((each) => !value.includes(each)) ?? '';
  return `${quote}${value}${quote}`;
}

async function checkExample(root: string, settings: readonly Setting[]): Promise<void> {
  const missing = await lackingInExample(root, settings);
  if (missing.length > 0)
    throw new CliFailure(`${EXAMPLE_FILE} lacks ${missing.map(({ name }) => name).join(', ')}`, {
      hint: 'signalbox env --example prints them, with what they are for.',
    });
  await print(`${EXAMPLE_FILE} has ${counted(settings.length, 'setting')} of the definitions.\n`);
}

/** The settings that `.env.example` does not name. */
export async function lackingInExample(root: string, settings: readonly Setting[]): Promise<Setting[]> {
  const text = await exampleIn(root);
  const names = new Set([...text.matchAll(/^[ \t]*#?[ \t]*(?:export[ \t]+)?(\w+)[ \t]*=/gm)].map(([, name]) => name));
  return settings.filter(({ name }) => !names.has(name) && !names.has(`${name}_FILE`));
}

/** The names to which `.env.example` gives a value: once it is copied to `.env`, they are set. */
export async function givenInExample(root: string): Promise<ReadonlySet<string>> {
  const values = Object.entries(parseEnv((await exampleIn(root)).replace(/^\uFEFF/, '')));
  return new Set(values.flatMap(([name, value = '']) => (value === '' ? [] : [name, name.replace(/_FILE$/, '')])));
}

/** The text of `.env.example`, empty where there is none. */
async function exampleIn(root: string): Promise<string> {
  return readFile(join(root, EXAMPLE_FILE), 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return '';
    throw error;
  });
}
