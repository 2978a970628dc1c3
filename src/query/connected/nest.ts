import type { ScalarKind } from '../../model/scalar.ts';
import type { Plan, PlanLink, ResultColumn } from '../plan.ts';
import { type NestedRow, ResultLimitError, type ResultShape, type SqlValue } from '../render/index.ts';
import { keyOf } from './keys.ts';

/** Maximum of parent rows whose children are read with one statement. */
const BATCH = 1000;

/** Estimated bytes of memory for a batch, and again for the rows below it. The rows below a single row may take more. */
const ROOM = 8_388_608;
const ROOM_BELOW_ONE = 67_108_864;

/** Estimated bytes of a value, in addition to the characters of a text. */
const VALUE = 16;

/** Gathers rows of a query into batches. */
export class Batch {
  #rows: (readonly SqlValue[])[] = [];
  #size = 0;

  /** Adds a row. @returns whether the batch is full and must be taken before the next row */
  add(cells: readonly SqlValue[]): boolean {
    this.#rows.push(cells);
    this.#size += sizeOf(cells);
    return this.#rows.length === BATCH || this.#size >= ROOM;
  }

  /** Returns the rows so far and begins the next batch. */
  take(): readonly (readonly SqlValue[])[] {
    const rows = this.#rows;
    this.#rows = [];
    this.#size = 0;
    return rows;
  }
}

/** One statement to run: it finds the rows of a member that belong to the parents of a batch. */
export interface ChildRead {
  readonly member: Member;
  /** Distinct, without NULL. */
  readonly keys: readonly (readonly SqlValue[])[];
  /** Accepts a row; `false` when no more are wanted. Rows with other keys are ignored. */
  readonly take: (cells: readonly SqlValue[]) => boolean;
}

/** Rows of the query with all rows nested below them. */
interface FilledBatch {
  readonly rows: readonly NestedRow[];
  /** The number of rows below each of them, on all levels. */
  readonly counts: readonly number[];
  /** A member's row cap truncated the rows below one of them. */
  readonly truncated: boolean;
}

/**
 * Finds the rows below those of a connected query, with one statement for each member and batch. Each step is either a read,
 * which the caller carries out before it continues, or a filled batch. A batch with too many rows below it is read again in
 * halves, so that memory is bounded.
 * @param cap row cap of a member without its own under one row, and of all members together under one row of the query
 * @throws ResultLimitError if there are too many rows below a single row
 */
export function* nest(
  parents: readonly (readonly SqlValue[])[],
  members: readonly Member[],
  cap: number,
): Generator<ChildRead | FilledBatch, void, void> {
  const waiting = [parents];
  for (let batch = waiting.pop(); batch !== undefined; batch = waiting.pop()) {
    const single = batch.length === 1;
    const tally = new Tally(single ? ROOM_BELOW_ONE : ROOM, cap);
    const rows = batch.map((cells) => bare(cells, members));
    yield* fill(rows, members, tally);
    const known = new Map<readonly NestedRow[], number>();
    const counts = tally.full ? [] : rows.map((row) => countBelow(row, known));
    if (!tally.full && counts.every((count) => count <= cap)) {
      yield { rows, counts, truncated: tally.truncated };
    } else if (single) {
      throw new ResultLimitError(`has more below one row than is possible: ${cap} rows, or ${ROOM_BELOW_ONE} bytes`);
    } else {
      const middle = Math.ceil(batch.length / 2);
      waiting.push(batch.slice(middle), batch.slice(0, middle));
    }
  }
}

/** Finds the rows below, level by level. Rows with the same key share a list. */
function* fill(
  parents: readonly MutableRow[],
  members: readonly Member[],
  tally: Tally,
): Generator<ChildRead, void, void> {
  for (const [place, member] of members.entries()) {
    const lists = new Map<string, NestedRow[]>();
    const keys: (readonly SqlValue[])[] = [];
    for (const parent of parents) {
      const key = member.parentKey(parent.cells);
      if (key === undefined) continue;
      let list = lists.get(key);
      if (list === undefined) {
        list = [];
        lists.set(key, list);
        keys.push(member.values(parent.cells));
      }
      parent.below[place] = list;
    }
    if (lists.size === 0) continue;
    const cap = member.rows ?? tally.cap;
    const rows: MutableRow[] = [];
    const take = (cells: readonly SqlValue[]): boolean => {
      const key = member.ownKey(cells);
      const list = key === undefined ? undefined : lists.get(key);
      if (list === undefined) return true;
      if (list.length === cap) {
        tally.truncated = true;
        return true;
      }
      const row = bare(cells, member.children);
      list.push(row);
      rows.push(row);
      tally.add(cells);
      return !tally.full;
    };
    yield { member, keys, take };
    if (!tally.full && rows.length > 0) yield* fill(rows, member.children, tally);
    if (tally.full) return;
  }
}

