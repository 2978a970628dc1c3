import { randomUUID } from 'node:crypto';
import { type Db, type JobQueue, type Store, StoreBusyError, untilDeadline } from '../store/index.ts';
import { inContext } from '../trace/trace.ts';
import { type Clock, instantText } from './clock.ts';
import type { Output } from './output.ts';
import type { ParameterTexts } from './request.ts';
import { DISTRIBUTION, RUN_STATUS } from './status.ts';

/** The queue of process requests. */
export const QUEUE = 'processes';

/** A checked request, ready to be entered. */
export interface NewRequest {
  readonly type: string;
  readonly name: string;
  readonly operator: string;
  /** The definitions declare the operator. */
  readonly isDeclared: boolean;
  /** Of its job. */
  readonly kind: string;
  readonly runControl: string;
  readonly server: string;
  readonly parameters: ParameterTexts;
  readonly output: Output;
  /** Milliseconds since 1970. */
  readonly runs: number;
  /** Id of its recurrence; empty for none. */
  readonly recurrence: string;
  /** The next request of its recurrence must not be entered when this one begins. */
  readonly followed: boolean;
}

export interface EntryPorts {
  readonly store: Pick<Store, 'kind'>;
  readonly queue: JobQueue;
  readonly clock: Clock;
}

/** Enters a request and its job as part of a transaction. @param instance its number, which was reserved for it */
export async function enterRequest(
  tx: Db,
  { queue, clock, store: { kind } }: EntryPorts,
  request: NewRequest,
  instance: number,
): Promise<void> {
  const now = clock.now();
  const { type, name, operator, isDeclared, output } = request;
  const original = (db: Pick<Db, 'insertInto'>) =>
    db.insertInto('psprcsrqst').values({
      prcsinstance: instance,
      // The request does not belong to a job of several processes.
      jobinstance: 0,
      mainjobinstance: 0,
      prcsjobseq: 0,
      prcsjobname: '',
      prcstype: type,
      prcsname: name,
      mainjobname: '',
      // The original's numbers for a server and for UNIX.
      runlocation: '2',
      opsys: '4',
      servernamerqst: request.server,
      servernamerun: '',
      rundttm: clock.local(request.runs),
      recurname: request.recurrence,
      oprid: request.operator,
      runcntlid: request.runControl,
      runstatus: RUN_STATUS.Queued,
      diststatus: DISTRIBUTION.None,
      rqstdttm: clock.local(now),
      begindttm: null,
      enddttm: null,
    });
  const job = randomUUID();
  // PostgreSQL inserts both with one statement; on SQLite a statement costs no round trip.
  if (kind === 'sqlite') await original(tx).execute();
  const db = kind === 'sqlite' ? tx : (tx.with('original', original) as unknown as Db);
  await db
    .insertInto('signalbox_process_request')
    .values({
      instance,
      parameters: JSON.stringify(request.parameters),
      destination: output.destination,
      format: output.format,
      requested: instantText(now),
      runs: instantText(request.runs),
      job,
      attempt: 0,
      followed: request.followed ? 1 : 0,
      messages: 0,
    })
    .execute();
  const data: RequestData = { instance, type, name, operator, isDeclared };
  await sendJob(tx, queue, data, { kind: request.kind, job, runs: request.runs, now });
}

/** The data of a request's job. */
export interface RequestData {
  readonly instance: number;
  readonly type: string;
  readonly name: string;
  readonly operator: string;
  /** The definitions of the gateway that entered it declare the operator; absent in jobs of an older version. */
  readonly isDeclared?: boolean;
}

/** How the job of a request is entered. */
interface JobFacts {
  /** Its id. */
  readonly job: string;
  readonly kind: string | undefined;
  /** When it is due, in milliseconds since 1970. */
  readonly runs: number;
  readonly now: number;
}

