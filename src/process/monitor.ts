import { sql } from 'kysely';
import { MASK } from '../model/redactor.ts';
import type { User } from '../model/security.ts';
import type { Db, StoreReader } from '../store/index.ts';
import { nextTime } from '../wire/cron.ts';
import { instantText } from './clock.ts';
import { QUEUE } from './enter.ts';
import { accessTo, checkAccess, seesOthers, visibleByName } from './find.ts';
import { formatsOf, outputsOf } from './output.ts';
import type {
  GivenValue,
  Monitor,
  ProcessLoad,
  ProgramSummary,
  RecurrenceTimes,
  RequestAction,
  RequestTrailLine,
  RunPorts,
} from './process-port.ts';
import { findProgramOf, mayRun, type Program, type ProgramSources, programOf, programOfQuery } from './program.ts';
import { parameterRedactor } from './request.ts';
import { findRow, type RequestRow, shownRequest } from './rows.ts';
import { programFor } from './schedule.ts';
import { mayTake, RUN_STATUS, type Step } from './status.ts';

interface ActionFacts {
  /** The possible steps. */
  readonly steps: readonly Step[];
  /** The name in the trail. */
  readonly verb: string;
  /** The participle for messages. */
  readonly words: string;
}

export const ACTIONS: Readonly<Record<RequestAction, ActionFacts>> = {
  Hold: { steps: ['hold'], verb: 'hold', words: 'put on hold' },
  Cancelled: { steps: ['cancel', 'ask'], verb: 'cancel', words: 'cancelled' },
  Restart: { steps: ['restart'], verb: 'restart', words: 'restarted' },
  Deleted: { steps: ['delete'], verb: 'delete', words: 'deleted' },
};

/** Milliseconds that the load goes back, and about the number of requests that are counted for it: whole hours, the newest. */
const WEEK = 7 * 86_400_000;
const MOST_COUNTED = 50_000;

/** Times of a recurrence that are shown. */
const TIMES = 3;

export interface MonitorPorts extends ProgramSources, Pick<RunPorts, 'clock' | 'redactor'> {
  readonly store: Pick<StoreReader, 'tables'>;
}

/** Opens what operators see of the scheduler, beside the requests themselves. */
export function openMonitor(ports: MonitorPorts): Monitor {
  const { registry, saved, store, clock } = ports;
  return {
    seesOthers,
    async detail(instance, user) {
      const db = await store.tables();
      const row = await findRow(db, instance);
      checkAccess(registry, row, user, 'see');
      const mayUse = accessTo(registry, row, user) === 'use';
      return {
        request: shownRequest(row, clock),
        parameters: mayUse ? await givenValues(ports, row) : [],
        actions: mayUse ? actionsFor(row) : [],
        mayUse,
        ...(row.job === null ? {} : { job: row.job }),
        trail: await trailOf(db, instance),
      };
    },
    async programs(user) {
      const own = await saved.list(user.id);
      const all = [
        ...[...registry.processes.values()].map(programOf),
        ...[...registry.queries.values(), ...own].map(programOfQuery),
      ].filter((program) => mayRun(user, program));
      // A declared program takes precedence over a private query of the same name.
      const byName = new Map(all.reverse().map((program) => [JSON.stringify([program.type, program.id]), program]));
      return [...byName.values()]
        .map(summaryOf)
        .sort((a, b) => a.type.localeCompare(b.type) || a.name.localeCompare(b.name));
    },
    async program(type, name, user) {
      const program = await programFor(ports, type, name, user);
      const { parameters } = program;
      return { ...summaryOf(program), parameters, destinations: outputsOf(program), formats: formatsOf(program) };
    },
    async recurrences(user) {
      const db = await store.tables();
      const rows = await db.selectFrom('signalbox_recurring').select(['name', 'next']).execute();
      const states = new Map(rows.map((row) => [row.name, row]));
      const processes = [...registry.processes.values()].filter((each) => mayRun(user, programOf(each)));
      return [...registry.recurrences.values()].map(
        (recurrence): RecurrenceTimes => ({
          recurrence,
          next: timesAfter(recurrence, clock.now()),
          processes: processes
            .filter(({ recurs }) => recurs === recurrence)
            .map((process) => {
              const { next } = states.get(`process ${process.id}`) ?? {};
              const { id: name, type, runAs = '' } = process;
              return { name, type, runAs, ...(next && { next }) };
            }),
        }),
      );
    },
    load: (user) => findLoad(ports, user),
    async pulse() {
      const db = await store.tables();
      const newest = await db
        .selectFrom('psprcsrqst')
        .select(({ fn }) => fn.max('prcsinstance').as('last'))
        .execute();
      const active = await db
        .selectFrom('psprcsrqst')
        .select(({ fn }) => ['runstatus', fn.countAll<number | string>().as('count')])
        .where('runstatus', 'in', ACTIVE)
        .groupBy('runstatus')
        .orderBy('runstatus')
        .execute();
      const running = await db
        .selectFrom('psprcsrqst')
        .innerJoin('signalbox_process_request', 'instance', 'prcsinstance')
        .select(['prcsinstance', 'percent', 'progress', 'messages', 'attempt'])
        .where('runstatus', 'in', RUNNING)
        .orderBy('prcsinstance')
        .limit(MOST_RUNNING)
        .execute();
      const ended = await db
        .selectFrom('signalbox_process_request')
        .select(({ fn }) => fn.max('ended').as('ended'))
        .execute();
      const acted = await db
        .selectFrom('signalbox_job_audit')
        .select(({ fn }) => fn.max('at').as('at'))
        .where('queue', '=', QUEUE)
        .execute();
      return JSON.stringify([newest, active, running, ended, acted]);
    },
  };
}

