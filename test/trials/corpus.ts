// Imports contracts that others wrote, and checks what is written for them: see --help.
import { readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Declared, declare, type Found, ImportError, importContracts, update } from '../../src/import/index.ts';
import { loadTexts } from '../../src/load/index.ts';
import { reportMessages, reportRest } from './corpus/messages/report.ts';
import { reportInstances } from './corpus/report.ts';
import { reportTools } from './corpus/tools/report.ts';
import { TOOLS, type Tool } from './corpus/tools/run.ts';

const HELP = `usage: npm run corpus -- [--corpus <dir>] [--only <text>] [--as consumer|provider|both] [--sample <n>] [--losses] [--tolerant] [--quiet]
                          [--instances <n> [--seed <n>]] [--messages <n> [--kind wsdl|openapi] [--described] [--seed <n>]]
                          [--tools <names>]

Imports each file of a corpus, whose INDEX.tsv says what is expected of it, and loads the definitions that are written.
--tolerant takes what is valid of the others: those that must be refused then import, or are refused with a place.
--sample takes every n-th file; --losses lists what could not be carried, most frequent first; --only takes the files whose
path contains a text. --as is the role in which it is imported; the figures of both are those of the consumer.

--instances makes n random instances, and mutants of them, of each global element and named schema of the WSDL and OpenAPI files
that must import, and holds the word of xmllint and ajv on them against what the import reads, writes and describes; --seed
repeats a run.

--messages with --as provider serves each WSDL that must import, and calls each operation n times with zeep (Python), a client
that has read the WSDL itself, or with --described the one that we describe of it; with --as consumer it calls each operation at
a server that keeps what is sent. --kind openapi does the same for OpenAPI, with requests and replies that are written as its
tables of styles and media types say, apart from what the gateway does.


--tools reads the WSDL and WADL files that must import, and what we describe of them where they are served, with tools of other
makers: php, zeep, wsdl2h, wsdl2java, wsimport, wadl2java (any of them, with commas between, or all). A tool that accepts the
original must accept the description, with the same operations. Those in Java need Maven and the built package.`;

