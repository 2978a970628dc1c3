import type { ScalarKind } from '../../model/scalar.ts';
import type { Plan, PlanLink, ResultColumn } from '../plan.ts';
import { type NestedRow, ResultLimitError, type ResultShape, type SqlValue } from '../render/index.ts';
import { keyOf } from './keys.ts';

/** Rows of a query for which the rows below are read at once, at most. */
const BATCH = 1000;

/** Bytes, estimated, that a batch may take in memory, and the rows below it as much again; below a single row they may take more. */
const ROOM = 8_388_608;
const ROOM_BELOW_ONE = 67_108_864;

/** Bytes that a value takes, estimated, beside the characters of a text. */
const VALUE = 16;

/** Gathers rows of a query into batches. */
export class Batch {
  #rows: (readonly SqlValue[])[] = [];
  #size = 0;

  /** Takes a row. @returns whether the batch is full and is to be taken before the next row comes */
  add(cells: readonly SqlValue[]): boolean {
    this.#rows.push(cells);
    this.#size += sizeOf(cells);
    return this.#rows.length === BATCH || this.#size >= ROOM;
  }

  /** The rows so far; the next batch begins. */
  take(): readonly (readonly SqlValue[])[] {
    const rows = this.#rows;
    this.#rows = [];
    this.#size = 0;
    return rows;
  }
}

/** What one statement has to find: the rows of a member that belong to the parents of a batch. */
export interface ChildRead {
  readonly member: Member;
  /** Different from each other; no NULL. */
  readonly keys: readonly (readonly SqlValue[])[];
  /** Takes a row that was found; false where no more is wanted. Rows with other keys are passed over. */
  readonly take: (cells: readonly SqlValue[]) => boolean;
}

/** Rows of the query with all that is below them. */
interface FilledBatch {
  readonly rows: readonly NestedRow[];
  /** How many rows stand below each of them, on all levels. */
  readonly counts: readonly number[];
  /** The cap of a member cut what stands below one of them. */
  readonly truncated: boolean;
}

/**
 * Finds what stands below the rows of a connected query, with one statement a member and batch: each step is a read, which
 * the caller carries out before it goes on, or a batch that is filled. A batch below which too much stands is read once
 * more in halves, so that memory is bounded.
 * @param cap rows of a member under one row where it has no cap of its own, and of all members under one row of the query
 * @throws ResultLimitError where too much stands below a single row
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

/** Finds what stands below rows, level by level. Rows with one key share their list. */
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

/** Rows below a row, as often as they stand there. @param known counts of lists that several rows share */
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

/** What was found below a batch so far. */
class Tally {
  truncated = false;
  readonly cap: number;
  readonly #room: number;
  #size = 0;

  constructor(room: number, cap: number) {
    this.#room = room;
    this.cap = cap;
  }

  /** No more can be held. */
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

/** A child of a connected query as it is read: where the values stand that its rows and its parent's have in common. */
export interface Member {
  /** Its place in the order of the tree: a child, its own children, the next child. */
  readonly index: number;
  readonly shape: ResultShape;
  /** Most rows under one row of the parent, where it has a cap of its own. */
  readonly rows: number | undefined;
  /** The key of a parent's row, and of its own; undefined where a value is NULL, which equals nothing. */
  readonly parentKey: (cells: readonly SqlValue[]) => string | undefined;
  readonly ownKey: (cells: readonly SqlValue[]) => string | undefined;
  /** The values behind the parent's key, as they were read. */
  readonly values: (cells: readonly SqlValue[]) => readonly SqlValue[];
  /** The declared kinds of those values. */
  readonly kinds: readonly ScalarKind[];
  readonly children: readonly Member[];
}

/** Finds the columns of a member in what its statement returns; the names are those of the result. */
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

/** Rows without anything below yet. */
function bare(cells: readonly SqlValue[], members: readonly Member[]): MutableRow {
  return { cells, below: members.map(() => []) };
}

/** A row whose lists are being filled. */
interface MutableRow extends NestedRow {
  readonly below: NestedRow[][];
}
