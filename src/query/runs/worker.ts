import { randomUUID } from 'node:crypto';
import type { Blobs } from '../../model/blob.ts';
import { Fault } from '../../model/fault.ts';
import type { Query } from '../../model/query.ts';
import type { Registry } from '../../model/registry.ts';
import type { Attachment } from '../../model/value.ts';
import { type Account, beginAccount, kindOfWork } from '../../model/work.ts';
import { type Job, JobLost, JobUnknown, type Worker, WorkerDied } from '../../store/index.ts';
import { abandoned } from '../errors.ts';
import { membersOf, type QueryInput, readInput } from '../input.ts';
import type { QueryPort, QueryResult } from '../query-port.ts';
import type { SavedQueries } from '../saved.ts';
import type { RunFormat, RunOwners } from './run-port.ts';
import { BlockCounter, digestOf, type KeptRun, type RunResult, type RunRows } from './run-rows.ts';

export interface RunWorkerPorts {
  readonly registry: Registry;
  readonly queries: QueryPort;
  readonly saved: SavedQueries;
  readonly owners: RunOwners;
  readonly rows: RunRows;
  readonly blobs: Blobs;
  readonly onError: (error: Error, facts: Readonly<Record<string, unknown>>) => void;
  /** Notified of each attempt that has ended. */
  readonly account?: Account | undefined;
}

/** Runs at the same time in one gateway: callers who wait for an answer need readers too. */
const CONCURRENCY = 4;

/** For a database that is away, and gateways that die. Milliseconds. */
const RETRY = { attempts: 6, first: 1000, longest: 60_000 } as const;

/**
 * The worker that carries out runs. A query that can't be answered ends its run, but is not a failure of the job: only errors
 * that may be temporary are retried.
 */
export function createRunWorker(ports: RunWorkerPorts): Worker {
  const { rows } = ports;
  return {
    concurrency: CONCURRENCY,
    retry: RETRY,
    kinds: () => ports.registry.queries.values().map(kindOfRun),
    // The keys only bound how many of an owner's run at the same time.
    isUnordered: true,
    run: (job) => work(ports, job),
    async onRetry(tx, job) {
      await rows.move(idOf(job), 'queued', tx);
    },
    async onDead(tx, job, error) {
      const died = error instanceof WorkerDied;
      await rows.fail(tx, idOf(job), died ? `Its gateway ended ${job.attempt} times while it ran.` : saidOf(error));
    },
  };
}

const idOf = ({ data }: Pick<Job, 'data'>): string => String(data.id);

async function work(ports: RunWorkerPorts, job: Job): Promise<void> {
  const { rows, blobs } = ports;
  const id = idOf(job);
  const found = await rows.find(id);
  if (found !== undefined && !found.isPrivate) await needKnown(ports, job, found);
  const run = (await rows.move(id, 'running')) ? found : undefined;
  // It was cancelled before it began.
  if (run === undefined) return;
  let kept: string | undefined;
  const { query: name, owner: user } = run;
  const tell = beginAccount(ports.account, { kind: 'query', name, id, user, attempt: job.attempt });
  try {
    const query = await queryOf(ports, run);
    const { input, format, file } = run;
    const { signal } = job;
    const onRead = async (): Promise<void> => {
      if (!(await rows.move(id, 'posting'))) throw new JobLost('it was cancelled while it ran');
    };
    const result = await keepResult(ports, { query, input, format, file, signal, caller: `user ${user}`, onRead });
    kept = result.blob;
    if (await job.complete((tx) => rows.succeed(tx, id, result))) kept = undefined;
    tell();
  } catch (error) {
    tell(error);
    if (job.signal.aborted || error instanceof JobLost || isPassing(error)) throw error;
    if (!(error instanceof Fault)) ports.onError(error as Error, { run: id, query: run.query });
    await job.complete((tx) => rows.fail(tx, id, saidOf(error)));
  } finally {
    // Where that fails too, it goes when all of its age go.
    if (kept !== undefined) await blobs.delete(kept).catch(() => false);
  }
}

/** The kind of the job of a run. */
export function kindOfRun(query: Query): string {
  if (query.owner !== undefined) return 'private queries';
  const all = [query, ...membersOf(query)];
  const prompts = all.flatMap((each) => each.prompts);
  return kindOfWork(`${query.id} ${digestOf(query)}`, prompts, all);
}

/**
 * Checks that this gateway has what a run needs, if the definitions of the gateway that entered it may be others.
 * @throws JobUnknown; Fault UNAVAILABLE
 */
