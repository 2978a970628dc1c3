import type { FieldDef } from 'pg';
import { columnType, type DatabaseType } from '../../model/column-type.ts';
import { Fault } from '../../model/fault.ts';
import type { Query } from '../../model/query.ts';
import { errorCode, errorText } from '../../store/error.ts';
import type { Connection } from '../../store/postgres/client.ts';
import type { ConnectionConfig } from '../../store/postgres/connection-config.ts';
import { isLost } from '../../store/postgres/error.ts';
import { type CheckedDatabase, compareColumns, type Found, type FoundColumn } from '../check-columns.ts';
import type { EngineAdapter } from '../engine.ts';
import { faultOf, unavailable, unreachable } from '../errors.ts';
import { type Dialect, declaredOffset, type Plan } from '../plan.ts';
import type { RunnerOptions } from '../runner.ts';
import type { Driver } from '../server/connection.ts';
import { ServerRunner } from '../server/runner.ts';
import { isOfReplica, type OpenedServer, ReplicatedRunner } from './replicas.ts';
import { EXPLAIN, Session, type SessionOptions } from './session.ts';
import { TYPES } from './values.ts';

const dialect: Dialect = {
  engine: 'postgres',
  numbered: true,
  placeholder: (number, type) => (type === undefined ? `$${number}` : `cast($${number} as ${type})`),
  pages: {
    // The name of a column that was not quoted.
    quote: (column) => `"${column.toLowerCase().replaceAll('"', '""')}"`,
    nullsFirst: false,
    text: (column) => `cast(${column} as text)`,
    // The server gives it the type of the column.
    value: (bind) => bind(undefined),
  },
  explain: { before: EXPLAIN, columns: [{ name: 'QUERY PLAN', kind: 'text' }] },
  encode:
    (_, { refuse }) =>
    (text) => {
      if (text.includes('\0')) throw refuse("holds a NUL character, which the database can't take");
      return text;
    },
};

/** PostgreSQL: statements run on connections of its own driver, which is loaded with the first of them. */
export const postgres: EngineAdapter<ConnectionConfig> = {
  dialect,
  async reach(given, root, options) {
    const {
      password: one,
      bounds,
      schema,
      renewed = () => ({ url: given, password: one }),
      hasReplicas,
      isReplica,
    } = options;
    const [{ configOf }, { replicaServers, Servers, unverified }] = await Promise.all([
      import('../../store/postgres/pool.ts'),
      import('../../store/postgres/servers.ts'),
    ]);
    const address = (): string => {
      const { url, password } = renewed();
      if (password === undefined) return url;
      return `${url}${url.includes('?') ? '&' : '?'}password=${encodeURIComponent(password)}`;
    };
    const servers = isReplica
      ? replicaServers(address, root)
      : new Servers(address, { root, target: hasReplicas ? 'primary' : 'any' });
    return { location: servers.location, warning: unverified(servers), access: configOf(servers, { bounds, schema }) };
  },
  open(config, options, replicas) {
    const primary = openServer(config, options, faultOfDatabase);
    if (replicas === undefined || replicas.servers.length === 0) return primary.runner;
    return new ReplicatedRunner({
      primary,
      lag: replicas.lag,
      replicas: replicas.servers.map(({ location, access }) => ({
        location,
        ...openServer(access, options, (plan, error) =>
          isOfReplica(error) ? unreachable(error) : faultOfDatabase(plan, error),
        ),
      })),
      report: options.report,
    });
  },
  check: openChecked,
  async findUnbounded(config, temporaryLimit) {
    const session = await Session.open({ config, timezone: 'UTC', statementTimeout: PATIENCE, temporaryLimit });
    try {
      if (!session.unbounded) return undefined;
      const role = String((await session.ask('select current_user'))[0]?.[0]);
      const name = `"${role.replaceAll('"', '""')}"`;
      const limit = `'${Math.ceil(temporaryLimit / 1024)}kB'`;
      return `because ${role} may not set temp_file_limit. Run as a superuser: ALTER ROLE ${name} SET temp_file_limit = ${limit}`;
    } finally {
      await session.close();
    }
  },
};

function openServer(config: ConnectionConfig, options: RunnerOptions, faultOf: Driver['faultOf']): OpenedServer {
  const { timezone, timeout: statementTimeout, largestFile: temporaryLimit } = options;
  const session: SessionOptions = { config, timezone, statementTimeout, temporaryLimit };
  const connect = () => Session.open(session);
  return { session, runner: new ServerRunner({ pipelines: true, connect, isLost, isOutdated, faultOf }, options) };
}

/**
 * The fault for the caller of a failed query, by SQLSTATE (PostgreSQL's manual, appendix A): the connection is lost or can't be
 * made, the database is busy, a prompt's value is out of range, or the query itself is wrong. The last is reported in the log
 * only, or to the author of a private query.
 */
