import { randomUUID } from 'node:crypto';
import type { Db, JobQueue } from '../store/index.ts';
import { type Clock, instantText } from './clock.ts';
import type { Output, ParameterTexts } from './request.ts';
import { DISTRIBUTION, RUN_STATUS } from './status.ts';

/** The queue of requests that wait and run. */
export const QUEUE = 'processes';

/** A request to enter: everything is checked. */
export interface NewRequest {
  readonly type: string;
  readonly name: string;
  readonly operator: string;
  readonly runControl: string;
  readonly server: string;
  readonly parameters: ParameterTexts;
  readonly output: Output;
  /** Milliseconds since 1970. */
  readonly runs: number;
  /** Id of its recurrence; empty for none. */
  readonly recurrence: string;
  /** What recurs by itself is not followed by an instance that it enters. */
  readonly followed: boolean;
}

/** What entering needs. */
export interface EntryPorts {
  readonly queue: JobQueue;
  readonly clock: Clock;
}

/** Enters a request, and the job that runs it, as part of a transaction. Returns its instance number. */
export async function enterRequest(tx: Db, { queue, clock }: EntryPorts, request: NewRequest): Promise<number> {
  const instance = await nextInstance(tx);
  const now = clock.now();
  const { type, name, output } = request;
  await tx
    .insertInto('psprcsrqst')
    .values({
      prcsinstance: instance,
      // A request by itself is no part of a job.
      jobinstance: 0,
      mainjobinstance: 0,
      prcsjobseq: 0,
      prcsjobname: '',
      prcstype: type,
      prcsname: name,
      mainjobname: '',
      // On a server, of an operating system like UNIX: as the scheduler of the original numbers them.
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
  await sendJob(tx, queue, { instance, type, name, operator: request.operator, job, runs: request.runs, now });
  return instance;
}

/** What the job of a request says. */
export interface RequestData {
  readonly instance: number;
  readonly type: string;
  readonly name: string;
  readonly operator: string;
}

/** Enters the job of a request: `job` is its id, `runs` when it is due. */
export async function sendJob(
  tx: Db,
  queue: JobQueue,
  { job, runs, now, ...data }: RequestData & { readonly job: string; readonly runs: number; readonly now: number },
): Promise<void> {
  const after = runs > now ? { after: new Date(runs) } : {};
  await queue.send(tx, { queue: QUEUE, id: job, data, ...after });
}

/** The next instance number: above every one in the request table, whoever entered it. */
async function nextInstance(tx: Db): Promise<number> {
  const next = await nextNumber(tx, 'instance');
  // The number's row is this transaction's now: nobody else of ours enters a request before it ends.
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
