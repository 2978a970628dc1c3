import { maskTexts } from '../codec/redact/declared.ts';
import type { Registry } from '../model/registry.ts';
import type { User } from '../model/security.ts';
import {
  type Db,
  type Job,
  JobLost,
  JobNotBegun,
  type JobOwner,
  JobUnknown,
  type Store,
  StoreError,
} from '../store/index.ts';
import { inNewTrace } from '../trace/trace.ts';
import { type Clock, createClock, instantText } from './clock.ts';
import { enterRequest, QUEUE, type RequestData } from './enter.ts';
import { addLines, type LogLine } from './message-log.ts';
import type { RunPorts } from './process-port.ts';
import { findProgram, kindOfProgram, mayRun, PRIVATE_KIND, type Program } from './program.ts';
import { type ParameterTexts, parameterProblem } from './request.ts';
import { type RequestRow, selectRequests, updateOwn } from './rows.ts';
import { followingRequest } from './schedule.ts';
import { DISTRIBUTION, move, RUN_STATUS, type Step, wordOf } from './status.ts';

/** A request that an attempt has taken up. */
export interface Taken {
  readonly row: RequestRow;
  /** `undefined` if it is no longer declared. */
  readonly program: Program | undefined;
  readonly texts: ParameterTexts;
  /** Id of the attempt, in the request's row while the attempt has the request. */
  readonly run: string;
  /** From 1. */
  readonly attempt: number;
}

/** Whether no other request has to be entered when this one begins: it does not recur, or the next was entered already. */
export async function isFollowed(store: Store, instance: number): Promise<boolean> {
  const db = await store.tables();
  const own = await db
    .selectFrom('signalbox_process_request')
    .select('followed')
    .where('instance', '=', instance)
    .executeTakeFirst();
  return own?.followed !== 0;
}

/** The facts in a job about its request, with the program and the user that this gateway found for them. */
interface Wanted extends Pick<Taken, 'program'>, Pick<RequestData, 'isDeclared'> {
  /** Of the job. */
  readonly kind?: string | undefined;
  readonly user: User | undefined;
}

/**
 * Takes up a request for an attempt, and enters the next request of its recurrence, once.
 * @param next the number of that next request, for a request that is not followed
 * @returns `undefined` when there is nothing to run: the request was held, cancelled or deleted, or has ended
 * @throws JobUnknown when the definitions of this gateway lack what it needs
 */
export async function initiate(
  tx: Db,
  ports: RunPorts,
  { id, attempt, instance, program, ...request }: Pick<Job, 'id' | 'attempt'> & Wanted & { readonly instance: number },
  run: string,
  next?: number,
): Promise<Taken | undefined> {
  const { clock, server } = ports;
  // Locks the row before it is read, so the changes of a concurrent attempt are visible.
  await tx
    .updateTable('psprcsrqst')
    .set(({ ref }) => ({ runstatus: ref('runstatus') }))
    .where('prcsinstance', '=', instance)
    .execute();
  const row = await selectRequests(tx).where('prcsinstance', '=', instance).executeTakeFirst();
  // A later attempt may have the request already, and a restart gives it a new job.
  if (row === undefined || row.job !== id || (row.attempt ?? 0) > attempt) return undefined;
  const texts = JSON.parse(row.parameters ?? '{}') as ParameterTexts;
  needKnown(ports.registry, { program, ...request }, row, texts);
  const now = clock.now();
  const changes = { servernamerun: server, begindttm: clock.local(now), diststatus: DISTRIBUTION.Processing };
  if (!(await move(tx, 'initiate', instance, changes))) return undefined;
  const fresh = { percent: null, progress: null, report: null, content: null };
  await updateOwn(tx, instance, { run, attempt, began: instantText(now), followed: 1, ...fresh });
  if (row.followed === 0 && program !== undefined && next !== undefined)
    await follow(tx, ports, row, { program, texts, next });
  return { row, program, texts, run, attempt };
}

/**
 * Checks that this gateway has what a request needs, if the definitions of the gateway that entered it may be others.
 * @throws JobUnknown
 */
