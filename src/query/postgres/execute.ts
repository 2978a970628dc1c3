import type { MemberValues } from '../frame.ts';
import type { Plan } from '../plan.ts';
import type { RawResult } from '../reader-process.ts';
import {
  compileRenderer,
  NOTHING_BELOW,
  type RendererFactory,
  type ResultColumn,
  type SqlValue,
} from '../render/index.ts';
import { findColumns } from '../result-columns.ts';
import type { Task } from '../runner.ts';
import type { Zone } from '../timezone.ts';
import { forgetConnected, runConnected } from './connected.ts';
import { isOutdated } from './errors.ts';
import type { Portal, Texts } from './portal.ts';
import { Result } from './result.ts';
import type { Prepared, Session } from './session.ts';
import { compileReading } from './values.ts';

/** Rows that are asked for at once: the first time, and at most. A batch is what the event loop waits for. */
const FIRST_ROWS = 64;
const MOST_ROWS = 512;
/** Text that a batch may come to, in UTF-16 units. */
const SLICE = 262_144;
/** Rows that are read in one round trip, at most. */
const ONCE = 256;
/** Renderers kept for one statement: each choice of columns that callers make is one. */
const RENDERERS_KEPT = 64;

/** A statement as a session holds it, with the renderers that were asked for. */
interface Ready {
  readonly prepared: Prepared;
  readonly columns: readonly ResultColumn[];
  readonly read: (row: Texts) => SqlValue[];
  readonly renderers: Map<string, RendererFactory>;
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
    const factory = this.#renderer(ready, plan, command);
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
    const { columns, problems } = findColumns(
      plan.columns,
      prepared.fields.map((field) => field.name),
    );
    if (problems.length > 0) throw new Error(problems.join('; '));
    const types = prepared.fields.map((field) => field.dataTypeID);
    const ready: Ready = { prepared, columns, read: compileReading(columns, types), renderers: new Map() };
    this.#ready.set(prepared, ready);
    return ready;
  }

  #renderer(ready: Ready, plan: Plan, { format, fields, xml, root }: Task['command']): RendererFactory {
    const key = JSON.stringify([format, fields, xml, root]);
    const known = ready.renderers.get(key);
    if (known !== undefined) return known;
    const columns = fields === undefined ? ready.columns : fields.flatMap((index) => ready.columns[index] ?? []);
    const factory = compileRenderer(format, { name: plan.name, columns, children: [] }, this.#zone, { xml, root });
    if (ready.renderers.size >= RENDERERS_KEPT) ready.renderers.clear();
    ready.renderers.set(key, factory);
    return factory;
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