/** Enters the job of a request. */
export async function sendJob(
  tx: Db,
  queue: JobQueue,
  data: RequestData,
  { job, kind, runs, now }: JobFacts,
): Promise<void> {
  const given = { ...(kind !== undefined && { kind }), ...(runs > now && { after: new Date(runs) }) };
  await queue.send(tx, { queue: QUEUE, id: job, data: { ...data }, ...given });
}

/** How often a request is entered anew, when another system has used its number in the meantime. */
const TRIES = 5;

/**
 * Runs a transaction that enters a request. Its number is reserved before, in a statement of its own: no transaction holds the
 * row that counts, so a gateway that hangs keeps no other from entering requests.
 */
export async function enterNext<T>(store: Store, work: (tx: Db, instance: number) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    const instance = await nextInstance(await store.tables(), store.kind);
    try {
      return await store.transaction((tx) => work(tx, instance));
    } catch (error) {
      if (tries === TRIES || !isTaken(error)) throw error;
    }
  }
}

/** Reserves an instance number, larger than all in the request table, including those that another system entered. */
export function nextInstance(db: Db, kind: Store['kind']): Promise<number> {
  return lastOf(db, kind, 1);
}

/** Reserves instance numbers: those that are asked for while a statement runs are reserved by the next one. */
export class InstanceNumbers {
  readonly #db: Db;
  readonly #kind: Store['kind'];
  #waiting: PromiseWithResolvers<number>[] = [];
  #runs = false;

  /** @param db a connection without a transaction, so that none holds the row that counts */
  constructor(db: Db, kind: Store['kind']) {
    this.#db = db;
    this.#kind = kind;
  }

  /** @throws StoreBusyError at the current deadline; StoreError */
  next(): Promise<number> {
    const asked = Promise.withResolvers<number>();
    this.#waiting.push(asked);
    // For all who wait, in the context of none of them.
    if (!this.#runs) void inContext({}, () => this.#reserve());
    return untilDeadline(asked.promise, () => new StoreBusyError('', 'a number for the request took too long'));
  }

  async #reserve(): Promise<void> {
    this.#runs = true;
    while (this.#waiting.length > 0) {
      const all = this.#waiting;
      this.#waiting = [];
      try {
        const last = await lastOf(this.#db, this.#kind, all.length);
        for (const [at, { resolve }] of all.entries()) resolve(last - all.length + 1 + at);
      } catch (error) {
        for (const { reject } of all) reject(error);
      }
    }
    this.#runs = false;
  }
}

/** Reserves so many instance numbers. @returns the last of them */
async function lastOf(db: Db, kind: Store['kind'], count: number): Promise<number> {
  const greatest = kind === 'sqlite' ? 'max' : 'greatest';
  const { last } = await db
    .updateTable('signalbox_process_number')
    .set(({ eb, fn, lit, selectFrom }) => {
      const highest = selectFrom('psprcsrqst').select((requests) =>
        requests.fn.coalesce(requests.fn.max('prcsinstance'), lit(0)).as('highest'),
      );
      return { last: eb(fn<number>(greatest, ['last', highest]), '+', count) };
    })
    .where('name', '=', 'instance')
    .returning('last')
    .executeTakeFirstOrThrow();
  return last;
}

/** Reserves the number of a report's content. One that is not used in the end leaves a gap. */
export async function nextContent(store: Store): Promise<number> {
  const db = await store.tables();
  const { last } = await db
    .updateTable('signalbox_process_number')
    .set(({ eb }) => ({ last: eb('last', '+', 1) }))
    .where('name', '=', 'content')
    .returning('last')
    .executeTakeFirstOrThrow();
  return last;
}

/** Whether a request could not be entered because its number is in use. */
function isTaken(error: unknown): boolean {
  if (!(error instanceof Error && 'code' in error)) return false;
  if (error.code === 'SQLITE_CONSTRAINT_PRIMARYKEY') return error.message.includes('psprcsrqst');
  return error.code === '23505' && 'table' in error && error.table === 'psprcsrqst';
}
