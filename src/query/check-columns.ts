import type { DatabaseType } from '../model/column-type.ts';
import type { Field, ScalarType } from '../model/field.ts';
import type { Query } from '../model/query.ts';
import { SCALARS, type ScalarKind } from '../model/scalar.ts';
import type { Plan, ResultColumn } from './plan.ts';
import { findColumns } from './result.ts';

/** A column of a result; without a type if the database does not know one. */
export interface FoundColumn {
  readonly name: string;
  readonly type: DatabaseType | undefined;
  /** It is the column of a table as it is, which may be NULL. */
  readonly isNullable?: boolean;
}

/** Compares the declared columns of a query with those that its statement returns. */
export function compareColumns(query: Query, plan: Plan, found: readonly FoundColumn[]): Found[] {
  const names = found.map(({ name }) => name);
  const { columns, problems, wrong } = findColumns(plan.columns, names);
  const declared = (name: string): Field | undefined => query.columns.find((column) => column.name === name);
  const missing = problems.map((message, index): Found => {
    const column = declared(wrong[index]?.name ?? '');
    return { kind: 'missing-column', message, ...(column === undefined ? {} : { column }) };
  });
  const misfits = columns.flatMap((column) => {
    const field = declared(column.name);
    const { type, isNullable = false } = found[column.at] ?? {};
    return field === undefined ? [] : [...compareType(field, column, type), ...compareNull(field, isNullable)];
  });
  return [...missing, ...misfits];
}

function compareType(column: Field, { kind }: ResultColumn, type: DatabaseType | undefined): Found[] {
  if (type === undefined) return [];
  const fitting = SCALARS[kind].sql.columns;
  if (fitting !== undefined && !fitting.includes(type.family)) {
    return [{ kind: 'column-type', message: `column ${column.name} is ${type.name} in the database`, column }];
  }
  const may = (is: string): Found[] => {
    const message = `column ${column.name} may be ${is}: it is ${type.name} in the database`;
    return [{ kind: 'narrow-column', message, column }];
  };
  if (isNarrow(column.type as ScalarType, type)) return may('longer');
  if (isShort(kind, type)) return may('larger');
  if (type.isLocal && SCALARS[kind].primitive === 'datetime') {
    const message = `column ${column.name} has no offset: it is ${type.name} in the database`;
    return [{ kind: 'local-column', message, column }];
  }
  return [];
}

/** The database's integers have more bits than those of the declared type. */
function isShort(kind: ScalarKind, { bits }: DatabaseType): boolean {
  const { range } = SCALARS[kind];
  return bits !== undefined && 2n ** BigInt(bits - 1) - 1n > BigInt(range?.maximum ?? 2n ** 63n - 1n);
}

function compareNull(column: Field, isNullable: boolean): Found[] {
  if (!column.required || !isNullable) return [];
  const message = `column ${column.name} may be NULL in the database`;
  return [{ kind: 'nullable-column', message, column }];
}

/** Whether the database allows longer texts, or more digits on either side of the point, than the declared type. */
function isNarrow({ kind, length, scale = 0 }: ScalarType, type: DatabaseType): boolean {
  if (length === undefined || type.length === undefined) return false;
  const { size } = SCALARS[kind];
  if (size === 'characters') return type.family === 'text' && type.length > length;
  if (size !== 'digits' || type.family !== 'decimal') return false;
  return (type.scale ?? 0) > scale || type.length - (type.scale ?? 0) > length - scale;
}

/** The last three are values that may come otherwise than declared: they keep no query from running. */
type ProblemKind = 'refused' | 'missing-column' | 'column-type' | 'narrow-column' | 'nullable-column' | 'local-column';

/** A problem that the database found in a query. */
export interface QueryProblem {
  readonly query: Query;
  readonly kind: ProblemKind;
  /** A sentence without a full stop; for rejected SQL, the database's own message. For the author, never for a caller. */
  readonly message: string;
  /** The column concerned. */
  readonly column?: Field;
  /** Offset in the query's declared SQL. */
  readonly offset?: number;
}

/** A problem that is not yet attributed to a query. */
export type Found = Omit<QueryProblem, 'query'>;

/** A database on which queries can be checked. */
export interface CheckedDatabase {
  /** The problems of a query's SQL and columns. Its prompts must be bindable. */
  problemsOf(query: Query, plan: Plan): Found[] | Promise<Found[]>;
  close(): void | Promise<void>;
}