const { values } = parseArgs({
  options: {
    corpus: { type: 'string', default: new URL('../../../shared/corpus/import', import.meta.url).pathname },
    only: { type: 'string', default: '' },
    as: { type: 'string', default: 'both' },
    sample: { type: 'string', default: '1' },
    losses: { type: 'boolean', default: false },
    tolerant: { type: 'boolean', default: false },
    instances: { type: 'string' },
    messages: { type: 'string' },
    kind: { type: 'string', default: 'wsdl' },
    described: { type: 'boolean', default: false },
    tools: { type: 'string' },
    seed: { type: 'string', default: '1' },
    quiet: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

interface Row {
  readonly kind: string;
  readonly expect: string;
  readonly path: string;
  readonly operations: number;
}

/** What came of one file. */
interface Outcome {
  readonly row: Row;
  readonly milliseconds: number;
  readonly refused?: ImportError;
  readonly crash?: Error;
  readonly operations: number;
  readonly documents: number;
  readonly losses: readonly string[];
  readonly errors: readonly string[];
}

async function readRows(): Promise<Row[]> {
  const text = await readFile(join(values.corpus, 'INDEX.tsv'), 'utf8');
  const step = Number(values.sample);
  return text
    .trim()
    .split('\n')
    .slice(1)
    .filter((line, index) => line.includes(values.only) && index % step === 0)
    .map((line) => {
      const [kind = '', expect = '', path = '', operations = '0'] = line.split('\t');
      return { kind, expect, path, operations: Number(operations) };
    });
}

async function read(location: string): Promise<Found> {
  if (/^https?:/i.test(location)) return { missing: 'is on the network' };
  try {
    const { isFile } = await stat(location).then((found) => ({ isFile: found.isFile() }));
    return isFile ? { bytes: await readFile(location) } : { missing: 'is a folder' };
  } catch {
    return { missing: 'does not exist' };
  }
}

async function tryFile(row: Row): Promise<Outcome> {
  const started = performance.now();
  const none = { row, operations: 0, documents: 0, losses: [], errors: [] };
  const since = (): number => performance.now() - started;
  try {
    const imported = await importContracts([join(values.corpus, 'files', row.path)], read, {
      tolerant: values.tolerant,
    });
    const taken = { service: [], node: [], 'permission-list': [], scheme: [], document: [] };
    const declareAs = (as: 'consumer' | 'provider'): readonly Declared[] =>
      imported.flatMap(({ contract, losses }) => declare(contract, { as, name: 'PARTNER', taken }, losses));
    const [first, second] = values.as === 'both' ? (['consumer', 'provider'] as const) : [roleOf(values.as)];
    const declared = declareAs(first);
    const milliseconds = since();
    const told = imported.flatMap(({ losses }) => losses.all().map(({ what, instead }) => `${what}: ${instead}`));
    const errors = errorsOf(declared, first);
    return {
      ...none,
      milliseconds,
      operations: imported.flatMap(({ contract }) => contract.services.flatMap(({ operations }) => operations)).length,
      documents: declared.filter(({ kind }) => kind === 'document').length,
      losses: told,
      errors: second === undefined ? errors : [...errors, ...errorsOf(declareAs(second), second)],
    };
  } catch (error) {
    if (error instanceof ImportError) return { ...none, milliseconds: since(), refused: error };
    return { ...none, milliseconds: since(), crash: error as Error };
  }
}

function roleOf(word: string): 'consumer' | 'provider' {
  return word === 'provider' ? 'provider' : 'consumer';
}

/** The errors of `check` in what was written. */
function errorsOf(declared: readonly Declared[], as: string): readonly string[] {
  const { files } = update({
    files: new Map([['definitions/gateway.yaml', 'gateway: LOCAL\n']]),
    before: [],
    after: declared,
    pathOf: (file) => `definitions/${file}.yaml`,
  });
  const { diagnostics } = loadTexts(new Map([['definitions/gateway.yaml', 'gateway: LOCAL\n'], ...files]));
  return diagnostics
    .filter(({ severity }) => severity === 'error')
    .map(({ code, message }) => `as ${as}: ${code}: ${message}`);
}

/** What is wrong with an outcome; `undefined` when it is as expected. */
function complaint({ row, refused, crash, operations, losses, errors }: Outcome): string | undefined {
  if (crash !== undefined) return `crashed: ${crash.stack?.split('\n').slice(0, 3).join(' ')}`;
  if (row.expect === 'disputed') return refused === undefined && errors.length > 0 ? errors[0] : undefined;
  if (row.expect === 'refuse') {
    // A part that is missing is listed, and no reason to refuse the rest.
    const lacksParts = losses.some((each) => /^the part "/.test(each));
    if (refused === undefined && (values.tolerant || lacksParts)) return errors[0];
    if (refused === undefined) return 'was not refused';
    return refused.place.line === 0 ? `was refused without a place: ${refused.message}` : undefined;
  }
  if (refused !== undefined) return `was refused: ${refused.message}`;
  if (errors.length > 0) return `${errors.length} errors: ${errors[0]}`;
  const told = losses.length > 0 && row.kind !== 'wsdl';
  if (operations < row.operations && !told && row.kind !== 'wadl')
    return `${operations} of ${row.operations} operations`;
  if (row.expect === 'missing-part' && !losses.some((each) => /does not exist|part "|prefix/.test(each)))
    return 'does not name the missing part';
  return undefined;
}

if (values.help) process.stdout.write(`${HELP}\n`);
else if (values.instances !== undefined) {
  const rows = (await readRows()).filter(
    ({ kind, expect }) => (kind === 'wsdl' || kind === 'openapi') && expect === 'must-import',
  );
  const contracts = rows.map(({ kind, path }) => ({ kind, path: join(values.corpus, 'files', path) }));
  const found = await reportInstances(contracts, read, { count: Number(values.instances), seed: values.seed });
  if (found > 0) process.exitCode = 1;
} else if (values.messages !== undefined) {
  const rows = (await readRows()).filter(({ kind, expect }) => kind === values.kind && expect === 'must-import');
  const contracts = rows.map(({ path }) => ({ short: path, path: join(values.corpus, 'files', path) }));
  const options = {
    count: Number(values.messages),
    seed: values.seed,
    own: values.described,
    calling: values.as === 'consumer',
  };
  const report = values.kind === 'wsdl' ? reportMessages : reportRest;
  if ((await report(contracts, read, options)) > 0) process.exitCode = 1;
} else if (values.tools !== undefined) {
  const known = Object.keys(TOOLS) as Tool[];
  const named = values.tools.split(',');
  const tools = named.includes('all') ? known : known.filter((each) => named.includes(each));
  if (tools.length === 0) throw new Error(`--tools takes ${known.join(', ')} or all, not "${values.tools}"`);
  const rows = (await readRows()).filter(({ expect }) => expect === 'must-import');
  const contracts = rows.map(({ kind, path }) => ({ kind, path: join(values.corpus, 'files', path) }));
  if ((await reportTools(tools, contracts, read)) > 0) process.exitCode = 1;
} else {
  const outcomes: Outcome[] = [];
  const peak = { milliseconds: 0, path: '' };
  for (const row of await readRows()) {
    const outcome = await tryFile(row);
    outcomes.push(outcome);
    if (outcome.milliseconds > peak.milliseconds)
      Object.assign(peak, { milliseconds: outcome.milliseconds, path: row.path });
  }
  const failed = outcomes.flatMap((each) => {
    const words = complaint(each);
    return words === undefined ? [] : [{ each, words }];
  });
  if (!values.quiet)
    for (const { each, words } of failed)
      process.stdout.write(`${each.row.kind} ${each.row.expect} ${each.row.path}\n    ${words}\n`);
  const groups = Map.groupBy(outcomes, ({ row }) => `${row.kind} ${row.expect}`);
  for (const [group, all] of groups) {
    const bad = failed.filter(({ each }) => all.includes(each)).length;
    const sum = (key: 'operations' | 'documents'): number => all.reduce((total, each) => total + each[key], 0);
    const lossy = all.filter(({ losses }) => losses.length > 0).length;
    process.stdout.write(
      `${group.padEnd(22)} ${String(all.length - bad).padStart(4)} of ${all.length}, ${sum('operations')} operations, ${sum('documents')} documents, ${lossy} with losses\n`,
    );
  }
  process.stdout.write(
    `slowest: ${Math.round(peak.milliseconds)} ms, ${dirname(peak.path)}; ${Math.round(process.memoryUsage().rss / 1024 ** 2)} MB\n`,
  );
  if (values.losses) {
    const counts = new Map<string, number>();
    for (const { losses } of outcomes)
      for (const each of new Set(losses.map((text) => text.replace(/"[^"]*"/g, '"…"'))))
        counts.set(each, (counts.get(each) ?? 0) + 1);
    for (const [text, count] of [...counts].sort(([, a], [, b]) => b - a).slice(0, 60))
      process.stdout.write(`${String(count).padStart(5)}  ${text}\n`);
  }
  process.stdout.write(`${outcomes.length - failed.length} passed, ${failed.length} failed\n`);
  if (failed.length > 0) process.exitCode = 1;
}
