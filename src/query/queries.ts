import { Fault } from '../model/fault.ts';
import type { Query } from '../model/query.ts';
import type { Row, Value } from '../model/value.ts';
import { sweepTemporary } from '../store/folder.ts';
import { type Bound, compileBinding } from './bind.ts';
import type { RenderFormat } from './frame.ts';
import { type Plan, planOf } from './plan.ts';
import { Pool } from './pool.ts';
import type { QueryCall, QueryOptions, QueryPort, QueryResult, ResultFormat } from './port.ts';
import type { RawResult } from './reader-process.ts';
import { compileRows } from './rows.ts';

const contentTypes: Readonly<Record<ResultFormat, string>> = {
  json: 'application/json',
  xmlp: 'application/xml',
  webrowset: 'application/xml',
  csv: 'text/csv; charset=utf-8; header=present',
  'rows-json': 'application/json',
  'rows-xml': 'application/xml',
};

/** A query as the gateway holds it, compiled at its first call. */
interface Compiled {
  readonly plan: Plan;
  readonly bind: (prompts: Readonly<Record<string, Value>>) => Bound[];
  readonly rows: (result: Buffer) => Row[];
  readonly cap: number;
  readonly timeout: number;
}

/**
 * Opens the readers of a database. They start at once and beside the caller: calls wait for them, and `ready` tells.
 * The database must have been made.
 */
export function openQueries(options: QueryOptions): QueryPort {
  const readers = options.readers ?? 2;
  const temporary = `${options.store.location}-results`;
  sweepTemporary(temporary);
  const pool = new Pool({
    reader: { location: options.store.location, timezone: options.timezone, temporary },
    readers,
    maxReaders: Math.max(readers, options.maxReaders ?? 8),
    maxWaiting: options.maxWaiting ?? 1000,
    idleTimeout: options.idleTimeout ?? 30_000,
  });
  const compiled = new WeakMap<Query, Compiled>();
  let plans = 0;
  const compile = (query: Query): Compiled => {
    const known = compiled.get(query);
    if (known !== undefined) return known;
    plans += 1;
    const fresh: Compiled = {
      plan: planOf(query, plans),
      bind: compileBinding(query),
      rows: compileRows(query.columns),
      cap: query.rows ?? options.limits.rows,
      timeout: query.timeout ?? options.limits.timeout,
    };
    compiled.set(query, fresh);
    return fresh;
  };
  const execute = (call: Omit<QueryCall, 'format'>, format: RenderFormat): Promise<RawResult> => {
    const { plan, bind, cap, timeout } = compile(call.query);
    const own = call.maxrows ?? 0;
    // The caller's own limit cuts silently; the cap cuts with a word, so a row behind it is looked for.
    const ownCuts = own > 0 && own <= cap;
    const fields = fieldIndices(call.query, call.fields);
    const command = {
      plan: plan.id,
      format,
      values: bind(call.prompts),
      limit: ownCuts ? own : cap,
      probe: !ownCuts,
      ...(fields === undefined ? {} : { fields }),
      ...(call.xml === undefined ? {} : { xml: call.xml }),
    };
    return pool.run({ plan, command, timeout, signal: call.signal });
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
    ready: () => pool.ready(),
    status: () => pool.status(),
    close: () => pool.close(),
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
