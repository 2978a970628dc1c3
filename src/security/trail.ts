import { Fault } from '../model/fault.ts';
import type { Db } from '../store/index.ts';

// The trails together: what was done to users, and what operators did to queues, jobs, messages and process requests.

/** A line of either trail. */
export interface TrailEntry {
  /** UTC, `yyyy-MM-ddTHH:mm:ss.fffZ`. */
  readonly at: string;
  readonly actor: string;
  readonly action: string;
  /** The user that was changed, or signed in. */
  readonly user?: string;
  /** The queue that was acted at. */
  readonly queue?: string;
  /** The job, message or delivery. */
  readonly job?: string;
  /** The instance number of the process request. */
  readonly request?: number;
  /** Of changes of users. */
  readonly detail?: Readonly<Record<string, unknown>>;
}

/** Lines that are asked for; those that fit all of it. */
export interface TrailSearch {
  /** `ada@host`, `console:ada`; a name without `@` and colon is that of a user, who acts in the console too. */
  readonly actor?: string;
  readonly action?: string;
  /** A user, a queue, the id of a job or message, or the number of a process request. */
  readonly subject?: string;
  readonly since?: Date;
  readonly until?: Date;
  /** Where the page before ended. */
  readonly cursor?: string;
  readonly limit: number;
}

/** The newest line is the first. */
export interface TrailPage {
  readonly entries: readonly TrailEntry[];
  /** Where the next page begins; absent of the last. */
  readonly next?: string;
}

/** Reads the trails of a database whose schema is current. */
export interface Trails {
  /** Reads as many lines as are asked for, however long the trails are. @throws Fault BAD_PARAMETER for an invalid cursor */
  search(which: TrailSearch): Promise<TrailPage>;
}

export function readTrails(tables: () => Promise<Db>): Trails {
  return {
    async search(which) {
      const db = await tables();
      const from = which.cursor === undefined ? undefined : readCursor(which.cursor);
      const found: Found[] = [];
      // One after the other: they share a connection. Each has an index of its own.
      for (const actor of actorsOf(which.actor)) {
        found.push(...(await ofUsers(db, { ...which, actor, from })));
        for (const column of subjectsOf(which.subject))
          found.push(...(await ofOperators(db, { ...which, actor, from }, column)));
      }
      const entries = [...new Map(found.map((each) => [cursorOf(each), each])).values()].sort(newestFirst);
      const shown = entries.slice(0, which.limit);
      const last = shown.at(-1);
      return {
        entries: shown.map(({ entry }) => entry),
        ...(entries.length > shown.length && last !== undefined ? { next: cursorOf(last) } : {}),
      };
    },
  };
}

/** A place between lines: time, trail, and number or id. Of one moment, lines about users come first. */
interface Place {
  readonly at: string;
  readonly of: 'jobs' | 'users';
  readonly key: string;
}

interface Found extends Place {
  readonly entry: TrailEntry;
}

const CURSOR = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)_(jobs|users)_([0-9a-f-]{1,36})$/;

const cursorOf = ({ at, of, key }: Place): string => `${at}_${of}_${key}`;

function readCursor(cursor: string): Place {
  const [, at, of, key] = CURSOR.exec(cursor) ?? [];
  if (at === undefined || key === undefined || (of === 'users' && !/^\d{1,15}$/.test(key)))
    throw Fault.of('BAD_PARAMETER', { name: 'after', reason: 'is not where a page of the audit log ended' });
  return { at, of: of as Place['of'], key };
}

function newestFirst(a: Place, b: Place): number {
  if (a.at !== b.at) return a.at < b.at ? 1 : -1;
  if (a.of !== b.of) return a.of === 'users' ? -1 : 1;
  if (a.of === 'users') return Number(b.key) - Number(a.key);
  return a.key < b.key ? 1 : -1;
}

/** A user acts in the console as `console:ID`, and signs in as itself. */
const actorsOf = (actor: string | undefined): readonly (string | undefined)[] =>
  actor === undefined || /[:@]/.test(actor) ? [actor] : [actor, `console:${actor}`];

/** The largest number of a process request. */
const LARGEST = 2 ** 31 - 1;

type Subject = 'queue' | 'job' | 'request';

/** The columns that a subject may be in. */
function subjectsOf(subject: string | undefined): readonly (Subject | undefined)[] {
  if (subject === undefined) return [undefined];
  const isRequest = /^\d{1,10}$/.test(subject) && Number(subject) <= LARGEST;
  return ['queue', 'job', ...(isRequest ? (['request'] as const) : [])];
}

interface Part extends Omit<TrailSearch, 'actor'> {
  readonly actor: string | undefined;
  readonly from: Place | undefined;
}

async function ofUsers(db: Db, { actor, action, subject, since, until, from, limit }: Part): Promise<Found[]> {
  let select = db
    .selectFrom('signalbox_user_audit')
    .selectAll()
    .orderBy('at', 'desc')
    .orderBy('sequence', 'desc')
    .limit(limit + 1);
  if (actor !== undefined) select = select.where('actor', '=', actor);
  if (action !== undefined) select = select.where('action', '=', action);
  if (subject !== undefined) select = select.where('user_id', '=', subject);
  if (since !== undefined) select = select.where('at', '>=', since.toISOString());
  if (until !== undefined) select = select.where('at', '<', until.toISOString());
  if (from?.of === 'jobs') select = select.where('at', '<', from.at);
  if (from?.of === 'users')
    select = select
      .where('at', '<=', from.at)
      .where(({ or, eb }) => or([eb('at', '<', from.at), eb('sequence', '<', Number(from.key))]));
  const rows = await select.execute();
  return rows.map(({ sequence, at, actor: by, action: what, user_id: user, detail }) => ({
    ...{ at, of: 'users', key: String(sequence) },
    entry: { at, actor: by, action: what, user, detail: JSON.parse(detail) as Record<string, unknown> },
  }));
}

async function ofOperators(
  db: Db,
  { actor, action, subject, since, until, from, limit }: Part,
  column: Subject | undefined,
): Promise<Found[]> {
  let select = db
    .selectFrom('signalbox_job_audit')
    .selectAll()
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1);
  if (actor !== undefined) select = select.where('actor', '=', actor);
  if (action !== undefined) select = select.where('action', '=', action);
  if (column !== undefined && subject !== undefined)
    select = select.where(column, '=', column === 'request' ? Number(subject) : subject);
  if (since !== undefined) select = select.where('at', '>=', since.toISOString());
  if (until !== undefined) select = select.where('at', '<', until.toISOString());
  if (from?.of === 'users') select = select.where('at', '<=', from.at);
  if (from?.of === 'jobs')
    select = select
      .where('at', '<=', from.at)
      .where(({ or, eb }) => or([eb('at', '<', from.at), eb('id', '<', from.key)]));
  const rows = await select.execute();
  return rows.map(({ id, at, actor: by, action: what, queue, job, request }) => ({
    ...{ at, of: 'jobs', key: id },
    entry: {
      ...{ at, actor: by, action: what, queue },
      ...(job === null ? {} : { job }),
      ...(request === null ? {} : { request }),
    },
  }));
}
