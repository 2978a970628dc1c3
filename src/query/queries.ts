import type { Datasource } from '../model/datasource.ts';
import { Fault } from '../model/fault.ts';
import type { Query } from '../model/query.ts';
import type { Row, Value } from '../model/value.ts';
import { sweepTemporary } from '../store/folder.ts';
import { type Bound, compileBinding } from './bind.ts';
import { compileMemberValues, runsConnected } from './connected/values.ts';
import { contentTypes } from './content-types.ts';
import { unavailable } from './errors.ts';
import type { Command, RenderFormat } from './frame.ts';
import { openRunner, resultsFolder } from './open-runner.ts';
import { type Plan, planOf } from './plan.ts';
import type { QueryCall, QueryDatabase, QueryOptions, QueryPort, QueryResult } from './port.ts';
import type { RawResult } from './reader-process.ts';
import { compileRows } from './rows.ts';
import type { Runner } from './runner.ts';

/** A query as the gateway holds it, compiled at its first call. */
interface Compiled {
  readonly runner: Runner;
  readonly plan: Plan;
  readonly bind: (prompts: Readonly<Record<string, Value>>) => Bound[];
  readonly bindMembers: ReturnType<typeof compileMemberValues>;
  readonly rows: (result: Buffer) => Row[];
  readonly cap: number;
  readonly timeout: number;
}

/** What one datasource is given: it is not the gateway's own. */
const DATASOURCE = { readers: 1, maxReaders: 4, connections: 5 } as const;

/**
 * Opens the databases that stored queries read. The readers of the gateway's own start at once and beside the caller: calls
 * wait for them, and `ready` tells; a datasource is opened with its first query. The database must have been made.
 */
export function openQueries(options: QueryOptions): QueryPort {
  sweepTemporary(resultsFolder(options));
  const runners = openRunners(options);
  const compile = compiler(options, runners.of);
  const execute = (call: Omit<QueryCall, 'format'>, format: RenderFormat): Promise<RawResult> => {
    const { runner, plan, timeout, ...compiled } = compile(call.query);
    return runner.run({
      plan,
      command: commandOf(call, format, plan, compiled, options),
      timeout,
      signal: call.signal,
    });
  };
  return {
    async run(call) {
      return resultOf(await execute(call, call.format), contentTypes[call.format]);
    },
    async rows(call) {
      const { content, truncated } = await execute(call, 'values');
      if (truncated) call.onTruncated?.();
      return compile(call.query).rows(Buffer.isBuffer(content) ? content : await wholeFile(content));
    },
    ready: () => runners.main.ready(),
    status() {
      const all = runners.opened().map((runner) => runner.status());
      return {
        readers: all.flatMap(({ readers }) => readers),
        waiting: all.reduce((sum, { waiting }) => sum + waiting, 0),
      };
    },
    async close() {
      await Promise.all(runners.opened().map((runner) => runner.close()));
    },
  };
}

function openRunners(options: QueryOptions) {
  const readers = options.readers ?? 2;
  const main = openRunner(
    options.store,
    {
      readers,
      maxReaders: Math.max(readers, options.maxReaders ?? 8),
      connections: options.store.postgres?.connections.queries ?? 0,
    },
    options,
  );
  const reached = new Map<string, QueryDatabase>(
    (options.datasources ?? []).map(({ datasource, database }) => [datasource.id, database]),
  );
  const others = new Map<string, Runner>();
  return {
    main,
    opened: (): readonly Runner[] => [main, ...others.values()],
    of(datasource: Datasource | undefined): Runner {
      if (datasource === undefined) return main;
      const known = others.get(datasource.id);
      if (known !== undefined) return known;
      const database = reached.get(datasource.id);
      if (database === undefined) throw unavailable(`the datasource ${datasource.id} is not configured`);
      const runner = openRunner(database, DATASOURCE, options);
      others.set(datasource.id, runner);
      return runner;
    },
  };
}

/** Compiles each query once. */
function compiler(
  { limits }: QueryOptions,
  runnerOf: (datasource: Datasource | undefined) => Runner,
): (query: Query) => Compiled {
  const compiled = new WeakMap<Query, Compiled>();
  let plans = 0;
  return (query) => {
    const known = compiled.get(query);
    if (known !== undefined) return known;
    const runner = runnerOf(query.datasource);
    plans += 1;
    const fresh: Compiled = {
      runner,
      plan: planOf(query, plans, runner.engine),
      bind: compileBinding(query, runner.engine),
      bindMembers: compileMemberValues(query, (member) => compileBinding(member, runner.engine)),
      rows: compileRows(query.columns),
      cap: query.rows ?? limits.rows,
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
  plan: Plan,
  { bind, bindMembers, cap }: Pick<Compiled, 'bind' | 'bindMembers' | 'cap'>,
  { limits }: QueryOptions,
): Command {
  const own = call.maxrows ?? 0;
  // The caller's own limit cuts silently; the cap cuts with a word, so a row behind it is looked for.
  const ownCuts = own > 0 && own <= cap;
  const fields = fieldIndices(call.query, call.fields);
  const nests = runsConnected(call, format);
  return {
    plan: plan.id,
    format,
    values: bind(call.prompts),
    limit: ownCuts ? own : cap,
    probe: !ownCuts,
    ...(fields === undefined ? {} : { fields }),
    ...(call.xml === undefined ? {} : { xml: call.xml }),
    ...(call.root === undefined ? {} : { root: call.root }),
    ...(nests ? { members: { values: bindMembers(call.members ?? {}), rows: limits.rows } } : {}),
  };
}

function resultOf(raw: RawResult, contentType: string): QueryResult {
  const { content, rows, truncated } = raw;
  const facts = { contentType, rows, truncated, ...(truncated ? { headers: { 'Rows-Truncated': 'true' } } : {}) };
  if (Buffer.isBuffer(content)) return { ...facts, length: content.length, body: content };
  const { file, range } = content;
  return { ...facts, length: range.length, body: () => file.stream(range), dispose: () => file.close() };
}

async function wholeFile(content: Exclude<RawResult['content'], Buffer>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(content.file.stream(content.range)), content.range.length);
}

/** Places of the columns that a caller wants, in declared order; undefined for all. */
function fieldIndices(query: Query, fields: readonly string[] | undefined): number[] | undefined {
  if (fields === undefined || fields.length === 0) return undefined;
  const wanted = new Set(fields);
  const indices: number[] = [];
  for (const [index, column] of query.columns.entries()) if (wanted.delete(column.name)) indices.push(index);
  for (const name of wanted) throw Fault.of('BAD_PARAMETER', { name, reason: `is not a column of ${query.id}` });
  return indices.length === query.columns.length ? undefined : indices;
}
