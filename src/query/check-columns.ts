import type { Field, ScalarType } from '../model/field.ts';
import type { Query } from '../model/query.ts';
import { SCALARS } from '../model/scalar.ts';
import type { ColumnFamily } from '../model/scalar-traits.ts';
import type { Plan, ResultColumn } from './plan.ts';
import { findColumns } from './result.ts';

/** The type of a result's column. */
export interface DatabaseType {
  readonly name: string;
  readonly family: ColumnFamily;
  /** Characters of a text, digits in all of a decimal; undefined where there is no bound. */
  readonly length?: number;
  /** Digits after the point of a decimal. */
  readonly scale?: number;
}

/** A column of a result: its name, and its type where the database knows one. */
export interface FoundColumn {
  readonly name: string;
  readonly type: DatabaseType | undefined;
}

/** Holds the declared columns of a query against those that its statement returns. */
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
    return field === undefined ? [] : compareType(field, column, found[column.at]?.type);
  });
  return [...missing, ...misfits];
}

function compareType(column: Field, { kind }: ResultColumn, type: DatabaseType | undefined): Found[] {
  if (type === undefined) return [];
  const fitting = SCALARS[kind].sql.columns;
  if (fitting !== undefined && !fitting.includes(type.family)) {
    return [{ kind: 'column-type', message: `column ${column.name} is ${type.name} in the database`, column }];
  }
  const declared = column.type as ScalarType;
  if (!isNarrow(declared, type)) return [];
  return [
    {
      kind: 'narrow-column',
      message: `column ${column.name} may be longer: it is ${type.name} in the database`,
      column,
    },
  ];
}

/** Whether the database holds longer texts, or more digits on a side of the point, than the declared type has room for. */
function isNarrow({ kind, length, scale = 0 }: ScalarType, type: DatabaseType): boolean {
  if (length === undefined || type.length === undefined) return false;
  const { size } = SCALARS[kind];
  if (size === 'characters') return type.family === 'text' && type.length > length;
  if (size !== 'digits' || type.family !== 'decimal') return false;
  return (type.scale ?? 0) > scale || type.length - (type.scale ?? 0) > length - scale;
}

/** What the database says against a query. */
export interface QueryProblem {
  readonly query: Query;
  /** What kind of mistake it is. */
  readonly kind: 'refused' | 'missing-column' | 'column-type' | 'narrow-column';
  /** A sentence without an end; the database's own words for what it refuses. Meant for the author, never for a caller. */
  readonly message: string;
  /** The column that it is about. */
  readonly column?: Field;
  /** Where in the query's SQL, as it is declared, it stands. */
  readonly offset?: number;
}

/** A problem before it is known whose it is. */
export type Found = Omit<QueryProblem, 'query'>;

/** A database that queries are prepared on. */
export interface CheckedDatabase {
  /** What is wrong with a query's SQL and its columns; its prompts can be bound. */
  problemsOf(query: Query, plan: Plan): Found[] | Promise<Found[]>;
  close(): void | Promise<void>;
}
