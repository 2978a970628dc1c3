import { randomUUID } from 'node:crypto';
import type { Db, JobQueue, Store } from '../store/index.ts';
import { type Clock, instantText } from './clock.ts';
import type { Output, ParameterTexts } from './request.ts';
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
  readonly queue: JobQueue;
  readonly clock: Clock;
}

/** Enters a request and its job as part of a transaction. @param instance its number, which was reserved for it */
export async function enterRequest(
  tx: Db,
  { queue, clock }: EntryPorts,
  request: NewRequest,
  instance: number,
): Promise<void> {
  const now = clock.now();
  const { type, name, operator, isDeclared, kind, output } = request;
  await tx
    .insertInto('psprcsrqst')
    .values({
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
    })
    .execute();
  const job = randomUUID();
  await tx
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
  await sendJob(tx, queue, data, { kind, job, runs: request.runs, now });
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
export async function nextInstance(db: Db, kind: Store['kind']): Promise<number> {
  const greatest = kind === 'sqlite' ? 'max' : 'greatest';
  const { last } = await db
    .updateTable('signalbox_process_number')
    .set(({ eb, fn, lit, selectFrom }) => {
      const highest = selectFrom('psprcsrqst').select((requests) =>
        requests.fn.coalesce(requests.fn.max('prcsinstance'), lit(0)).as('highest'),
      );
      return { last: eb(fn<number>(greatest, ['last', highest]), '+', 1) };
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
