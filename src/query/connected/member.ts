import type { ScalarKind } from '../../model/scalar.ts';
import type { Plan, PlanLink, ResultColumn } from '../plan/plan.ts';
import type { NestedRow, ResultShape, SqlValue } from '../render/index.ts';
import { keyOf } from './keys.ts';

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
export function bare(cells: readonly SqlValue[], members: readonly Member[]): MutableRow {
  return { cells, below: members.map(() => []) };
}

/** A row whose lists are being filled. */
export interface MutableRow extends NestedRow {
  readonly below: NestedRow[][];
}
