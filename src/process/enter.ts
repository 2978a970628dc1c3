import { randomUUID } from 'node:crypto';
import type { Db, JobQueue } from '../store/index.ts';
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

/** Enters a request and its job as part of a transaction. @returns the instance number */
export async function enterRequest(tx: Db, { queue, clock }: EntryPorts, request: NewRequest): Promise<number> {
  const instance = await nextInstance(tx);
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
  return instance;
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

/** The next instance number, larger than all in the request table, including those that another system entered. */
async function nextInstance(tx: Db): Promise<number> {
  const next = await nextNumber(tx, 'instance');
  // The row of the number is locked: no other gateway enters a request before this transaction ends.
  const { highest } = await tx
    .selectFrom('psprcsrqst')
    .select(({ fn }) => fn.max('prcsinstance').as('highest'))
    .executeTakeFirstOrThrow();
  if (highest === null || highest < next) return next;
  const last = highest + 1;
  await tx.updateTable('signalbox_process_number').set({ last }).where('name', '=', 'instance').execute();
  return last;
}

/** The next number of a report's content. */
export function nextContent(tx: Db): Promise<number> {
  return nextNumber(tx, 'content');
}

async function nextNumber(tx: Db, name: string): Promise<number> {
  const { last } = await tx
    .updateTable('signalbox_process_number')
    .set(({ eb }) => ({ last: eb('last', '+', 1) }))
    .where('name', '=', name)
    .returning('last')
    .executeTakeFirstOrThrow();
  return last;
}
