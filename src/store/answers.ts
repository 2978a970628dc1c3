import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { Fault } from '../model/fault.ts';
import { deadlineIn, withDeadline } from './deadline.ts';
import type { Retained } from './retention.ts';
import type { Store } from './store-port.ts';
import type { Db } from './tables.ts';

// The first answers of calls that callers may repeat. One row decides between two that come at once, to any gateway of the
// database: only one of them inserts it.

/** An answer as it was sent first. */
export interface FirstAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Without a content coding. */
  readonly body: Uint8Array;
}

/** A call that has begun. */
interface NewCall {
  /** A hash of the caller, the operation and the key. */
  readonly id: string;
  readonly operation: string;
  /** How long its answer is kept, in milliseconds. */
  readonly keep: number;
  /** A digest of the request; `undefined` while that is still read. */
  readonly content: string | undefined;
}

/** What is known about the key of a call. */
type Found =
  /** Nothing: the call runs, and its claim keeps others from it. */
  | { readonly kind: 'first'; readonly claim: Claim }
  /** The first call still runs. */
  | { readonly kind: 'running' }
  /** The first call has ended without an answer, after a transaction of it was committed. */
  | { readonly kind: 'lost' }
  /** The first call was answered. Without an answer, that was too large to be kept. */
  | { readonly kind: 'answered'; readonly content: string | null; readonly answer: FirstAnswer | undefined };

/** The right to answer a call. A gateway that gives no sign of life for a minute loses it. */
export interface Claim {
  /**
   * Records, as the last part of a transaction of the call, that the call has taken effect: from then on it does not run again.
   * @throws Fault CALL_RUNNING when another gateway has the right by now, so that the transaction is rolled back
   */
  takeEffect(tx: Db): Promise<void>;
  /** Keeps the answer; `undefined` if it is too large. @returns whether this gateway still had the right */
  finish(content: string, answer: FirstAnswer | undefined): Promise<boolean>;
  /** Forgets the key, so that a repeated call runs again. @returns false if the call has taken effect: then it is not forgotten */
  forget(): Promise<boolean>;
}

/** The first answers in the database. */
export interface Answers {
  /** @throws errors of the database */
  begin(call: NewCall): Promise<Found>;
  /** Gives no more signs of life. */
  close(): void;
}

/** Milliseconds without a sign of life after which a run counts as dead, and between two of them. */
const LEASE = 60_000;
const RENEW_EVERY = 15_000;
/** Milliseconds for the statements that end a call: its reply waits for them. */
const END_WITHIN = 5_000;
/** Rows are looked up again when they change meanwhile. */
const MOST_LOOKS = 5;
/** Bytes below which a body is not compressed. */
const SMALL = 512;

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