/** Counts the rows below a row, shared ones each time they occur. @param known counts of lists that several rows share */
function countBelow({ below }: NestedRow, known: Map<readonly NestedRow[], number>): number {
  let count = 0;
  for (const list of below) {
    let within = known.get(list);
    if (within === undefined) {
      within = list.length;
      for (const row of list) within += countBelow(row, known);
      known.set(list, within);
    }
    count += within;
  }
  return count;
}

/** Counts the rows found below a batch so far. */
class Tally {
  truncated = false;
  readonly cap: number;
  readonly #room: number;
  #size = 0;

  constructor(room: number, cap: number) {
    this.#room = room;
    this.cap = cap;
  }

  /** Whether the memory for a batch is used up. */
  get full(): boolean {
    return this.#size > this.#room;
  }

  add(cells: readonly SqlValue[]): void {
    this.#size += sizeOf(cells);
  }
}

function sizeOf(cells: readonly SqlValue[]): number {
  let size = 0;
  for (const value of cells) size += VALUE + (typeof value === 'string' || Buffer.isBuffer(value) ? value.length : 0);
  return size;
}

/** A child of a connected query, with access to the values that its rows share with its parent's. */
export interface Member {
  /** Its index in pre-order: a child, its own children, the next child. */
  readonly index: number;
  readonly shape: ResultShape;
  /** Row cap under one row of the parent, if it has its own. */
  readonly rows: number | undefined;
  /** The key of a parent's row, and of its own row; `undefined` if a value is NULL, which equals nothing. */
  readonly parentKey: (cells: readonly SqlValue[]) => string | undefined;
  readonly ownKey: (cells: readonly SqlValue[]) => string | undefined;
  /** The values behind the parent's key, as they were read. */
  readonly values: (cells: readonly SqlValue[]) => readonly SqlValue[];
  /** The declared kinds of those values. */
  readonly kinds: readonly ScalarKind[];
  readonly children: readonly Member[];
}

/** Finds the columns of a member in the result of its statement; the names are those of the result. */
type FindColumns = (plan: Plan, index: number, link: PlanLink) => readonly ResultColumn[];

/** Compiles the members of a query, level by level. `columns` are the query's own, found in its result. */
export function compileMembers(plan: Plan, columns: readonly ResultColumn[], find: FindColumns): Member[] {
  let next = 0;
  const compile = (parent: Plan, parentColumns: readonly ResultColumn[]): Member[] =>
    parent.children.map((link): Member => {
      const index = next;
      next += 1;
      const own = find(link.plan, index, link);
      const kinds = link.on.map((pair) => own[pair.child]?.kind as ScalarKind);
      const parentAt = link.on.map((pair) => parentColumns[pair.parent]?.at ?? 0);
      const ownAt = link.on.map((pair) => own[pair.child]?.at ?? 0);
      const children = compile(link.plan, own);
      return {
        index,
        shape: { name: link.plan.name, columns: own, children: children.map((child) => child.shape) },
        rows: link.rows,
        parentKey: keyOf(kinds, parentAt),
        ownKey: keyOf(kinds, ownAt),
        values: (cells) => parentAt.map((at) => cells[at] ?? null),
        kinds,
        children,
      };
    });
  return compile(plan, columns);
}

/** A row with empty lists for its children. */
function bare(cells: readonly SqlValue[], members: readonly Member[]): MutableRow {
  return { cells, below: members.map(() => []) };
}

/** A row whose lists are being filled. */
interface MutableRow extends NestedRow {
  readonly below: NestedRow[][];
}
