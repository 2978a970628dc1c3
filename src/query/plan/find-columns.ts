import { ValueError } from '../render/value.ts';
import type { PlanColumn, ResultColumn } from './plan.ts';

/** The columns of a plan that a result has, and what is wrong with the others. */
export interface FoundColumns {
  readonly columns: readonly ResultColumn[];
  /** One sentence each, without an end. */
  readonly problems: readonly string[];
  /** The columns that they are about. */
  readonly wrong: readonly PlanColumn[];
}

/** Finds declared columns in a result by name without case, never by position. */
export function findColumns(declared: readonly PlanColumn[], result: readonly string[]): FoundColumns {
  const lower = result.map((name) => name.toLowerCase());
  const columns: ResultColumn[] = [];
  const problems: string[] = [];
  const wrong: PlanColumn[] = [];
  for (const column of declared) {
    const wanted = column.name.toLowerCase();
    const at = lower.indexOf(wanted);
    if (at < 0) {
      wrong.push(column);
      problems.push(`column ${column.name} is not in the result, which has ${result.join(', ')}`);
    } else if (lower.includes(wanted, at + 1)) {
      wrong.push(column);
      problems.push(`column ${column.name} is in the result more than once; give each an alias of its own`);
    } else {
      columns.push({ ...column, at });
    }
  }
  return { columns, problems, wrong };
}

/** The same, where all of them must be there. @param whose said before what is wrong @throws Error */
export function requireColumns(
  declared: readonly PlanColumn[],
  result: readonly string[],
  whose = '',
): readonly ResultColumn[] {
  const { columns, problems } = findColumns(declared, result);
  if (problems.length > 0) throw new ValueError(`${whose}${problems.join('; ')}`);
  return columns;
}
