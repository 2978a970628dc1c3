import { Fault } from '../model/fault.ts';
import type { Query } from '../model/query.ts';
import type { Engine } from '../model/scalar-traits.ts';
import type { Row } from '../model/value.ts';
import { resting } from '../store/deadline.ts';
import { sweepTemporary } from '../store/file/folder.ts';
import { inSpan, type SpanStart } from '../trace/trace.ts';
import type { CsvOptions } from '../wire/csv.ts';
import { compileBinding } from './bind.ts';
import { openRunners, type QueryOptions, type Runners, resultsFolder } from './engines.ts';
import { rowsInside } from './inside.ts';
import { plainField } from './pages.ts';
import { type Dialect, type Plan, planOf } from './plan.ts';
import { compileMemberValues, runsConnected } from './prompts.ts';
import type { QueryCall, QueryPort, QueryResult, RowsCall } from './query-port.ts';
import { contentTypes } from './render/content-types.ts';
import type { RenderFormat } from './render/index.ts';
import { compileRows } from './render/values.ts';
import type { Command, RawResult, Runner, Spilled } from './runner.ts';

/** A query that was compiled at its first call. */
interface Compiled {
  readonly runner: Runner;
  readonly plan: Plan;
  /** `db.system.name` of the semantic conventions. */
  readonly system: string;
  readonly bind: ReturnType<typeof compileBinding>;
  readonly bindMembers: ReturnType<typeof compileMemberValues>;
  /** Parses rows for a handler. */
  readonly readRows: (result: Buffer) => Row[];
  /** Row caps: of the query itself, and of a member without one of its own. */
  readonly cap: number;
  readonly memberCap: number;
  readonly timeout: number;
}

/**
 * Opens the databases that stored queries read. The readers of the gateway's own database start in the background when queries
 * of it are declared: calls wait for them, and `ready` resolves when one has started. A datasource is opened with its first
 * query. The database must exist.
 */
export function openQueries(options: QueryOptions): QueryPort {
  sweepTemporary(resultsFolder(options));
  const runners = openRunners(options);
  const compile = compiler(options, runners.of);
  const execute = (call: Omit<QueryCall, 'format'>, format: RenderFormat): Promise<RawResult> => {
    const compiled = compile(call.query);
    const { runner, plan, timeout } = compiled;
    const command = commandOf(call, format, compiled);
    const { signal, caller } = call;
    const run = () =>
      inSpan(
        () => spanOf(compiled),
        () => runner.run({ plan, command, timeout, signal, caller }),
      );
    return timeout > options.limits.timeout ? resting(run) : run();
  };
  const explanations = new WeakMap<Query, Query>();
  const readRows = async (call: RowsCall): Promise<Row[]> => {
    const { content, truncated } = await execute(call, 'values');
    if (truncated) call.onTruncated?.();
    return compile(call.query).readRows(Buffer.isBuffer(content) ? content : await whole(content));
  };
  return {
    async run(call) {
      const { file } = call.format === 'csv' ? csvOf(call) : {};
      const headers = file === undefined ? {} : { 'Content-Disposition': `attachment; filename="${file}"` };
      return resultOf(await execute(call, call.format), contentTypes[call.format], headers);
    },
    rows: readRows,
    async explain(call) {
      const { dialect } = runners.of(call.query.datasource).database;
      const query = explanations.get(call.query) ?? explanationOf(call.query, dialect);
      explanations.set(call.query, query);
      return planText(await readRows({ ...call, query }), dialect);
    },
    async rowsInside(tx, call) {
      const { query } = call;
      if (query.datasource !== undefined)
        throw new Error(
          `${query.id} reads the datasource ${query.datasource.id}, which a transaction can't: it has the gateway's own database`,
        );
      const compiled = compile(query);
      const command = commandOf(call, 'values', compiled);
      const { content, truncated } = await inSpan(
        () => spanOf(compiled),
        () =>
          rowsInside(
            tx,
            options.store.postgres === undefined ? 'sqlite' : 'postgres',
            { ...compiled, command },
            options.timezone,
          ),
      );
      if (truncated) call.onTruncated?.();
      return compiled.readRows(content);
    },
    ready: () => runners.main.runner.ready(),
    status() {
      const all = runners.named().map(({ runner }) => runner.status());
      return {
        readers: all.flatMap(({ readers }) => readers),
        waiting: all.reduce((sum, { waiting }) => sum + waiting, 0),
      };
    },
    pools: () =>
      runners.named().map(({ name, runner }) => {
        const { readers, waiting } = runner.status();
        const busy = readers.filter((reader) => reader.busy).length;
        return { name, busy, idle: readers.length - busy, waiting, limit: runner.limit };
      }),
    async close() {
      await Promise.all(runners.opened().map(({ runner }) => runner.close()));
    },
  };
}

/**
 * The span of a query, by the semantic conventions for databases. The text of a declared query has placeholders for values;
 * that of a user's own may hold anything.
 */
function spanOf({ plan, system }: Compiled): SpanStart {
  const summary = `SELECT ${plan.isPrivate ? 'private query' : plan.name}`;
  return {
    name: summary,
    kind: 'client',
    attributes: {
      'db.system.name': system,
      'db.operation.name': 'SELECT',
      'db.query.summary': summary,
      'db.query.text': plan.isPrivate ? undefined : plan.sql,
    },
  };
}

