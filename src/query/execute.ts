import type Database from 'better-sqlite3';
import type { Command } from './frame.ts';
import type { Output } from './output.ts';
import type { Plan } from './plan.ts';
import { compileRenderer, type RendererFactory, type ResultColumn } from './render/index.ts';
import { findColumns } from './result-columns.ts';
import { RowsSource, SLICE } from './rows-source.ts';
import type { Zone } from './timezone.ts';

/** Rows that are rendered at once: the first time, and at most. */
const FIRST_ROWS = 16;
const MOST_ROWS = 512;

/** Renderers kept for one query: each choice of columns that callers make is one. */
const RENDERERS_KEPT = 64;

/** A query as a reader holds it: prepared once, with the renderers that were asked for. */
interface Ready {
  readonly plan: Plan;
  readonly source: RowsSource;
  readonly columns: readonly ResultColumn[];
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

  constructor(database: Database.Database, zone: Zone) {
    this.#database = database;
    this.#zone = zone;
    this.#schemaVersion = database.prepare<unknown[], number>('pragma schema_version').pluck();
    this.#readSchema = database.prepare('select 1 from sqlite_schema limit 1');
  }

  /** Runs one command and sends its result. @throws SqliteError, ValueError, and errors of the file system */
  run(command: Command, output: Output): void {
    if (command.define !== undefined) this.#plans.set(command.define.id, command.define);
    const ready = this.#prepare(command.plan);
    const factory = this.#renderer(ready, command);
    const renderer = factory.start();
    output.begin(factory.headRoom);
    const { limit, probe } = command;
    const source = ready.source.read(command.values, probe ? limit + 1 : limit);
    let slice = Array.isArray(source) ? source.length : FIRST_ROWS;
    let flushAt = slice;
    let rows = 0;
    let length = 0;
    let truncated = false;
    for (const row of source) {
      if (rows === limit) {
        truncated = probe;
        break;
      }
      rows += 1;
      renderer.row(row, rows);
      if (rows === flushAt) {
        const text = renderer.flush();
        output.text(text);
        length += text.length;
        // Few rows at a time where they are wide, so that memory stays flat.
        slice = Math.max(1, Math.min(MOST_ROWS, Math.floor((SLICE * slice) / (text.length + 1))));
        flushAt = rows + slice;
      }
      if (rows === limit && !probe) break;
    }
    const rest = renderer.flush();
    output.text(rest);
    output.text(renderer.tail());
    output.finish(renderer.head(rows), rows, truncated);
    if (probe) ready.source.learn(rows, length + rest.length);
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
    const schema = plan.sql.includes('*') ? this.#schemaVersion.get() : undefined;
    const ready: Ready = { plan, source, columns, schema, renderers: new Map() };
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
    const { format, fields, xml } = command;
    const key = `${format} ${fields?.join(',') ?? ''} ${xml === undefined ? '' : JSON.stringify(xml)}`;
    const known = ready.renderers.get(key);
    if (known !== undefined) return known;
    const columns = fields === undefined ? ready.columns : fields.flatMap((index) => ready.columns[index] ?? []);
    const factory = compileRenderer(format, ready.plan.name, columns, this.#zone, xml);
    if (ready.renderers.size >= RENDERERS_KEPT) ready.renderers.clear();
    ready.renderers.set(key, factory);
    return factory;
  }
}