/** @param now milliseconds since 1970 @param onError is called when the database does not take a sign of life */
export function openAnswers(
  store: Pick<Store, 'tables'>,
  { now = Date.now, onError }: { readonly now?: () => number; readonly onError: (error: Error) => void },
): Answers {
  /** The keys of the calls that run here, by holder. */
  const running = new Map<string, string>();
  let timer: NodeJS.Timeout | undefined;

  async function renew(): Promise<void> {
    const [holders, ids] = [[...running.keys()], [...running.values()]];
    const db = await store.tables();
    await db
      .updateTable('signalbox_once')
      .set({ lease: now() + LEASE })
      .where('id', 'in', ids)
      .where('holder', 'in', holders)
      .execute();
  }

  function claimed(id: string, holder: string): Claim {
    running.set(holder, id);
    timer ??= setInterval(() => void renew().catch(onError), RENEW_EVERY).unref();
    const abandon = (): void => {
      running.delete(holder);
      if (running.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    };
    const ending = <T>(work: (db: Db) => Promise<T>): Promise<T> => {
      abandon();
      return withDeadline(deadlineIn(END_WITHIN), async () => work(await store.tables()));
    };
    return {
      async takeEffect(tx) {
        const { numUpdatedRows } = await tx
          .updateTable('signalbox_once')
          .set({ state: 'effect' })
          .where('id', '=', id)
          .where('holder', '=', holder)
          .executeTakeFirst();
        if (numUpdatedRows !== 1n) throw Fault.of('CALL_RUNNING', {}, { headers: { 'Retry-After': '1' } });
      },
      finish: (content, answer) =>
        ending(async (db) => {
          const { numUpdatedRows } = await db
            .updateTable('signalbox_once')
            .set({ state: 'done', content, ...(answer && (await rowOf(answer))) })
            .where('id', '=', id)
            .where('holder', '=', holder)
            .executeTakeFirst();
          return numUpdatedRows === 1n;
        }),
      forget: () =>
        ending(async (db) => {
          const mine = db.deleteFrom('signalbox_once').where('id', '=', id).where('holder', '=', holder);
          const { numDeletedRows } = await mine.where('state', '=', 'running').executeTakeFirst();
          return numDeletedRows === 1n;
        }),
    };
  }

  /** What the row of a key says, if that is valid; else takes it over. `undefined` when it changed meanwhile. */
  async function look(db: Db, id: string, row: ReturnType<typeof newRow>): Promise<Found | undefined> {
    const found = await db.selectFrom('signalbox_once').selectAll().where('id', '=', id).executeTakeFirst();
    if (found === undefined) return undefined;
    const isAlive = found.state !== 'done' && Number(found.lease) >= now();
    if (isAlive) return { kind: 'running' };
    const isKept = Number(found.until) >= now();
    if (isKept && found.state === 'done') return answered(found);
    if (isKept && found.state === 'effect') return { kind: 'lost' };
    const { numUpdatedRows } = await db
      .updateTable('signalbox_once')
      .set({ ...row, status: null, headers: null, body: null, packed: 0 })
      .where('id', '=', id)
      .where('holder', '=', found.holder)
      .where('state', '=', found.state)
      .where('lease', '=', found.lease)
      .executeTakeFirst();
    return numUpdatedRows === 1n ? { kind: 'first', claim: claimed(id, row.holder) } : undefined;
  }

  function newRow({ operation, keep, content }: NewCall) {
    const at = now();
    const row = { operation, state: 'running', holder: randomUUID() } as const;
    return { ...row, lease: at + LEASE, until: at + keep, content: content ?? null };
  }

  return {
    async begin(call) {
      const { id } = call;
      const db = await store.tables();
      for (let looks = 0; looks < MOST_LOOKS; looks++) {
        const row = newRow(call);
        const { numInsertedOrUpdatedRows } = await db
          .insertInto('signalbox_once')
          .values({ id, ...row })
          .onConflict((conflict) => conflict.column('id').doNothing())
          .executeTakeFirstOrThrow();
        if (numInsertedOrUpdatedRows === 1n) return { kind: 'first', claim: claimed(id, row.holder) };
        const found = await look(db, id, row);
        if (found !== undefined) return found;
      }
      return { kind: 'running' };
    },
    close() {
      running.clear();
      clearInterval(timer);
    },
  };
}

async function rowOf({ status, headers, body }: FirstAnswer) {
  const packed = body.byteLength < SMALL ? undefined : await deflate(body);
  const isSmaller = packed !== undefined && packed.byteLength < body.byteLength;
  return {
    status,
    headers: JSON.stringify(headers),
    body: isSmaller ? packed : Buffer.from(body.buffer, body.byteOffset, body.byteLength),
    packed: isSmaller ? 1 : 0,
  };
}

async function answered({
  content,
  status,
  headers,
  body,
  packed,
}: {
  readonly content: string | null;
  readonly status: number | null;
  readonly headers: string | null;
  readonly body: Uint8Array | null;
  readonly packed: number;
}): Promise<Found> {
  if (status === null || body === null) return { kind: 'answered', content, answer: undefined };
  const answer = {
    status,
    headers: JSON.parse(headers ?? '{}') as Record<string, string>,
    body: packed === 1 ? await inflate(body) : body,
  };
  return { kind: 'answered', content, answer };
}

/** Keys are removed once their time is up, and never while their call runs. */
export function retainedAnswers(now: () => number): Retained {
  return {
    kind: 'answers',
    keep: 0,
    async remove(tx, { most }) {
      const old = await tx
        .selectFrom('signalbox_once')
        .select('id')
        .where('until', '<', now())
        .where('lease', '<', now())
        .orderBy('until')
        .limit(most)
        .execute();
      if (old.length === 0) return { count: 0, more: false };
      const { numDeletedRows } = await tx
        .deleteFrom('signalbox_once')
        .where(
          'id',
          'in',
          old.map(({ id }) => id),
        )
        .where('until', '<', now())
        .executeTakeFirst();
      return { count: Number(numDeletedRows), more: old.length === most };
    },
  };
}
