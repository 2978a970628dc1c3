import type Database from 'better-sqlite3';
import { childStatement, keysAsJson } from '../connected/keys.ts';
import { Batch, type ChildRead, compileMembers, type Member, nest } from '../connected/nest.ts';
import type { Plan, ResultColumn } from '../plan.ts';
import type { Bound } from '../prompts.ts';
import type { NestedRow, ResultShape, SqlValue } from '../render/index.ts';
import { requireColumns } from '../result.ts';
import type { MemberValues } from '../runner.ts';
import { type Prepared, prepareSelect } from './statement.ts';

/** Takes a row with all that is below it, and how many rows that is. */
type TakeRow = (row: NestedRow, count: number) => void;

/** Reads what stands below the rows of one connected query, whose members it has prepared. */
export class ConnectedReader {
  readonly #members: readonly Member[];
  readonly #statements: Prepared[] = [];

  /**
   * @param columns of the query itself, found in its result
   * @throws SqliteError; Error where a member lacks a column
   */
  constructor(database: Database.Database, plan: Plan, columns: readonly ResultColumn[]) {
    this.#members = compileMembers(plan, columns, ({ name, sql, columns: declared }, index, { on }) => {
      const names = prepareSelect(database, sql)
        .columns()
        .map((column) => column.name);
      const own = requireColumns(declared, names, `${name}: `);
      const keys = on.map((pair) => names[own[pair.child]?.at ?? 0] ?? '');
      this.#statements[index] = prepareSelect(database, childStatement(sql, keys, 0, 'sqlite'));
      return own;
    });
  }

  /** What stands below each row. */
  get shapes(): readonly ResultShape[] {
    return this.#members.map((member) => member.shape);
  }

  /** Starts a run inside a transaction. */
  start(given: MemberValues, take: TakeRow): Batches {
    const read = (step: ChildRead): void => {
      const { index } = step.member;
      this.#read(step, given.values[index] ?? []);
    };
    return new Batches(this.#members, given.rows, read, take);
  }

  #read({ member, keys, take }: ChildRead, values: readonly Bound[]): void {
    const statement = this.#statements[member.index];
    if (statement === undefined) throw new Error(`${member.shape.name} is not prepared`);
    for (const cells of statement.iterate(...values, keysAsJson(keys, member.kinds))) if (!take(cells)) return;
  }
}

/** Gathers rows of the query into batches, and hands each row on with what was found below it. */
class Batches {
  readonly #members: readonly Member[];
  readonly #cap: number;
  readonly #read: (step: ChildRead) => void;
  readonly #take: TakeRow;
  readonly #batch = new Batch();
  #truncated = false;

  constructor(members: readonly Member[], cap: number, read: (step: ChildRead) => void, take: TakeRow) {
    this.#members = members;
    this.#cap = cap;
    this.#read = read;
    this.#take = take;
  }

  add(cells: SqlValue[]): void {
    if (this.#batch.add(cells)) this.#fill();
  }

  /** Hands on what is left. @returns whether the cap of a member cut anything */
  end(): boolean {
    this.#fill();
    return this.#truncated;
  }

  #fill(): void {
    for (const step of nest(this.#batch.take(), this.#members, this.#cap)) {
      if ('member' in step) {
        this.#read(step);
        continue;
      }
      for (const [index, row] of step.rows.entries()) this.#take(row, step.counts[index] ?? 0);
      this.#truncated ||= step.truncated;
    }
  }
}
