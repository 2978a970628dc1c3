import type { Fault } from '../../model/fault.ts';
import { SCALARS } from '../../model/scalar.ts';
import { compileZone, type Zone } from '../../wire/timezone.ts';
import { type CheckedDatabase, compareColumns, type Found } from '../check-columns.ts';
import type { EngineAdapter } from '../engine.ts';
import { type Dialect, declaredOffset, type Encode } from '../plan.ts';
import { ServerRunner } from '../server/runner.ts';
import { type MysqlAccess, readMysqlUrl, requireDriver } from './access.ts';
import { describeError, faultOfDatabase, isLost, isOutdated } from './errors.ts';
import { Session, type SessionOptions } from './session.ts';
import { columnOf } from './values.ts';

/** Types of prompts whose values the protocol sends with their type: a bare placeholder suffices, even in a LIMIT. */
const SENT_WITH_TYPE: ReadonlySet<string> = new Set(['char', 'signed', 'decimal']);

const dialect: Dialect = {
  engine: 'mysql',
  numbered: false,
  // A cast text has its own collation, which conflicts with that of a column in comparisons.
  placeholder: (_, type) => (type === undefined || SENT_WITH_TYPE.has(type) ? '?' : `cast(? as ${type})`),
  pages: {
    quote: (column) => `\`${column.replaceAll('`', '``')}\``,
    nullsFirst: true,
    text: (column) => `cast(${column} as char)`,
    // Numbers would be compared with a text as binary numbers, which have 15 digits.
    value(bind, kind) {
      const { primitive, sql } = SCALARS[kind];
      if (sql.cast.mysql === 'signed') return `cast(${bind(undefined)} as signed)`;
      if (primitive === 'integer') return `cast(${bind(undefined)} as decimal(65))`;
      return primitive === 'decimal' ? `cast(${bind(undefined)} as decimal(65, 30))` : bind(undefined);
    },
  },
  encode(kind, { timezone, refuse }): Encode {
    const { primitive, sql } = SCALARS[kind];
    if (primitive === 'datetime') {
      const zone = compileZone(timezone);
      return (text) => localText(text, zone) ?? raise(refuse('is beyond what the database holds'));
    }
    if (sql.cast.mysql !== 'decimal') return (text) => text;
    return (text) => (isHeld(text) ? text : raise(refuse('has more digits than the database holds')));
  },
};

function raise(fault: Fault): never {
  throw fault;
}

/** Maximum of digits of a decimal: in total, and after the point. */
const DIGITS = 65;
const SCALE = 30;

function isHeld(text: string): boolean {
  const [whole = '', fraction = ''] = text.replace(/^[+-]?0*/, '').split('.');
  return whole.length + fraction.length <= DIGITS && fraction.length <= SCALE;
}

const INSTANT = /^(.{19})(\.\d+)?(Z|[+-]\d\d:\d\d)$/;
const MINUTE = 60_000;

/** A datetime in the database's form: local, without an offset; `undefined` if its year is out of range. */
function localText(text: string, zone: Zone): string | undefined {
  const match = INSTANT.exec(text);
  if (match === null) return text.replace('T', ' ');
  const [, local = '', fraction = '', offset = ''] = match;
  const instant = Date.parse(`${local}${offset}`);
  const utc = new Date(instant).toISOString();
  // The zone's offset is looked up by local time, which itself depends on the offset: the second lookup is exact.
  let minutes = zone.offsetAt(utc.slice(0, 19));
  minutes = zone.offsetAt(new Date(instant + minutes * MINUTE).toISOString().slice(0, 19));
  const shown = new Date(instant + minutes * MINUTE).toISOString();
  return shown.length === 24 ? `${shown.slice(0, 10)} ${shown.slice(11, 19)}${fraction}` : undefined;
}

/** Time limit for checking one query, in milliseconds. */
const PATIENCE = 10_000;

/** MariaDB and MySQL, for datasources: the gateway's own tables are not kept there. */
export const mysql: EngineAdapter<MysqlAccess> = {
  dialect,
  async reach(url, root, { password, renewed = () => ({ url, password }) }) {
    const { location } = readMysqlUrl(url, root, password);
    await requireDriver();
    const access: MysqlAccess = {
      location,
      get config() {
        const now = renewed();
        return readMysqlUrl(now.url, root, now.password).config;
      },
    };
    return { location, access };
  },
  open(access, options) {
    const { timezone, timeout: statementTimeout, largestFile: temporaryLimit } = options;
    const connect = () => openSession({ access, timezone, statementTimeout, temporaryLimit });
    return new ServerRunner({ pipelines: false, connect, isLost, isOutdated, faultOf: faultOfDatabase }, options);
  },
  check: openChecked,
  async findUnbounded(access, temporaryLimit) {
    const session = await openSession({ access, timezone: 'UTC', statementTimeout: PATIENCE, temporaryLimit });
    const { unbounded } = session;
    await session.close();
    if (!unbounded) return undefined;
    return 'because this server has no setting for it; MariaDB 11.5 and later have max_tmp_session_space_usage';
  },
};

async function openSession(options: SessionOptions): Promise<Session> {
  try {
    return await Session.open(options);
  } catch (error) {
    throw describeError(options.access.location, error);
  }
}

async function openChecked(access: MysqlAccess): Promise<CheckedDatabase> {
  const session = await openSession({ access, timezone: 'UTC', statementTimeout: PATIENCE });
  return {
    async problemsOf(query, plan) {
      const refusal = await session.findRefused(plan.sql);
      if (refusal !== undefined) {
        const { message, offset } = refusal;
        return [{ kind: 'refused', message, offset: declaredOffset(query, dialect, offset) }];
      }
      const { columns } = await session.describe(plan);
      if (columns.length === 0) return [{ kind: 'refused', message: 'the SQL returns no rows' }] satisfies Found[];
      return compareColumns(query, plan, columns.map(columnOf));
    },
    close: () => session.close(),
  };
}
