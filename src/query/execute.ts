import type Database from 'better-sqlite3';
import { ConnectedReader } from './connected/sqlite.ts';
import type { Command, MemberValues } from './frame.ts';
import type { Output } from './output.ts';
import type { Plan } from './plan.ts';
import {
  compileRenderer,
  NOTHING_BELOW,
  type RendererFactory,
  type ResultColumn,
  type SqlValue,
} from './render/index.ts';
import { Rendering } from './rendering.ts';
import { findColumns } from './result-columns.ts';
import { RowsSource } from './rows-source.ts';
import type { Zone } from './timezone.ts';

/** Rows that are rendered at once the first time. */
const FIRST_ROWS = 16;

/** Renderers kept for one query: each choice of columns that callers make is one. */
const RENDERERS_KEPT = 64;

/** A query as a reader holds it: prepared once, with the renderers that were asked for. */
interface Ready {
  readonly plan: Plan;
  readonly source: RowsSource;
  readonly columns: readonly ResultColumn[];
  /** What reads the rows of its children; undefined until it is run as a connected query. */
  connected: ConnectedReader | undefined;
  /** The version of the schema that it was prepared on, where the SQL has a star. */
  readonly schema: number | undefined;
  readonly renderers: Map<string, RendererFactory>;
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
  run(command: Command, output: Output): void {
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

  #runAlone(ready: Ready, command: Command, output: Output): void {
    const factory = this.#renderer(ready, command);
    const source = readRows(ready, command);
    const rendering = new Rendering(factory, output, Array.isArray(source) ? source.length : FIRST_ROWS);
    const truncated = eachWithin(source, command, (cells) => rendering.row(cells, NOTHING_BELOW, 0));
    rendering.finish(truncated);
    if (command.probe) ready.source.learn(rendering.rows, rendering.length);
  }

  /** All statements see the database as the first one found it. */
  #runConnected(ready: Ready, command: Command, members: MemberValues, output: Output): void {
    ready.connected ??= new ConnectedReader(this.#database, ready.plan, ready.columns);
    const rendering = new Rendering(this.#renderer(ready, command), output, FIRST_ROWS);
    const batches = ready.connected.start(members, (row, count) => rendering.row(row.cells, row.below, count));
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
    const source = new RowsSource(this.#database, plan.sql);
    const { columns, problems } = findColumns(plan.columns, source.names);
    if (problems.length > 0) throw new Error(problems.join('; '));
    const schema = hasStar(plan) ? this.#schemaVersion.get() : undefined;
    const ready: Ready = { plan, source, columns, connected: undefined, schema, renderers: new Map() };
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

  #renderer(ready: Ready, command: Command): RendererFactory {
    const { format, fields, xml, root, members } = command;
    const key = JSON.stringify([format, fields, xml, root, members !== undefined]);
    const known = ready.renderers.get(key);
    if (known !== undefined) return known;
    const columns = fields === undefined ? ready.columns : fields.flatMap((index) => ready.columns[index] ?? []);
    const children = members === undefined ? [] : (ready.connected?.shapes ?? []);
    const shape = { name: ready.plan.name, columns, children };
    const factory = compileRenderer(format, shape, this.#zone, { xml, root });
    if (ready.renderers.size >= RENDERERS_KEPT) ready.renderers.clear();
    ready.renderers.set(key, factory);
    return factory;
  }
}

function readRows({ source }: Ready, { values, limit, probe }: Command): Iterable<SqlValue[]> {
  return source.read(values, probe ? limit + 1 : limit);
}

/** Takes as many rows as a command wants. @returns whether one more was looked for and found */
function eachWithin(
  source: Iterable<SqlValue[]>,
  { limit, probe }: Command,
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
