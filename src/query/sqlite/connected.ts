import type Database from 'better-sqlite3';
import type { ScalarKind } from '../../model/scalar.ts';
import { storedForms } from '../connected/keys.ts';
import { Batch, type ChildRead, compileMembers, type Member, nest } from '../connected/nest.ts';
import type { Plan, ResultColumn } from '../plan.ts';
import type { NestedRow, ResultShape, SqlValue } from '../render/index.ts';
import { requireColumns } from '../result.ts';
import type { Bound, MemberValues } from '../runner.ts';
import { type Prepared, prepareSelect } from './statement.ts';

/**
 * The statement of a child for a whole batch of parents: its own, with only the rows that have one of the keys. Nothing is
 * joined to it, so that its own order stays.
 * @param columns names of the columns with the keys' values, in its result
 */
function childStatement(sql: string, columns: readonly string[]): string {
  const names = columns.map((name) => `"${name.replaceAll('"', '""')}"`);
  const values = names.map((_, index) => `value ->> ${index}`);
  const keys = names.length === 1 ? 'value' : values.join(', ');
  return `select * from (\n${sql}\n) as signalbox_child where (${names.join(', ')}) in (select ${keys} from json_each(?))`;
}

/** Keys as SQLite's placeholder takes them: a JSON array of values, or of arrays of them, in every form that may be stored. */
function keysAsJson(keys: readonly (readonly SqlValue[])[], kinds: readonly ScalarKind[]): string {
  const texts = new Set<string>();
  for (const values of keys) {
    const forms = values.map((value, index) => storedForms(kinds[index] ?? 'string', value).map(jsonOf));
    const [only = []] = forms;
    for (const text of forms.length === 1 ? only : combined(forms).map((each) => `[${each.join()}]`)) texts.add(text);
  }
  return `[${[...texts].join()}]`;
}

/** Every choice of one text from each list. */
function combined(lists: readonly (readonly string[])[]): string[][] {
  return lists.reduce<string[][]>(
    (found, list) => found.flatMap((texts) => list.map((text) => [...texts, text])),
    [[]],
  );
}

function jsonOf(value: SqlValue): string {
  // JSON has no infinity, but reads what is larger than any number as one.
  if (value === Number.POSITIVE_INFINITY) return '9e999';
  if (value === Number.NEGATIVE_INFINITY) return '-9e999';
  return typeof value === 'bigint' ? value.toString() : JSON.stringify(value);
}

/** Takes a row with all that is below it, and how many rows that is. */
type TakeRow = (row: NestedRow, count: number) => void;

/** Reads the rows below those of one connected query, whose members it has prepared. */
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
      this.#statements[index] = prepareSelect(database, childStatement(sql, keys));
      return own;
    });
  }

  /** The shapes of the rows below each row. */
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