/** Statuses of requests that have not ended, and of those that run. */
const ACTIVE = (['Hold', 'Queued', 'Initiated', 'Processing', 'Cancel', 'Pending', 'Blocked'] as const).map(
  (status) => RUN_STATUS[status],
);
const RUNNING = (['Initiated', 'Processing', 'Cancel'] as const).map((status) => RUN_STATUS[status]);
/** Running requests whose progress is followed. */
const MOST_RUNNING = 500;

const summaryOf = ({ id, type, process, query }: Program): ProgramSummary => {
  const description = process?.description ?? query?.description;
  return { type, name: id, ...(description === undefined ? {} : { description }) };
};

function timesAfter({ cron, zone }: RecurrenceTimes['recurrence'], instant: number): string[] {
  const times: string[] = [];
  for (let at = nextTime(cron, zone, new Date(instant)); at && times.length < TIMES; at = nextTime(cron, zone, at))
    times.push(instantText(at.getTime()));
  return times;
}

/** The lines of the trail about a request. */
async function trailOf(db: Db, instance: number): Promise<readonly RequestTrailLine[]> {
  return db
    .selectFrom('signalbox_job_audit')
    .select(['at', 'actor', 'action'])
    .where('request', '=', instance)
    .orderBy('at')
    .orderBy('id')
    .execute();
}

/** What a user may do with a request that the user may use. */
function actionsFor({ runstatus, job }: RequestRow): RequestAction[] {
  return (Object.keys(ACTIONS) as RequestAction[]).filter(
    (action) =>
      ACTIONS[action].steps.some((step) => mayTake(step, runstatus)) && !(action === 'Restart' && job === null),
  );
}

/** The values of a request's parameters; masked if they are sensitive, or if nothing declares them any more. */
async function givenValues({ redactor, ...sources }: MonitorPorts, row: RequestRow): Promise<readonly GivenValue[]> {
  if (row.parameters === null) return [];
  const texts = JSON.parse(row.parameters) as Readonly<Record<string, string>>;
  const { prcstype: type, prcsname: name, oprid: operator } = row;
  // A private query that is no longer valid declares nothing.
  const program = await findProgramOf(sources, type, name, operator).catch(() => undefined);
  const known = program && parameterRedactor(redactor, program, texts, {});
  return Object.entries(texts).map(([parameter, text]) => {
    const field = program?.parameters.find((each) => each.name === parameter);
    const isShown = known !== undefined && field?.sensitive === false;
    return { name: parameter, value: isShown ? known.text(text) : MASK };
  });
}

/** The date and hour of a run time, as the index of the load has it. */
const HOUR = sql<string>`substr(rundttm, 1, 13)`;

/** The number of requests by process and hour of the day, of those that ran or were due in the last days. */
async function findLoad({ registry, store, clock }: MonitorPorts, user: User): Promise<ProcessLoad> {
  const db = await store.tables();
  // The times are texts in the gateway's zone. No more of the index is read than the range.
  const now = clock.local(clock.now());
  const weekAgo = clock.local(clock.now() - WEEK).slice(0, 13);
  const cut = await db
    .selectFrom('psprcsrqst')
    .select(HOUR.as('hour'))
    .where(HOUR, '>=', weekAgo)
    .where(HOUR, '<=', now.slice(0, 13))
    .orderBy(HOUR, 'desc')
    .limit(1)
    .offset(MOST_COUNTED)
    .executeTakeFirst();
  const since = cut?.hour ?? weekAgo;
  const rows = await db
    .selectFrom('psprcsrqst')
    .select(({ fn }) => [HOUR.as('hour'), 'prcsname', 'prcstype', fn.countAll<number | string>().as('count')])
    .where(HOUR, '>=', since)
    .where(HOUR, '<=', now.slice(0, 13))
    .where('rundttm', '<=', now)
    .where((eb) => visibleByName(eb, registry, user))
    .groupBy([HOUR, 'prcsname', 'prcstype'])
    .execute();
  const processes = new Map<string, { type: string; name: string; total: number; hours: number[] }>();
  for (const { prcstype: type, prcsname: name, hour, count } of rows) {
    const key = JSON.stringify([type, name]);
    const process = processes.get(key) ?? { type, name, total: 0, hours: Array.from({ length: 24 }, () => 0) };
    const at = Number(hour.slice(-2));
    process.hours[at] = (process.hours[at] ?? 0) + Number(count);
    process.total += Number(count);
    processes.set(key, process);
  }
  const busiest = [...processes.values()].sort((a, b) => b.total - a.total || a.name.localeCompare(b.name));
  const total = busiest.reduce((sum, each) => sum + each.total, 0);
  return { since: clock.shownLocal(`${since}:00:00`), processes: busiest, total, truncated: cut !== undefined };
}
