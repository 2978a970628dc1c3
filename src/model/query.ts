import type { SqlDialect } from '../wire/sql.ts';
import type { ConfigText, Position } from './definition.ts';
import type { Field } from './field.ts';
import type { Engine } from './scalar-traits.ts';
import type { PermissionList } from './security.ts';

/** Named SQL with typed columns and prompts. */
export interface Query {
  readonly id: string;
  readonly description?: string;
  /** As declared: `:PROMPT` names, found by the loader's scan (never inside literals or comments). */
  readonly sql: string;
  /** The statement cut at its prompts: `texts[0] prompts[0] texts[1] ... texts[n]`; each engine writes its own placeholder between. */
  readonly statement: { readonly texts: readonly string[]; readonly prompts: readonly Field[] };
  readonly prompts: readonly Field[];
  /** Found in the result by name without case, never by position. */
  readonly columns: readonly Field[];
  /** Row cap; the gateway's `limits.rows` where undefined. */
  readonly rows?: number;
  /** In milliseconds; the gateway's `limits.timeout` where undefined. */
  readonly timeout?: number;
  /** The database that it reads; the gateway's own where undefined. */
  readonly datasource?: Datasource;
  /** Queries that are nested under its rows where it is run as a connected query; of the same database, in no circle. */
  readonly children: readonly QueryLink[];
  /** The user who saved it, to whom alone it belongs; undefined where the definitions declare it. */
  readonly owner?: string;
  readonly permissions: readonly PermissionList[];
  /** Where each of them is named; undefined for what is in no file. */
  readonly grantedAt?: ReadonlyMap<PermissionList, Position>;
  readonly public: boolean;
  readonly at: Position;
  /** Where its SQL begins; undefined for one that is in no file. */
  readonly sqlAt?: Position;
}

/** A child of a connected query: its rows stand under the rows of the parent that all pairs are equal of. */
export interface QueryLink {
  readonly query: Query;
  /** At least one pair; the two columns are of one type. A NULL equals nothing. */
  readonly on: readonly { readonly parent: Field; readonly child: Field }[];
}

interface EngineFacts {
  /** Schemes of its URLs, the usual one first. */
  readonly schemes: readonly [string, ...string[]];
  /** By whose lexical rules its SQL is read. */
  readonly sql: SqlDialect;
}

/** The database engines that stored queries read. */
const ENGINES: Readonly<Record<Engine, EngineFacts>> = {
  sqlite: { schemes: ['sqlite'], sql: 'standard' },
  postgres: { schemes: ['postgres', 'postgresql'], sql: 'standard' },
  mysql: { schemes: ['mysql', 'mariadb'], sql: 'mysql' },
};

/** The engine of a database URL; `undefined` for one that has no known scheme. */
export function engineOf(url: string): Engine | undefined {
  const scheme = /^[a-z]+(?=:)/i.exec(url)?.[0].toLowerCase() ?? '';
  return (Object.keys(ENGINES) as Engine[]).find((engine) => ENGINES[engine].schemes.includes(scheme));
}

/** By whose lexical rules the SQL of an engine is read, or of one that the definitions do not name. */
export function sqlDialectOf(engine: Engine | undefined): SqlDialect {
  return engine === undefined ? 'standard' : ENGINES[engine].sql;
}

/** Another database that stored queries read from. */
export interface Datasource {
  readonly id: string;
  readonly description?: string;
  /** `sqlite:path`, `postgres://user@host/database`, or `mysql://user@host/database`. */
  readonly url: ConfigText;
  /** Of the URL; `undefined` if its beginning is configured elsewhere. */
  readonly engine?: Engine;
  /** In place of one in the URL, so that it can come from a secret. */
  readonly password?: ConfigText;
  readonly at: Position;
}

/** Keys of a private query's definition: whose it is and what it reads from is not its author's to say. */
export const PRIVATE_QUERY_KEYS = ['query', 'description', 'prompts', 'columns', 'sql', 'rows', 'timeout'] as const;
export type PrivateQueryKey = (typeof PRIVATE_QUERY_KEYS)[number];