function needKnown(
  registry: Registry,
  { kind, program, user, isDeclared = false }: Wanted,
  { prcsname: name, prcstype: type, recurname: recurrence, oprid, followed }: RequestRow,
  texts: ParameterTexts,
): void {
  if (kind === PRIVATE_KIND) return;
  if (program === undefined) throw new JobUnknown(`there is no process ${name} of the type ${type} here`);
  if (followed === 0 && recurrence !== '' && !registry.recurrences.has(recurrence))
    throw new JobUnknown(`there is no recurrence ${recurrence} here, as which process ${name} is to run again`);
  const isSame = kind === kindOfProgram(program, recurrence);
  const problem = isSame ? undefined : parameterProblem(program, texts);
  if (problem !== undefined) throw new JobUnknown(`the parameters of process ${name} are others here: ${problem}`);
  if (user !== undefined && !mayRun(user, program) && (isDeclared || !isSame))
    throw new JobUnknown(`user ${oprid} may not run process ${name} here`, { allOfKind: false });
}

async function follow(
  tx: Db,
  ports: RunPorts,
  row: RequestRow,
  { program, texts: parameters, next }: { program: Program; texts: ParameterTexts; next: number },
): Promise<void> {
  const following = followingRequest(ports.registry, ports.clock, {
    type: row.prcstype,
    name: row.prcsname,
    operator: row.oprid,
    isDeclared: ports.registry.users.has(row.oprid),
    kind: kindOfProgram(program, row.recurname),
    runControl: row.runcntlid,
    server: row.servernamerqst,
    parameters,
    output: { destination: row.destination ?? '', format: row.format ?? '' },
    runs: Date.parse(row.runs ?? ''),
    recurrence: row.recurname,
  });
  // Otherwise all times of a recurrence would be one trace that never ends.
  if (following !== undefined) await inNewTrace(() => enterRequest(tx, ports, following, next));
}

/** Runs a step before the code of a process. Without the database nothing was begun, and the attempt does not count. */
export async function unlessBegun<T>(step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    throw error instanceof StoreError ? new JobNotBegun(error.message, { cause: error }) : error;
  }
}

/** Marks the request as processing. @throws JobLost when another attempt has it */
export async function begin(tx: Db, { row, run }: Taken): Promise<void> {
  if (!(await move(tx, 'begin', row.prcsinstance, { run }))) throw new JobLost(`process request ${row.prcsinstance}`);
}

/** How an attempt ends its request. */
export interface End {
  readonly step: Step;
  readonly instance: number;
  readonly run: string;
  /** A report was stored. */
  readonly reported: boolean;
}

/**
 * Ends a request for the attempt that has it, as part of a transaction.
 * @param last writes the remaining lines of the log
 * @throws JobLost when another attempt has the request
 */
export async function endRequest(
  tx: Db,
  clock: Clock,
  { step, instance, run, reported }: End,
  last?: (tx: Db) => Promise<void>,
): Promise<void> {
  const now = clock.now();
  const diststatus = distributionAfter(step, reported);
  if (!(await move(tx, step, instance, { run, diststatus, enddttm: clock.local(now) })))
    throw new JobLost(`another attempt has process request ${instance}`);
  await last?.(tx);
  await updateOwn(tx, instance, ended(now));
}

function distributionAfter(step: Step, reported: boolean): string {
  if (step === 'refuse') return DISTRIBUTION['Not Posted'];
  return reported && step !== 'end' ? DISTRIBUTION.Posted : DISTRIBUTION.None;
}

const ended = (now: number) => ({ run: null, ended: instantText(now) });

/** Records that an attempt failed and another follows, as part of the queue's transaction. */
export async function retryRequest(tx: Db, instance: number, line: LogLine): Promise<void> {
  if (!(await move(tx, 'retry', instance, { diststatus: DISTRIBUTION.None }))) return;
  await updateOwn(tx, instance, { run: null });
  await addLines(tx, instance, [line]);
}

