import { requireColumns } from '../plan/find-columns.ts';
import type { Plan, ResultColumn } from '../plan/plan.ts';
import type { SqlValue } from '../render/index.ts';
import type { Texts } from './portal.ts';
import type { Prepared } from './session.ts';
import { compileReading } from './values.ts';

/** A statement whose columns were found. */
export interface Found {
  readonly prepared: Prepared;
  readonly columns: readonly ResultColumn[];
  readonly read: (row: Texts) => SqlValue[];
}

/** Finds the columns of a plan in what a statement returns. @param whose said before what is wrong @throws Error */
export function findIn(prepared: Prepared, plan: Plan, whose = ''): Found {
  const { fields } = prepared;
  const names = fields.map((field) => field.name);
  const columns = requireColumns(plan.columns, names, whose);
  const types = fields.map((field) => field.dataTypeID);
  return { prepared, columns, read: compileReading(columns, types) };
}