function faultOfDatabase(plan: Plan, error: unknown): Fault {
  if (error instanceof Fault) return error;
  if (isLost(error)) return unreachable(error);
  const code = errorCode(error);
  if (/^(?:40|53(?!400)|55P03)/.test(code)) return unavailable('the database is busy', error);
  const parameter = /parameter \$(\d+)/.exec(contextOf(error))?.[1];
  if (code.startsWith('22') && parameter !== undefined) {
    const name = plan.parameters[Number(parameter) - 1]?.name || 'A prompt';
    return Fault.of('BAD_PARAMETER', { name, reason: 'is beyond what the database holds' }, { cause: error });
  }
  return faultOf(plan, { code, message: errorText(error) });
}

function contextOf(error: unknown): string {
  return error instanceof Error && 'where' in error && typeof error.where === 'string' ? error.where : '';
}

/**
 * Whether a statement must be prepared anew: its tables were changed, or the session lost it. 25P02: a run before it was
 * cancelled by someone else at its very end, and its transaction was still to be ended.
 */
function isOutdated(error: unknown): boolean {
  return ['0A000', '26000', '25P02'].includes(errorCode(error));
}

/** Time limit for checking one query, in milliseconds. */
const PATIENCE = 10_000;

/** Names of types by their ids, as `format_type` has them. */
const NAMES: ReadonlyMap<number, string> = new Map([
  [TYPES.bool, 'boolean'],
  [TYPES.bytea, 'bytea'],
  [TYPES.int2, 'smallint'],
  [TYPES.int4, 'integer'],
  [TYPES.int8, 'bigint'],
  [TYPES.oid, 'oid'],
  [TYPES.float4, 'real'],
  [TYPES.float8, 'double precision'],
  [TYPES.date, 'date'],
  [TYPES.time, 'time without time zone'],
  [TYPES.timestamp, 'timestamp without time zone'],
  [TYPES.timestamptz, 'timestamp with time zone'],
  [TYPES.json, 'json'],
  [TYPES.jsonb, 'jsonb'],
  [TYPES.uuid, 'uuid'],
  [TYPES.text, 'text'],
  [TYPES.varchar, 'character varying'],
  [TYPES.bpchar, 'character'],
  [TYPES.numeric, 'numeric'],
]);

async function openChecked(config: ConnectionConfig): Promise<CheckedDatabase> {
  const { within } = config;
  const session =
    within === undefined
      ? await Session.open({ config, timezone: 'UTC', statementTimeout: PATIENCE })
      : Session.within(within as Connection, PATIENCE);
  let queries = 0;
  return {
    async problemsOf(query, plan) {
      queries += 1;
      // An error must not end the transaction that others are checked in.
      if (within !== undefined) await session.ask('savepoint signalbox_check');
      try {
        const fields = await session.describe(`signalbox_check_${queries}`, plan.sql);
        if (fields.length === 0) return [{ kind: 'refused', message: 'the SQL returns no rows' }];
        const refusal = await session.findRefused(plan.sql);
        const refused: Found[] = refusal === undefined ? [] : [{ kind: 'refused', ...placed(query, refusal) }];
        return [...refused, ...compareColumns(query, plan, await columnsOf(session, fields))];
      } catch (error) {
        const position = Number(error instanceof Error && 'position' in error ? error.position : Number.NaN);
        const message = errorText(error);
        if (within !== undefined) await session.ask('rollback to savepoint signalbox_check');
        return [
          { kind: 'refused', ...(position > 0 ? placed(query, { message, offset: position - 1 }) : { message }) },
        ];
      }
    },
    close: async () => {
      if (within === undefined) await session.close();
    },
  };
}

/** The columns of a statement. Those of tables that have `not null` are never NULL, unless an outer join has no row. */
async function columnsOf(session: Session, fields: readonly FieldDef[]): Promise<FoundColumn[]> {
  const places = fields.flatMap(({ tableID, columnID }) => (tableID === 0 ? [] : `(${tableID}, ${columnID})`));
  const rows =
    places.length === 0
      ? []
      : await session.ask(
          `select attrelid || ' ' || attnum from pg_attribute where not attnotnull and (attrelid, attnum) in (${places.join(', ')})`,
        );
  const nullable = new Set(rows.map(([place]) => place));
  return fields.map(({ name, dataTypeID, dataTypeModifier, tableID, columnID }) => ({
    name,
    type: typeOf(dataTypeID, dataTypeModifier),
    isNullable: nullable.has(`${tableID} ${columnID}`),
  }));
}

function placed(query: Query, { message, offset }: { readonly message: string; readonly offset: number }) {
  return { message, offset: declaredOffset(query, dialect, offset) };
}

/** @param modifier what the declaration adds: four more than a length, or than precision and scale in one (pg_attribute.atttypmod) */
function typeOf(id: number, modifier: number): DatabaseType | undefined {
  const name = NAMES.get(id);
  if (name === undefined) return undefined;
  const bound = modifier < 4 ? undefined : modifier - 4;
  if (bound === undefined) return columnType('postgres', name);
  const size = id === TYPES.numeric ? `${bound >>> 16},${bound & 0x7ff}` : String(bound);
  return columnType('postgres', `${name}(${size})`);
}
