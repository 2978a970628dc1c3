import { basename } from 'node:path';
import type { MigrationFile, Migrations } from '../model/gateway.ts';
import { isOfTransactions, splitSql } from '../wire/sql.ts';
import type { Place } from './diagnostic/diagnostic.ts';
import { declarationsOf, type Linking } from './linking.ts';
import { given } from './object.ts';
import type { DefinitionFile, ProjectFiles } from './read/files.ts';
import type { GatewayDeclared } from './schema/gateway.ts';

type Engine = NonNullable<MigrationFile['engine']>;

const ENGINES: readonly Engine[] = ['sqlite', 'postgres'];

/** A number, which a JavaScript number holds exactly, a name, and perhaps an engine. */
const NAME = /^((\d{1,15})-[a-z0-9][a-z0-9_-]*)(?:\.(sqlite|postgres))?\.sql$/;

/** A comment with a setting, on a line of its own. */
const SETTING = /^--[ \t]*signalbox[ \t]*:[ \t]*(.*?)[ \t]*$/i;

/**
 * The migrations of the gateway; `undefined` without a folder of them. Reports names and texts that can't be used, and sample
 * data that can't be found.
 */
export function linkMigrations(
  linking: Linking,
  files: Pick<ProjectFiles, 'migrations' | 'sampleData'>,
): Migrations | undefined {
  const { report, places } = linking;
  const [gateway] = declarationsOf<GatewayDeclared>(linking, 'gateway');
  const pattern = gateway?.value['sample-data'];
  const sample = pattern === undefined ? [] : files.sampleData(pattern);
  if (gateway !== undefined && pattern !== undefined && sample === undefined)
    report.raise('no-sample-data', { pattern }, places.value(gateway.value, 'sample-data'));
  const folder = gateway?.value.migrations?.replace(/^\.\//, '').replace(/\/+$/, '');
  if (gateway === undefined || folder === undefined) return undefined;
  const found = files.migrations(folder);
  if (found === undefined) {
    report.raise('no-migrations', { folder }, places.value(gateway.value, 'migrations'));
    return undefined;
  }
  const read = found.flatMap((each): MigrationFile | readonly MigrationFile[] => {
    if (each.kind === 'text') return readMigration(linking, folder, each) ?? [];
    report.raise('file-unreadable', { reason: each.reason }, startOf(each.file));
    return [];
  });
  const ordered = read.sort((a, b) => a.number - b.number);
  checkNumbers(linking, ordered);
  for (const each of sample ?? []) checkSampleData(linking, each, folder);
  return { folder, files: ordered };
}

function readMigration(
  { report }: Linking,
  folder: string,
  { file, text }: { readonly file: string; readonly text: string },
): MigrationFile | undefined {
  const [, name, digits, engine] = NAME.exec(file.slice(folder.length + 1)) ?? [];
  if (name === undefined) {
    report.raise('migration-name', { file, ...misnamed(folder, file) }, startOf(file));
    return undefined;
  }
  const sql = text.replaceAll(/\r\n?/g, '\n');
  const settings = settingsOf(sql);
  const transaction = !settings.some(({ value }) => value === 'no transaction');
  const read: MigrationFile = {
    ...{ number: Number(digits), name, file, sql, transaction },
    ...given({ engine: engine as Engine | undefined }),
  };
  for (const { value, offset } of settings) {
    if (value === 'no transaction') continue;
    const remedy = 'The only one is `-- signalbox: no transaction`.';
    report.raise(
      'migration-sql',
      { reason: `"${value}" is not a setting of migrations`, remedy },
      placeIn(read, offset),
    );
  }
  const late = transaction ? /^[ \t]*--[ \t]*signalbox[ \t]*:[ \t]*no[ \t]+transaction[ \t]*$/im.exec(sql) : null;
  if (late !== null) {
    const remedy = 'Move it to the first line.';
    const reason = '`-- signalbox: no transaction` has no effect after a statement';
    report.raise('migration-sql', { reason, remedy }, placeIn(read, late.index));
  }
  const nul = sql.indexOf('\0');
  if (nul >= 0) {
    const remedy = 'Save it as UTF-8 text: no database accepts NUL in SQL.';
    report.raise('migration-sql', { reason: 'it contains a NUL character', remedy }, placeIn(read, nul));
  }
  checkStatements(report, read, engine === undefined ? ENGINES : [engine as Engine]);
  return read;
}

/** The settings in the comments before the first statement. */
function settingsOf(sql: string): { readonly value: string; readonly offset: number }[] {
  const settings: { value: string; offset: number }[] = [];
  let offset = 0;
  for (const line of sql.split('\n')) {
    if (!/^\s*(?:--.*)?$/.test(line)) break;
    const value = SETTING.exec(line)?.[1];
    if (value !== undefined) settings.push({ value: value.toLowerCase().replaceAll(/\s+/g, ' '), offset });
    offset += line.length + 1;
  }
  return settings;
}

function misnamed(folder: string, file: string): { readonly reason: string; readonly remedy: string } {
  if (file.slice(folder.length + 1).includes('/')) {
    return {
      reason: `it is in a subfolder, and only the files directly in ${folder} run`,
      remedy: `Move it to ${folder}, or out of it.`,
    };
  }
  // The names that other tools want: V1__orders.sql, 0001_orders.up.sql, 0001-orders.postgresql.sql.
  const [, digits = '1', rest = ''] =
    /^v?0*(\d{1,15})(?!\d)[-_.\s]*(.*)$/i.exec(basename(file).replace(/\.sql$/i, '')) ?? [];
  const engine = /\.(?:postgres(?:ql)?|pg)$/i.test(rest) ? '.postgres' : /\.sqlite3?$/i.test(rest) ? '.sqlite' : '';
  const words = rest
    .replace(/\.[a-z0-9]+$/i, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  return {
    reason: `its name is not a number, a hyphen and a name in lower case`,
    remedy: `Name it as in ${folder}/${digits.padStart(4, '0')}-${words || 'orders'}${engine}.sql.`,
  };
}

/** @param files in the order of numbers */
function checkNumbers({ report }: Linking, files: readonly MigrationFile[]): void {
  const byNumber = Map.groupBy(files, ({ number }) => number);
  const next = String((files.at(-1)?.number ?? 0) + 1).padStart(4, '0');
  for (const [first, ...others] of byNumber.values()) {
    for (const each of others) {
      if (first === undefined) continue;
      const parameters = { file: each.file, other: basename(first.file) };
      if (each.name !== first.name) {
        const remedy = `Renumber the one that has run on no database yet: its next number is ${next}.`;
        report.raise('migration-number', { ...parameters, reason: 'have the same number', remedy }, startOf(each.file));
      } else if (each.engine === undefined || first.engine === undefined) {
        const reason = 'are both for one engine: a file without an engine in its name is for all';
        const remedy = 'Name an engine in each (`.sqlite.sql`, `.postgres.sql`), or remove one.';
        report.raise('migration-number', { ...parameters, reason, remedy }, startOf(each.file));
      }
    }
  }
}

/** A file for all engines may be meant for one of them: what only another one would refuse is no mistake. */
function checkStatements(report: Linking['report'], file: MigrationFile, engines: readonly Engine[]): void {
  const [statements = [], ...others] = engines.map((engine) => splitSql(file.sql, engine));
  if (statements.length === 0) {
    const remedy = 'Write statements into it, or remove it.';
    report.raise('migration-sql', { reason: 'it contains no statement', remedy }, startOf(file.file));
  }
  for (const { offset, end, words } of statements) {
    if (words[0] !== 'copy' || !/\bfrom\s+stdin\b/i.test(file.sql.slice(offset, end))) continue;
    const remedy = 'Write the rows as INSERT: pg_dump --inserts does so.';
    report.raise('migration-sql', { reason: 'COPY FROM STDIN has no input here', remedy }, placeIn(file, offset));
  }
  for (const statement of statements.filter(isOfTransactions)) {
    const { offset, words } = statement;
    if (!others.every((each) => each.some((other) => other.offset === offset))) continue;
    const reason = `${words[0]} begins or ends a transaction`;
    const remedy = file.transaction
      ? 'Remove it: each migration runs in a transaction of its own.'
      : 'Remove it, or the line `-- signalbox: no transaction`, with which each statement commits by itself.';
    report.raise('migration-sql', { reason, remedy }, placeIn(file, offset));
  }
}

/** Warns of tables that are created where a project has migrations for them: other files may rely on their order. */
function checkSampleData({ report }: Linking, file: DefinitionFile, folder: string): void {
  if (file.kind === 'unreadable') return;
  for (const { offset, words } of splitSql(file.text, 'sqlite')) {
    if (!/^(?:create|alter|drop) /.test(words.join(' '))) continue;
    const statement = words.slice(0, 2).join(' ');
    report.raise('sample-data-tables', { statement, folder }, placeIn({ file: file.file, sql: file.text }, offset));
    return;
  }
}

const startOf = (file: string): Place => ({ file, line: 1, column: 1 });

function placeIn({ file, sql }: Pick<MigrationFile, 'file' | 'sql'>, offset: number): Place {
  const lines = sql.slice(0, offset).split('\n');
  return { file, line: lines.length, column: (lines.at(-1) ?? '').length + 1 };
}
