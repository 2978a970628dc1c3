import type { Zone } from '../../wire/timezone.ts';
import type { Plan } from '../plan.ts';
import { NOTHING_BELOW, type RendererFactory } from '../render/index.ts';
import { Renderers, Result } from '../result.ts';
import { type MemberValues, type RawResult, SLICE, type Task } from '../runner.ts';
import { forgetConnected, runConnected } from './connected.ts';
import { isOutdated } from './errors.ts';
import type { Portal } from './portal.ts';
import type { Prepared, Session } from './session.ts';
import { type Found, findIn } from './values.ts';

/** Rows that are asked for at once: the first time, and at most. A batch is what the event loop waits for. */
const FIRST_ROWS = 64;
const MOST_ROWS = 512;
/** Rows that are read in one round trip, at most. */
const ONCE = 256;

/** A statement as a session holds it, with the renderers that were asked for. */
interface Ready extends Found {
  readonly renderers: Renderers;
}

/** What earlier runs of a plan came to. */
interface Size {
  /** Text of a row, the mean of the run where that was most. */
  readonly width: number;
  /** A run had more rows than are read at once: any may. */
  readonly large: boolean;
}

type Wanted = Pick<Task, 'plan' | 'command'>;

/** Runs queries on sessions and renders their rows as they come. */
export class PostgresExecutor {
  readonly #zone: Zone;
  readonly #folder: string;
  readonly #ready = new WeakMap<Prepared, Ready>();
  readonly #sizes = new WeakMap<Plan, Size>();

  /** @param folder for large results; made where it is missing */
  constructor(zone: Zone, folder: string) {
    this.#zone = zone;
    this.#folder = folder;
  }

  /** Runs one query. @throws errors of the database, of the connection and of the file system; ValueError */
  async run(session: Session, wanted: Wanted): Promise<RawResult> {
    const { plan } = wanted;
    const { members } = wanted.command;
    if (members !== undefined) return this.#runConnected(session, wanted, members);
    const id = String(plan.id);
    try {
      return await this.#runPrepared(session, await session.prepare(id, plan.sql), wanted);
    } catch (error) {
      if (!isOutdated(error)) throw error;
      session.forget(id);
      return this.#runPrepared(session, await session.prepare(id, plan.sql), wanted);
    }
  }

  async #runConnected(session: Session, wanted: Wanted, members: MemberValues): Promise<RawResult> {
    try {
      return await runConnected(session, wanted, members, this.#zone, this.#folder);
    } catch (error) {
      if (!isOutdated(error)) throw error;
      forgetConnected(session, wanted.plan);
      return runConnected(session, wanted, members, this.#zone, this.#folder);
    }
  }

  async #runPrepared(session: Session, prepared: Prepared, { plan, command }: Wanted): Promise<RawResult> {
    const ready = this.#readyOf(prepared, plan);
    const factory = ready.renderers.of(command);
    const rows = command.probe ? command.limit + 1 : command.limit;
    const run = { statement: prepared.name, values: command.values };
    const once = this.#fitsOnce(plan, rows)
      ? session.start({ ...run, rows: Math.min(rows, ONCE + 1), once: true })
      : undefined;
    if (once !== undefined && ((await once.batch).complete || rows <= ONCE)) {
      return this.#render({ plan, command }, ready, factory, once);
    }
    const portal = session.start({ ...run, rows: Math.min(rows, FIRST_ROWS), once: false });
    try {
      return await this.#render({ plan, command }, ready, factory, portal);
    } finally {
      // The driver lets the next query wait until that is done.
      void portal.close();
    }
  }

  /** Whether the rows are few enough, by all that is known, to be read in one round trip. */
  #fitsOnce(plan: Plan, rows: number): boolean {
    const size = this.#sizes.get(plan);
    if (size === undefined || (size.large && rows > ONCE)) return false;
    return size.width * Math.min(rows, ONCE) <= 4 * SLICE;
  }

  #readyOf(prepared: Prepared, plan: Plan): Ready {
    const known = this.#ready.get(prepared);
    if (known !== undefined) return known;
    const found = findIn(prepared, plan);
    const ready = { ...found, renderers: new Renderers(plan.name, found.columns, this.#zone) };
    this.#ready.set(prepared, ready);
    return ready;
  }

  async #render(
    { plan, command: { limit, probe } }: Wanted,
    { read }: Ready,
    factory: RendererFactory,
    portal: Portal,
  ): Promise<RawResult> {
    const renderer = factory.start();
    const result = new Result(this.#folder, factory.headRoom);
    const wanted = probe ? limit + 1 : limit;
    let rows = 0;
    let length = 0;
    let slice = MOST_ROWS;
    try {
      for (let last = false; !last; ) {
        const batch = await portal.batch;
        const left = wanted - rows - batch.rows.length;
        last = batch.complete || left <= 0;
        // The database goes on while these rows are rendered.
        if (!last) portal.ask(Math.min(slice, left));
        for (const row of batch.rows) {
          rows += 1;
          if (rows <= limit) renderer.row(read(row), rows, NOTHING_BELOW);
        }
        const piece = renderer.flush();
        length += piece.length;
        // Few rows at a time where they are wide, so that memory stays flat.
        slice = Math.max(1, Math.min(MOST_ROWS, Math.floor((SLICE * rows) / (length + 1))));
        await result.add(piece);
      }
      const kept = Math.min(rows, limit);
      await result.add(renderer.tail());
      this.#learn(plan, rows, length);
      return await result.finish(renderer.head(kept), kept, rows > limit);
    } catch (error) {
      result.dispose();
      throw error;
    }
  }

  #learn(plan: Plan, rows: number, length: number): void {
    const before = this.#sizes.get(plan);
    this.#sizes.set(plan, {
      width: Math.max(before?.width ?? 0, length / Math.max(1, rows)),
      large: before?.large === true || rows > ONCE,
    });
  }
}
