import type Database from 'better-sqlite3';
import type { Zone } from '../../wire/timezone.ts';
import type { Plan, ResultColumn } from '../plan.ts';
import { type NestedRow, NOTHING_BELOW, type Renderer, type RendererFactory, type SqlValue } from '../render/index.ts';
import { Renderers, requireColumns } from '../result.ts';
import { type MemberValues, SLICE } from '../runner.ts';
import { ConnectedReader } from './connected.ts';
import type { ReaderCommand } from './frame.ts';
import type { Output } from './output.ts';
import { RowsSource } from './statement.ts';

/** Rows that are rendered at once, at most. */
const MOST_ROWS = 512;

/** Renders rows as they come and hands them to the output in slices: few rows at a time where they are wide, so that memory stays flat. */
class Rendering {
  readonly #renderer: Renderer;
  readonly #output: Output;
  /** Rows of the query so far. */
  rows = 0;
  /** Text and bytes so far. */
  length = 0;
  /** Rows since the last slice, those of children included; and when the next one is due. */
  #pending = 0;
  #slice: number;

  /** @param slice rows of the first slice */
  constructor(factory: RendererFactory, output: Output, slice: number) {
    this.#renderer = factory.start();
    this.#output = output;
    this.#slice = slice;
    output.begin(factory.headRoom);
  }

  /** @param count rows that stand below it */
  row(cells: readonly SqlValue[], below: NestedRow['below'], count: number): void {
    this.rows += 1;
    this.#renderer.row(cells, this.rows, below);
    this.#pending += 1 + count;
    if (this.#pending >= this.#slice) this.#flush();
  }

  /** Ends the result and sends it. */
  finish(truncated: boolean): void {
    this.#flush();
    this.#output.add(this.#renderer.tail());
    this.#output.finish(this.#renderer.head(this.rows), this.rows, truncated);
  }

  #flush(): void {
    const piece = this.#renderer.flush();
    this.#output.add(piece);
    this.length += piece.length;
    this.#slice = Math.max(1, Math.min(MOST_ROWS, Math.floor((SLICE * this.#pending) / (piece.length + 1))));
    this.#pending = 0;
  }
}

/** Rows that are rendered at once the first time. */
const FIRST_ROWS = 16;

/** A query as a reader holds it: prepared once, with the renderers that were asked for. */
interface Ready {
  readonly plan: Plan;
  readonly source: RowsSource;
  readonly columns: readonly ResultColumn[];
  /** What reads the rows of its children; undefined until it is run as a connected query. */
  connected: ConnectedReader | undefined;
  /** The version of the schema that it was prepared on, where the SQL has a star. */
  readonly schema: number | undefined;
  readonly renderers: Renderers;
}

/** Runs queries on one connection, one at a time. */
export class Executor {
  readonly #database: Database.Database;
  readonly #zone: Zone;
  readonly #plans = new Map<number, Plan>();
  readonly #ready = new Map<number, Ready>();
  readonly #schemaVersion: Database.Statement<unknown[], number>;
  /** A connection prepares on the schema that it has read; running any statement makes it read a changed one. */
  readonly #readSchema: Database.Statement<unknown[]>;
  readonly #begin: Database.Statement<unknown[]>;
  readonly #end: Database.Statement<unknown[]>;

  constructor(database: Database.Database, zone: Zone) {
    this.#database = database;
    this.#zone = zone;
    this.#schemaVersion = database.prepare<unknown[], number>('pragma schema_version').pluck();
    this.#readSchema = database.prepare('select 1 from sqlite_schema limit 1');
    this.#begin = database.prepare('begin');
    this.#end = database.prepare('rollback');
  }

  /** Runs one command and sends its result. @throws SqliteError, ValueError, ResultLimitError, and errors of the file system */
  run(command: ReaderCommand, output: Output): void {
    const { define, forget } = command;
    if (define !== undefined) this.#plans.set(define.id, define);
    if (forget !== undefined) {
      this.#plans.delete(forget);
      this.#ready.delete(forget);
    }
    const ready = this.#prepare(command.plan);
    if (command.members === undefined) this.#runAlone(ready, command, output);
    else this.#runConnected(ready, command, command.members, output);
  }

  #runAlone(ready: Ready, command: ReaderCommand, output: Output): void {
    const factory = ready.renderers.of(command);
    const source = readRows(ready, command);
    const rendering = new Rendering(factory, output, Array.isArray(source) ? source.length : FIRST_ROWS);
    const truncated = eachWithin(source, command, (cells) => rendering.row(cells, NOTHING_BELOW, 0));
    rendering.finish(truncated);
    if (command.probe) ready.source.learn(rendering.rows, rendering.length);
  }

  /** All statements see the database as the first one found it. */
  #runConnected(ready: Ready, command: ReaderCommand, members: MemberValues, output: Output): void {
    ready.connected ??= new ConnectedReader(this.#database, ready.plan, ready.columns);
    const { connected } = ready;
    const factory = ready.renderers.of(command, connected.shapes);
    const rendering = new Rendering(factory, output, FIRST_ROWS);
    const batches = connected.start(members, (row, count) => rendering.row(row.cells, row.below, count));
    this.#begin.run();
    try {
      const cut = eachWithin(readRows(ready, command), command, (cells) => batches.add(cells));
      rendering.finish(batches.end() || cut);
    } finally {
      this.#end.run();
    }
  }

  #prepare(id: number): Ready {
    const known = this.#ready.get(id);
    if (known !== undefined && !this.#schemaChanged(known)) return known;
    const plan = this.#plans.get(id);
    if (plan === undefined) throw new Error(`there is no plan ${id}`);
    this.#readSchema.get();
    const source = new RowsSource(this.#database, plan.sql, plan.explains);
    const columns = requireColumns(plan.columns, source.names);
    const schema = hasStar(plan) ? this.#schemaVersion.get() : undefined;
    const renderers = new Renderers(plan.name, columns, this.#zone);
    const ready: Ready = { plan, source, columns, connected: undefined, schema, renderers };
    this.#ready.set(id, ready);
    return ready;
  }

  /**
   * A statement follows a changed schema by itself, but the places of its columns were read before the change: only a
   * star can have moved them.
   */
  #schemaChanged(ready: Ready): boolean {
    return ready.schema !== undefined && ready.schema !== this.#schemaVersion.get();
  }
}

function readRows({ source }: Ready, { values, limit, probe }: ReaderCommand): Iterable<SqlValue[]> {
  return source.read(values, probe ? limit + 1 : limit);
}

/** Takes as many rows as a command wants. @returns whether one more was looked for and found */
function eachWithin(
  source: Iterable<SqlValue[]>,
  { limit, probe }: ReaderCommand,
  take: (cells: SqlValue[]) => void,
): boolean {
  let rows = 0;
  for (const cells of source) {
    if (rows === limit) return probe;
    rows += 1;
    take(cells);
    if (rows === limit && !probe) return false;
  }
  return false;
}

function hasStar({ sql, children }: Plan): boolean {
  return sql.includes('*') || children.some((link) => hasStar(link.plan));
}
