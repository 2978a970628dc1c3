import type { RetentionPeriod } from '../../model/gateway.ts';
import type { Db, Retained, Store, Tables } from '../../store/index.ts';
import type { TrailLine } from '../users/user-port.ts';

// Sessions as they are in the database, for gateways and commands.

/** Why a session was ended before its time. */
export type SessionEnd = 'sign-out' | 'operator' | 'too many' | 'disabled' | 'password';

/** A session of the console, without its token. Times are UTC, `yyyy-MM-ddTHH:mm:ss.fffZ`. */
export interface KeptSession {
  readonly id: string;
  readonly user: string;
  /** `password`, or the id of the scheme of an OpenID provider. */
  readonly signedIn: string;
  readonly created: string;
  /** When it was used last, to a minute. */
  readonly seen: string;
  readonly expires: string;
  readonly address: string;
  readonly agent: string;
}

/** How long sessions last; in milliseconds. */
export interface Lasting {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly idle: number;
}

/** The sessions that can be used, the newest first; `undefined` for those of all users. */
export async function selectSessions(db: Db, { now, idle }: Lasting, user?: string): Promise<KeptSession[]> {
  let select = db
    .selectFrom('signalbox_session')
    .selectAll()
    .where('ended', 'is', null)
    .where('expires', '>', timeText(now))
    .where('seen', '>', timeText(now - idle))
    .orderBy('created', 'desc')
    .orderBy('id');
  if (user !== undefined) select = select.where('user_id', '=', user);
  return (await select.execute()).map(keptSession);
}

/** When users signed in last, by their ids. */
export async function selectLastSignIns(db: Db, users: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (users.length === 0) return new Map();
  const rows = await db
    .selectFrom('signalbox_session')
    .select(({ fn }) => ['user_id', fn.max('created').as('at')])
    .where('user_id', 'in', users)
    .groupBy('user_id')
    .execute();
  return new Map(rows.map(({ user_id: user, at }) => [user, at]));
}

function keptSession(row: Tables['signalbox_session']): KeptSession {
  const { id, user_id: user, signed_in: signedIn, created, seen, expires, address, agent } = row;
  return { id, user, signedIn, created, seen, expires, address, agent };
}

/** Which sessions to end: one by its id or by the hash of its token, or all of a user. */
export type Ending = { readonly reason: SessionEnd } & (
  | { readonly id: string }
  | { readonly hash: string }
  | { readonly user: string }
);

/** Ends sessions that have not ended. @returns them */
export async function endSessions(
  tx: Db,
  at: string,
  ending: Ending,
): Promise<readonly { readonly id: string; readonly user: string }[]> {
  const [column, value] =
    'id' in ending
      ? (['id', ending.id] as const)
      : 'hash' in ending
        ? (['hash', ending.hash] as const)
        : (['user_id', ending.user] as const);
  return tx
    .updateTable('signalbox_session')
    .set({ ended: at, reason: ending.reason })
    .where('ended', 'is', null)
    .where('expires', '>', at)
    .where(column, '=', value)
    .returning(['id', 'user_id as user'])
    .execute();
}

/** Who ends sessions, and when. */
interface By {
  /** By default the user of the session. */
  readonly actor?: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Ends sessions, with a line of the audit trail for each. @returns how many there were */
export function endNoted(store: Pick<Store, 'transaction'>, ending: Ending, { actor, now }: By): Promise<number> {
  return store.transaction(async (tx) => {
    const at = timeText(now);
    const ended = await endSessions(tx, at, ending);
    const action = ending.reason === 'sign-out' ? 'sign-out' : 'session-end';
    // One after the other: each gets the next number.
    for (const { id, user } of ended)
      await addNote(tx, { at, actor: actor ?? user, action, user, detail: { session: id } });
    return ended.length;
  });
}

/**
 * Adds a line to the audit trail that changes no user: gateways need not look users up again. It locks the row of the version, so
 * that lines have no gap.
 */
export async function addNote(tx: Db, { at, actor, action, user, detail }: Omit<TrailLine, 'sequence'>): Promise<void> {
  const { version: sequence } = await tx
    .updateTable('signalbox_user_version')
    .set(({ eb }) => ({ version: eb('version', '+', 1), notes: eb('notes', '+', 1) }))
    .where('id', '=', 1)
    .returning('version')
    .executeTakeFirstOrThrow();
  await tx
    .insertInto('signalbox_user_audit')
    .values({ sequence, at, actor, action, user_id: user, detail: JSON.stringify(detail) })
    .execute();
}

export const timeText = (ms: number): string => new Date(ms).toISOString();

/** Sessions, which are removed some time after their end. */
export function retainedSessions(keep: RetentionPeriod): Retained {
  return {
    kind: 'sessions',
    keep,
    async remove(tx, { before, most }) {
      const old = tx
        .selectFrom('signalbox_session')
        .select('id')
        .where((row) => row.or([row('ended', '<', before), row('expires', '<', before)]));
      const { numDeletedRows } = await tx
        .deleteFrom('signalbox_session')
        .where('id', 'in', old.limit(most))
        .executeTakeFirst();
      return { count: Number(numDeletedRows), more: Number(numDeletedRows) === most };
    },
  };
}
