import { inNewTrace } from '../../trace/trace.ts';
import { nextTime } from '../../wire/cron.ts';
import type { RecurringTable } from '../tables/queue.ts';
import type { Db } from '../tables.ts';
import type { QueueContext } from './engine.ts';
import type { Recurring } from './queue-port.ts';

/** Milliseconds between two checks for what is due. */
const LOOK = 1000;

/**
 * Work that recurs. The next time is in the database; of all gateways that see that it has come, the one that moves it on does
 * the work, in the same transaction.
 */
export class Recurrences {
  readonly #context: QueueContext;
  readonly #all = new Map<string, Recurring>();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #open = true;

  constructor(context: QueueContext) {
    this.#context = context;
  }

  add(recurring: Recurring): void {
    if (this.#all.has(recurring.name)) throw new Error(`${recurring.name} recurs already`);
    this.#all.set(recurring.name, recurring);
  }

  async start(): Promise<void> {
    if (this.#all.size === 0) return;
    await this.#note();
    // Not at once: the first time of a zone takes 35 ms, in which the first requests would wait.
    this.#timer = setTimeout(() => this.#look(), LOOK);
  }

  /** Leaves what becomes due to other gateways. */
  stopTaking(): void {
    this.#open = false;
    clearTimeout(this.#timer);
  }

  /** Does what is due now, without waiting for the next look. */
  async hurry(): Promise<void> {
    await this.#looking;
    if (!this.#open || this.#all.size === 0) return;
    clearTimeout(this.#timer);
    this.#look();
    await this.#looking;
  }

  async close(): Promise<void> {
    this.stopTaking();
    await this.#looking;
  }

  #look(): void {
    this.#looking = this.#runDue()
      .catch((error: Error) => this.#context.report(error, {}))
      .finally(() => {
        if (this.#open) this.#timer = setTimeout(() => this.#look(), LOOK);
      });
  }

  /** Records what the database does not have yet, or has with another time. */
  async #note(): Promise<void> {
    const last = new Date(this.#context.now()).toISOString();
    const db = await this.#context.store.tables();
    const rows = await db.selectFrom('signalbox_recurring').select(['name', 'cron', 'zone']).execute();
    const noted = new Map(rows.map((row) => [row.name, row]));
    for (const { name, cron, zone } of this.#all.values()) {
      const row = noted.get(name);
      if (row?.cron === cron && row.zone === zone) continue;
      await this.#context.store.transaction(async (tx) => {
        const next = textOf(nextTime(cron, zone, new Date(last)));
        await tx
          .insertInto('signalbox_recurring')
          .values({ name, cron, zone, last, next })
          .onConflict((conflict) => conflict.column('name').doNothing())
          .execute();
        await tx
          .updateTable('signalbox_recurring')
          .set({ cron, zone, next })
          .where('name', '=', name)
          .where((each) => each.or([each('cron', '<>', cron), each('zone', '<>', zone)]))
          .execute();
      });
    }
  }

  async #runDue(): Promise<void> {
    const db = await this.#context.store.tables();
    const rows = await db
      .selectFrom('signalbox_recurring')
      .selectAll()
      .where('name', 'in', [...this.#all.keys()])
      .execute();
    for (const row of rows) {
      if (!this.#open) return;
      const recurring = this.#all.get(row.name) as Recurring;
      // Another version of the gateway declares it otherwise: that one runs it, or this one after its next start.
      if (recurring.cron !== row.cron || recurring.zone !== row.zone) continue;
      await inNewTrace(() =>
        this.#see(recurring, row).catch((error: Error) => this.#context.report(error, { recurring: row.name })),
      );
    }
  }

  async #see(recurring: Recurring, row: RecurringTable): Promise<void> {
    const now = new Date(this.#context.now()).toISOString();
    if (row.next !== null && row.next <= now) {
      const at = row.next;
      const moved = { last: at, next: this.#after(recurring, now) };
      const work = await recurring.due(new Date(at));
      await this.#context.store.transaction(async (tx) => {
        if (await this.#move(tx, row, moved)) await work(tx);
      });
      return;
    }
    // The clock was ahead when the next time was computed and has come back: no time is skipped or repeated.
    const next = this.#after(recurring, now > row.last ? now : row.last);
    if (next !== null && (row.next === null || next < row.next)) {
      await this.#context.store.transaction((tx) => this.#move(tx, row, { last: row.last, next }));
    }
  }

  /** @returns whether no other gateway did, or is doing so: one that hangs must not stop what else recurs */
  async #move(tx: Db, row: RecurringTable, to: Pick<RecurringTable, 'last' | 'next'>): Promise<boolean> {
    if (this.#context.store.kind === 'postgres') {
      const own = tx.selectFrom('signalbox_recurring').select('name').where('name', '=', row.name);
      if ((await own.forUpdate().skipLocked().executeTakeFirst()) === undefined) return false;
    }
    const { numUpdatedRows } = await tx
      .updateTable('signalbox_recurring')
      .set(to)
      .where('name', '=', row.name)
      .where('last', '=', row.last)
      .where('next', row.next === null ? 'is' : '=', row.next)
      .where('cron', '=', row.cron)
      .where('zone', '=', row.zone)
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  }

  #after({ cron, zone }: Recurring, moment: string): string | null {
    return textOf(nextTime(cron, zone, new Date(moment)));
  }
}

function textOf(time: Date | undefined): string | null {
  return time?.toISOString() ?? null;
}
