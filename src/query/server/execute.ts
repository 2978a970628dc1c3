import { compileZone, type Zone } from '../../wire/timezone.ts';
import type { Plan } from '../plan.ts';
import { NOTHING_BELOW, type RendererFactory, type SqlValue } from '../render/index.ts';
import { atRow } from '../render/odd.ts';
import { Renderers, Result } from '../result.ts';
import { type MemberValues, type RawResult, type RunnerOptions, SLICE, type Task } from '../runner.ts';
import { runConnected } from './connected.ts';
import type { Connection, Cursor, Driver, Statement } from './connection.ts';

/** Rows that are asked for at once: the first time, and at most. A batch is what the event loop waits for. */
const FIRST_ROWS = 64;
const MOST_ROWS = 512;
/** Rows that are read in one round trip, at most. */
const ONCE = 256;

/** What earlier runs of a plan came to. */
interface Size {
  /** Text of a row, the mean of the run in which that was most. */
  readonly width: number;
  /** A run had more rows than are read at once: any may. */
  readonly large: boolean;
}

type Wanted = Pick<Task, 'plan' | 'command'>;

/** Runs queries on connections and renders their rows as they come. */
export class ServerExecutor {
  readonly #driver: Driver;
  readonly #zone: Zone;
  readonly #folder: string;
  readonly #renderers = new WeakMap<Statement, Renderers>();
  readonly #sizes = new WeakMap<Plan, Size>();

  constructor(driver: Driver, { timezone, folder }: Pick<RunnerOptions, 'timezone' | 'folder'>) {
    this.#driver = driver;
    this.#zone = compileZone(timezone);
    this.#folder = folder;
  }

  /** Runs one query. @throws errors of the database, of the connection and of the file system; ValueError, ResultLimitError */
  async run(connection: Connection, wanted: Wanted): Promise<RawResult> {
    const { members } = wanted.command;
    const run = (): Promise<RawResult> =>
      members === undefined ? this.#runAlone(connection, wanted) : this.#runConnected(connection, wanted, members);
    try {
      return await run();
    } catch (error) {
      if (!this.#driver.isOutdated(error)) throw error;
      connection.forget(String(wanted.plan.id));
      return run();
    }
  }

  #runConnected(connection: Connection, wanted: Wanted, members: MemberValues): Promise<RawResult> {
    return runConnected(connection, wanted, members, this.#zone, this.#folder);
  }

  async #runAlone(connection: Connection, { plan, command }: Wanted): Promise<RawResult> {
    const statement = await connection.prepare(String(plan.id), plan);
    const factory = this.#renderersOf(statement, plan).of(command);
    const { values } = command;
    const wanted = command.probe ? command.limit + 1 : command.limit;
    if (this.#fitsOnce(plan, wanted)) {
      const rows = Math.min(wanted, ONCE + 1);
      const cursor = statement.start({ values, rows, wanted: rows, once: true });
      if ((await cursor.batch).complete || wanted <= ONCE)
        return this.#render({ plan, command }, statement, factory, cursor);
    }
    const cursor = statement.start({ values, rows: Math.min(wanted, FIRST_ROWS), wanted });
    try {
      return await this.#render({ plan, command }, statement, factory, cursor);
    } finally {
      const closed = cursor.close();
      if (!this.#driver.pipelines) await closed;
    }
  }

  /** Whether the rows are few enough, by all that is known, to be read in one round trip. */
  #fitsOnce(plan: Plan, rows: number): boolean {
    const size = this.#sizes.get(plan);
    if (!this.#driver.pipelines || size === undefined || (size.large && rows > ONCE)) return false;
    return size.width * Math.min(rows, ONCE) <= 4 * SLICE;
  }

  #renderersOf(statement: Statement, plan: Plan): Renderers {
    const known = this.#renderers.get(statement);
    if (known !== undefined) return known;
    const renderers = new Renderers(plan.name, statement.columns, this.#zone);
    this.#renderers.set(statement, renderers);
    return renderers;
  }

  async #render(
    { plan, command: { limit, probe } }: Wanted,
    statement: Statement,
    factory: RendererFactory,
    cursor: Cursor,
  ): Promise<RawResult> {
    const renderer = factory.start();
    const result = new Result(this.#folder, factory.headRoom);
    const wanted = probe ? limit + 1 : limit;
    let rows = 0;
    let length = 0;
    let slice = MOST_ROWS;
    try {
      for (let last = false; !last; ) {
        const batch = await cursor.batch;
        const left = wanted - rows - batch.rows.length;
        last = batch.complete || left <= 0;
        // The database goes on while these rows are rendered.
        if (!last) cursor.ask(Math.min(slice, left));
        for (const row of batch.rows) {
          rows += 1;
          if (rows <= limit) renderer.row(readRow(statement, row, rows), rows, NOTHING_BELOW);
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

function readRow(statement: Statement, row: SqlValue[], number: number): SqlValue[] {
  try {
    return statement.read(row);
  } catch (error) {
    throw atRow(number, error);
  }
}
