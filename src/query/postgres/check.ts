import type { ClientConfig, FieldDef } from 'pg';
import type { Query } from '../../model/query.ts';
import { errorText } from '../../store/error.ts';
import {
  type CheckedDatabase,
  compareColumns,
  type DatabaseType,
  type Found,
  type FoundColumn,
} from '../check-columns.ts';
import { declaredOffset, planOf } from '../plan.ts';
import { findRefused } from './refused.ts';
import { volatileAmong } from './runner.ts';
import { Session } from './session.ts';
import { TYPES } from './values.ts';

/** How long looking into one query may take the database, in milliseconds. */
const PATIENCE = 10_000;

/** What the id of a type says. */
const FAMILIES: ReadonlyMap<number, DatabaseType> = new Map([
  [TYPES.bool, { name: 'boolean', family: 'boolean' }],
  [TYPES.bytea, { name: 'bytea', family: 'binary' }],
  [TYPES.int2, { name: 'smallint', family: 'integer' }],
  [TYPES.int4, { name: 'integer', family: 'integer' }],
  [TYPES.int8, { name: 'bigint', family: 'integer' }],
  [TYPES.oid, { name: 'oid', family: 'integer' }],
  [TYPES.float4, { name: 'real', family: 'real' }],
  [TYPES.float8, { name: 'double precision', family: 'real' }],
  [TYPES.date, { name: 'date', family: 'date' }],
  [TYPES.time, { name: 'time', family: 'time' }],
  [TYPES.timestamp, { name: 'timestamp', family: 'datetime' }],
  [TYPES.timestamptz, { name: 'timestamp with time zone', family: 'datetime' }],
  [TYPES.json, { name: 'json', family: 'json' }],
  [TYPES.jsonb, { name: 'jsonb', family: 'json' }],
  [TYPES.uuid, { name: 'uuid', family: 'uuid' }],
  [TYPES.text, { name: 'text', family: 'text' }],
]);

/**
 * Looks whether temporary files of queries can be bounded, or are.
 * @returns the role that may not, and for which nothing else bounds them
 * @throws errors of the connection
 */
export async function findUnbounded(config: ClientConfig, temporaryLimit: number): Promise<string | undefined> {
  const session = await Session.open({ config, timezone: 'UTC', statementTimeout: PATIENCE, temporaryLimit });
  try {
    return session.unbounded ? String((await session.ask('select current_user'))[0]?.[0]) : undefined;
  } finally {
    await session.close();
  }
}

/** Reaches a PostgreSQL. @throws errors of the connection, and of the database that refuses it */
export async function openChecked(config: ClientConfig): Promise<CheckedDatabase> {
  const session = await Session.open({ config, timezone: 'UTC', statementTimeout: PATIENCE });
  let queries = 0;
  return {
    async problemsOf(query) {
      const plan = planOf(query, 0, 'postgres');
      queries += 1;
      try {
        const { fields } = await session.prepare(String(queries), plan.sql);
        if (fields.length === 0) return [{ kind: 'refused', message: 'the SQL returns no rows' }];
        const refusal = await findRefused(plan.sql, (names) => volatileAmong(session, names));
        const refused: Found[] = refusal === undefined ? [] : [{ kind: 'refused', ...placed(query, refusal) }];
        return [...refused, ...compareColumns(query, plan, fields.map(columnOf))];
      } catch (error) {
        const position = Number(error instanceof Error && 'position' in error ? error.position : Number.NaN);
        const message = errorText(error);
        return [
          { kind: 'refused', ...(position > 0 ? placed(query, { message, offset: position - 1 }) : { message }) },
        ];
      }
    },
    close: () => session.close(),
  };
}

function placed(query: Query, { message, offset }: { readonly message: string; readonly offset: number }) {
  return { message, offset: declaredOffset(query, 'postgres', offset) };
}

function columnOf({ name, dataTypeID, dataTypeModifier }: FieldDef): FoundColumn {
  return { name, type: typeOf(dataTypeID, dataTypeModifier) };
}

/** @param modifier what the declaration adds: four more than a length, or than precision and scale in one (pg_attribute.atttypmod) */
function typeOf(id: number, modifier: number): DatabaseType | undefined {
  const bound = modifier < 4 ? undefined : modifier - 4;
  if (id === TYPES.varchar || id === TYPES.bpchar) {
    const name = id === TYPES.varchar ? 'varchar' : 'char';
    return bound === undefined
      ? { name, family: 'text' }
      : { name: `${name}(${bound})`, family: 'text', length: bound };
  }
  if (id !== TYPES.numeric) return FAMILIES.get(id);
  if (bound === undefined) return { name: 'numeric', family: 'decimal' };
  const length = bound >>> 16;
  const scale = bound & 0x7ff;
  return { name: `numeric(${length},${scale})`, family: 'decimal', length, scale };
}
