import type { Query } from '../../model/query.ts';
import { type Plan, type PlanColumn, planOf, type ResultColumn } from '../plan/plan.ts';
import type { ResultShape } from '../render/index.ts';

/**
 * The shape of a query's result whose columns stand where they are declared.
 * @param fields names of the query's own columns that were asked for; all where undefined
 */
export function shapeOf(
  query: Query,
  { fields, connected }: { readonly fields: readonly string[] | undefined; readonly connected: boolean },
): ResultShape {
  const plan = planOf(query, 0);
  const wanted = fields === undefined ? undefined : new Set(fields);
  const columns = placed(plan.columns).filter((column) => wanted?.has(column.name) ?? true);
  return { name: plan.name, columns, children: connected ? childrenOf(plan) : [] };
}

function childrenOf(plan: Plan): ResultShape[] {
  return plan.children.map((link) => ({
    name: link.plan.name,
    columns: placed(link.plan.columns),
    children: childrenOf(link.plan),
  }));
}

function placed(columns: readonly PlanColumn[]): ResultColumn[] {
  return columns.map((column, at) => ({ ...column, at }));
}