/** The names of databases in the semantic conventions. */
const SYSTEMS: Readonly<Record<Engine, string>> = { sqlite: 'sqlite', postgres: 'postgresql', mysql: 'mysql' };

/** Compiles each query once. */
function compiler({ limits, timezone }: QueryOptions, openedOf: Runners['of']) {
  const compiled = new WeakMap<Query, Compiled>();
  let plans = 0;
  return (query: Query): Compiled => {
    const known = compiled.get(query);
    if (known !== undefined) return known;
    const { runner, database } = openedOf(query.datasource);
    const bindingOf = (each: Query) => compileBinding(each, database.dialect, timezone);
    plans += 1;
    const fresh: Compiled = {
      runner,
      system: SYSTEMS[database.dialect.engine],
      plan: planOf(query, plans, database.dialect),
      bind: bindingOf(query),
      bindMembers: compileMemberValues(query, bindingOf),
      readRows: compileRows(query),
      cap: query.rows ?? limits.rows,
      memberCap: limits.rows,
      timeout: query.timeout ?? limits.timeout,
    };
    compiled.set(query, fresh);
    return fresh;
  };
}

/** @throws Fault BAD_PARAMETER, MISSING_PARAMETER */
function commandOf(
  call: Omit<QueryCall, 'format'>,
  format: RenderFormat,
  { bind, bindMembers, cap, memberCap }: Compiled,
): Command {
  const own = call.maxrows ?? 0;
  // The caller's own limit truncates silently; the cap's truncation is reported, so one more row is read.
  const ownCuts = own > 0 && own <= cap;
  const fields = fieldIndices(call.query, call.fields);
  const nests = runsConnected(call, format);
  return {
    format,
    values: bind(call.prompts),
    limit: ownCuts ? own : cap,
    probe: !ownCuts,
    ...(fields === undefined ? {} : { fields }),
    ...(call.xml === undefined ? {} : { xml: call.xml }),
    ...(call.root === undefined ? {} : { root: call.root }),
    ...(format === 'csv' ? { csv: csvOf(call) } : {}),
    ...(nests ? { members: { values: bindMembers(call.members ?? {}), rows: memberCap } } : {}),
  };
}

/** Indices of the columns that a caller wants, in declared order; `undefined` for all. */
function fieldIndices(query: Query, fields: readonly string[] | undefined): number[] | undefined {
  if (fields === undefined || fields.length === 0) return undefined;
  const wanted = new Set(fields);
  const indices: number[] = [];
  for (const [index, column] of query.columns.entries()) if (wanted.delete(column.name)) indices.push(index);
  for (const name of wanted) throw Fault.of('BAD_PARAMETER', { name, reason: `is not a column of ${query.id}` });
  return indices.length === query.columns.length ? undefined : indices;
}

/** The query's own options, in whose place come those of the call. */
function csvOf({ query, csv }: Pick<QueryCall, 'query' | 'csv'>): CsvOptions {
  return { ...query.csv, ...csv };
}

function resultOf(
  { content, rows, truncated }: RawResult,
  contentType: string,
  others: Readonly<Record<string, string>>,
): QueryResult {
  const headers = { ...others, ...(truncated ? { 'Rows-Truncated': 'true' } : {}) };
  const facts = { contentType, rows, truncated, ...(Object.keys(headers).length === 0 ? {} : { headers }) };
  if (Buffer.isBuffer(content)) return { ...facts, length: content.length, body: content };
  const { file, length } = content;
  return { ...facts, length, body: (buffers) => stream(content, buffers), dispose: () => file.close() };
}

async function whole(spilled: Spilled): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(stream(spilled)), spilled.length);
}

/** Streams the bytes once: the file is closed at their end. @throws Error if the file ends early */
async function* stream(
  { file, start, length }: Spilled,
  buffers?: 'reused',
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* file.stream(start, length, buffers);
  } finally {
    file.close();
  }
}

/** Lines of a plan, at most. */
const MOST_LINES = 1000;

/**
 * A query whose rows are the database's plan for another. It has the same statement and prompts, and is checked as that is.
 * @throws Fault BAD_PARAMETER for an engine whose plans can't be read
 */
function explanationOf(query: Query, { explain }: Dialect): Query {
  if (explain === undefined) {
    const reason = 'is of a database whose plans are not shown; those of SQLite and PostgreSQL are';
    throw Fault.of('BAD_PARAMETER', { name: `Query ${query.id}`, reason });
  }
  const columns = explain.columns.map(({ name, kind }) => plainField(name, query, kind));
  return { ...query, columns, children: [], rows: MOST_LINES, explains: true };
}

/** The text of a plan: a line for each row, below the line that it belongs to. */
function planText(rows: readonly Row[], { explain }: Dialect): string {
  const depths = new Map<unknown, number>();
  const lines = rows.map((row) => {
    const [text, id, parent] = (explain?.columns ?? []).map(({ name }) => row[name]);
    const depth = (depths.get(parent) ?? -1) + 1;
    if (id !== undefined) depths.set(id, depth);
    return `${'  '.repeat(depth)}${text}`;
  });
  return lines.join('\n');
}