async function needKnown(
  { registry, owners }: RunWorkerPorts,
  { kind, data }: Job,
  { query: name, owner, shape, input }: KeptRun,
): Promise<void> {
  const query = registry.queries.get(name);
  if (query === undefined) throw new JobUnknown(`there is no query ${name} here`);
  if (digestOf(query) !== shape) throw new JobUnknown(`the columns of query ${name} are others here`);
  const isSame = kind === kindOfRun(query);
  if (!isSame && !accepts(query, input)) throw new JobUnknown(`the prompts of query ${name} are others here`);
  if (isSame && data.isDeclared !== true) return;
  if (!(await owners.mayRun(owner, input.connected ? [query, ...membersOf(query)] : [query])))
    throw new JobUnknown(`user ${owner} may not run query ${name} here`, { allOfKind: false });
}

function accepts(query: Query, input: QueryInput): boolean {
  try {
    readInput(query, input);
    return true;
  } catch (error) {
    if (error instanceof Fault) return false;
    throw error;
  }
}

/** @throws Fault NOT_FOUND, FORBIDDEN, CONFLICT, UNAVAILABLE */
async function queryOf({ registry, saved, owners }: RunWorkerPorts, run: KeptRun): Promise<Query> {
  const { query: name, isPrivate, owner, shape, input } = run;
  const query = isPrivate ? await saved.find(owner, name) : registry.queries.get(name);
  if (query === undefined) throw Fault.of('NOT_FOUND', { what: `query ${name} any more` });
  const all = input.connected ? [query, ...membersOf(query)] : [query];
  if (!(await owners.mayRun(owner, all)))
    throw Fault.of('FORBIDDEN', { user: `User ${owner}`, what: `query ${name} any more` });
  if (digestOf(query) !== shape) {
    throw Fault.of('CONFLICT', { what: `Query ${name}`, reason: 'has changed since the run was entered' });
  }
  return query;
}

function isPassing(error: unknown): boolean {
  return !(error instanceof Fault) ? isStorageError(error) : error.code === 'UNAVAILABLE';
}

/** Errors of the database's connection say so by a code; the queue tries again. */
function isStorageError(error: unknown): boolean {
  return error instanceof Error && ('code' in error || error.name === 'StoreError');
}

/** The reason as it is shown to the caller. */
function saidOf(error: unknown): string {
  if (error instanceof JobUnknown) return `${error.message}.`;
  return error instanceof Fault ? error.message : 'The run failed; the log of the gateway says why.';
}

interface KeepPorts {
  readonly queries: QueryPort;
  readonly blobs: Blobs;
}

/** A result to keep. */
interface KeepCall {
  readonly query: Query;
  readonly input: QueryInput;
  readonly format: RunFormat;
  /** Name of the file; undefined where rows are kept, of which blocks are made later. */
  readonly file: string | undefined;
  readonly signal: AbortSignal;
  /** Whose share of the readers it takes. */
  readonly caller: string | undefined;
  /** Called once the rows have been read. */
  readonly onRead?: () => Promise<void>;
}

/**
 * Runs a query and streams its result into a blob.
 * @throws Fault as QueryPort.run does, and STORAGE_FULL; an AbortError where the signal ended it. Then nothing of it stays
 */
export async function keepResult({ queries, blobs }: KeepPorts, call: KeepCall): Promise<RunResult> {
  const { query, input, format, file, signal, caller, onRead } = call;
  const asked = readInput(query, input);
  const result = await queries.run({ ...asked, format: file === undefined ? 'raw' : format, signal, caller });
  try {
    await onRead?.();
    const counter = file === undefined ? new BlockCounter() : undefined;
    const { length, rows, truncated } = result;
    const blob = await blobs.put(randomUUID(), contentOf(result, file, counter, signal));
    return {
      columns: asked.fields?.length ?? query.columns.length,
      rows,
      bytes: length,
      truncated,
      blocks: counter?.starts ?? [[0, 1]],
      blob: blob.key,
    };
  } finally {
    result.dispose?.();
  }
}

function contentOf(
  result: QueryResult,
  name: string | undefined,
  counter: BlockCounter | undefined,
  signal: AbortSignal,
): Attachment {
  const { contentType, length, body } = result;
  return {
    contentType,
    length,
    ...(name === undefined ? {} : { name }),
    async *stream() {
      for await (const chunk of body instanceof Uint8Array ? [body] : body()) {
        if (signal.aborted) throw abandoned(signal);
        counter?.push(chunk);
        yield chunk;
      }
    },
  };
}
