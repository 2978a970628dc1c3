import type { BlobStore } from '../../model/blob.ts';
import { Fault } from '../../model/fault.ts';
import type { Query } from '../../model/query.ts';
import { type JobQueue, needRoom, type Store } from '../../store/index.ts';
import { faultOf } from '../errors.ts';
import { contentTypes } from '../render/content-types.ts';
import { ValueError } from '../render/value.ts';
import { renderRaw } from './render-block.ts';
import type { NewRun, QueryRuns } from './run-port.ts';
import { digestOf, type KeptRun, QUEUE, RunRows } from './run-rows.ts';
import { createRunWorker, keepResult, kindOfRun, type RunWorkerPorts } from './worker.ts';

export interface QueryRunsOptions extends Omit<RunWorkerPorts, 'rows' | 'blobs'> {
  readonly store: Store;
  readonly queue: JobQueue;
  readonly blobs: BlobStore;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** Bytes of one block, which is in memory whole: a larger row is available in a file only. */
const LARGEST_BLOCK = 67_108_864;

const EXTENSIONS = { json: 'json', xmlp: 'xml', webrowset: 'xml', html: 'html', xlsx: 'xlsx', csv: 'csv' } as const;

/** Ties the runs of queries to the queue, which is not started yet. */
export function openQueryRuns(options: QueryRunsOptions): QueryRuns {
  const { store, queue, registry, queries } = options;
  const { limits, timezone, retention } = registry.gateway;
  const rows = new RunRows(store, options.now ?? Date.now);
  const keyOf = createKeys();
  const blobs = options.blobs.scope(QUEUE);
  queue.work(QUEUE, createRunWorker({ ...options, rows, blobs }));
  return {
    async enter(run, user) {
      await needRoom(queue, QUEUE, limits.queued, 'queries');
      if (user !== undefined) await options.owners.keep(user);
      const file = run.file ? fileName(run) : undefined;
      const key = keyOf(run.owner);
      return store.transaction(async (tx) => {
        const entered = await rows.insert(tx, run, file);
        const data = { id: entered, isDeclared: user?.origin === 'definitions' };
        return queue.send(tx, { queue: QUEUE, id: entered, key, kind: kindOfRun(run.query), data });
      }, `queries ${key}`);
    },
    async keepFile(run, { signal, sharer: caller }) {
      const file = fileName(run);
      const { query, input, format } = run;
      const result = await keepResult({ queries, blobs }, { query, input, format, file, signal, caller });
      try {
        const id = await rows.insert(await store.tables(), run, file, result);
        return (await rows.find(id)) as KeptRun;
      } catch (error) {
        await blobs.delete(result.blob);
        throw error;
      }
    },
    find: (id) => rows.find(id),
    cancel: (id, owner) =>
      store.transaction(async (tx) => {
        const found = await rows.find(id, tx);
        if (found?.owner !== owner) return 'idNotFound';
        if (!(await rows.kill(tx, id, owner))) return 'fail';
        await queue.cancel(tx, QUEUE, id);
        return 'success';
      }),
    async block(run, query, number, { format, root }) {
      const { blob: key, starts, shape, bytes, input } = run as KeptRun;
      if (shape !== digestOf(query)) {
        const reason = 'was made of another version of the query; run it again';
        throw Fault.of('CONFLICT', { what: `Run ${run.id} of ${query.id}`, reason });
      }
      const start = starts[number - 1];
      const blob = key === undefined ? undefined : await blobs.get(key);
      if (blob === undefined || start === undefined) return undefined;
      const [offset, first] = start;
      const end = starts[number]?.[0] ?? bytes;
      const length = end - offset;
      if (length > LARGEST_BLOCK) {
        const reason = `is a row of ${length} bytes, and a block holds ${LARGEST_BLOCK}; run the query to a FILE`;
        throw Fault.of('BAD_PARAMETER', { name: 'blocknumber', reason });
      }
      const lines = await Array.fromAsync(blob.stream({ start: offset, length }));
      const { fields, connected } = input;
      const form = {
        ...{ query, format, timezone, first, connected },
        ...(fields === undefined ? {} : { fields }),
        ...(root === undefined ? {} : { root }),
      };
      const rendered = rendering(query, () => renderRaw(Buffer.concat(lines), form));
      return { bytes: rendered, contentType: contentTypes[format] };
    },
    async content(run) {
      const { blob, file } = run as KeptRun;
      return blob === undefined || file === undefined ? undefined : blobs.get(blob);
    },
    retained: {
      kind: 'results',
      keep: retention.results,
      async remove(tx, { before, most }) {
        const count = await rows.expire(tx, before, most);
        return { count, more: count === most, afterwards: () => blobs.expire(new Date(before)) };
      },
    },
    busy: (tx, users) => rows.busy(tx, users),
  };
}

/** Writes rows that were kept as the database returned them. @throws Fault where one does not fit its column */
function rendering<T>(query: Query, render: () => T): T {
  try {
    return render();
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    const { code, message } = error;
    throw faultOf({ name: query.id, ...(query.owner === undefined ? {} : { isPrivate: true }) }, { code, message });
  }
}

/** Runs of one owner at the same time. */
const OF_ONE_OWNER = 2;
/** Owners whose last key is remembered. */
const REMEMBERED = 1000;

/**
 * Gives out keys of jobs. Runs of one key run one after the other: an owner's have a few keys in turn, so that they leave
 * room for those of others.
 */
function createKeys(): (owner: string) => string {
  const last = new Map<string, number>();
  return (owner) => {
    const turn = ((last.get(owner) ?? 0) + 1) % OF_ONE_OWNER;
    last.delete(owner);
    last.set(owner, turn);
    const [oldest] = last.keys();
    if (last.size > REMEMBERED && oldest !== undefined) last.delete(oldest);
    return `${turn} ${owner}`;
  };
}

function fileName({ query, format }: NewRun): string {
  return (format === 'csv' ? query.csv?.file : undefined) ?? `${query.id}.${EXTENSIONS[format]}`;
}