/** Records that the last attempt failed, as part of the queue's transaction. */
export async function failRequest(tx: Db, clock: Clock, instance: number, line: LogLine): Promise<void> {
  const now = clock.now();
  if (!(await move(tx, 'fail', instance, { enddttm: clock.local(now), diststatus: DISTRIBUTION['Not Posted'] })))
    return;
  await updateOwn(tx, instance, ended(now));
  await addLines(tx, instance, [line]);
}

/** Ends cancelled requests whose gateway is gone, with the attempt that should have ended them. */
export async function endForgotten(tx: Db, clock: Clock, olderThan: number): Promise<void> {
  const forgotten = await tx
    .selectFrom('psprcsrqst')
    .innerJoin('signalbox_process_request', 'instance', 'prcsinstance')
    .select('instance')
    .where('runstatus', '=', RUN_STATUS.Cancel)
    .where('cancelled', '<', instantText(olderThan))
    .execute();
  const now = clock.now();
  for (const { instance } of forgotten) {
    if (await move(tx, 'end', instance, { enddttm: clock.local(now), diststatus: DISTRIBUTION.None }))
      await updateOwn(tx, instance, ended(now));
  }
}

/** The queue of process requests, and what its jobs belong to: the state of a request follows what is done with its job. */
export function requestJobs(registry: Registry): [queue: string, owner: JobOwner] {
  const clock = createClock(registry.gateway.timezone, Date.now);
  const line = (level: LogLine['level'], text: string): LogLine => ({ level, text, said: instantText(clock.now()) });
  const find = (db: Db, { instance }: RequestData) =>
    selectRequests(db).where('prcsinstance', '=', instance).executeTakeFirst();
  const owner: JobOwner = {
    async onResubmitted(tx, { id, data, state }, actor) {
      const { instance } = data as unknown as RequestData;
      const row = await find(tx, data as unknown as RequestData);
      if (row === undefined) return `process request ${instance} no longer exists`;
      if (row.job !== id) return `process request ${instance} was restarted with another job`;
      if (state === 'dead') {
        const fresh = { begindttm: null, enddttm: null, servernamerun: '', diststatus: DISTRIBUTION.None };
        if (!(await move(tx, 'revive', instance, fresh)))
          return `process request ${instance} is ${wordOf(RUN_STATUS, row.runstatus)}`;
        const unbegun = { run: null, attempt: 0, began: null, ended: null, percent: null, progress: null };
        await updateOwn(tx, instance, unbegun);
      }
      const words = state === 'dead' ? 'It is run again' : 'It is run now, before its time';
      await addLines(tx, instance, [line('info', `${words}, on behalf of ${actor}.`)]);
      return undefined;
    },
    async onCancelled(tx, { id, data, state }, actor) {
      const { instance } = data as unknown as RequestData;
      const row = await find(tx, data as unknown as RequestData);
      if (row?.job !== id) return;
      if (state === 'dead') {
        await addLines(tx, instance, [line('info', `Its job was cancelled by ${actor}, and can't be run again.`)]);
        return;
      }
      const cancelled = line('warning', `It was cancelled in the queue by ${actor}.`);
      const now = clock.now();
      if (await move(tx, 'cancel', instance, { enddttm: clock.local(now) })) {
        await updateOwn(tx, instance, { ...ended(now), cancelled: instantText(now) });
        await addLines(tx, instance, [cancelled]);
      }
      // The gateway that ran it has died, and no other has taken it.
      else await failRequest(tx, clock, instance, cancelled);
    },
    requestOf: (data) => (data as unknown as RequestData).instance,
    async read(db, data) {
      const { type, name } = data as unknown as RequestData;
      const row = await find(db, data as unknown as RequestData);
      const texts = JSON.parse(row?.parameters ?? '{}') as ParameterTexts;
      // The prompts of a private query are known to its owner only.
      const { shown, secrets } = maskTexts(findProgram(registry, type, name)?.parameters, texts);
      return { payload: { ...data, parameters: shown }, secrets };
    },
  };
  return [QUEUE, owner];
}
