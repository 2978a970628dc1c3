import type { CsvOptions } from '../wire/csv.ts';
import type { SqlDialect } from '../wire/sql.ts';
import type { ConfigText, Position } from './definition.ts';
import type { Field } from './field.ts';
import type { Engine } from './scalar-traits.ts';
import type { PermissionList } from './security.ts';

/** Named SQL with typed columns and prompts. */
export interface Query {
  readonly id: string;
  readonly description?: string;
  /** As declared, with `:PROMPT` names (outside literals and comments). */
  readonly sql: string;
  /** The statement split at its prompts: `texts[0] prompts[0] texts[1] ... texts[n]`. Each engine has its own placeholders. */
  readonly statement: {
    readonly texts: readonly string[];
    readonly prompts: readonly Field[];
    /** Offset in the SQL of the first operator `??`, which only PostgreSQL has. */
    readonly operator?: number;
  };
  readonly prompts: readonly Field[];
  /** Matched with the result by name, ignoring case; never by position. */
  readonly columns: readonly Field[];
  /** Largest number of rows; the gateway's `limits.rows` by default. */
  readonly rows?: number;
  /** In milliseconds; the gateway's `limits.timeout` by default. */
  readonly timeout?: number;
  /** How its results are written as CSV. */
  readonly csv?: CsvOptions;
  /** What becomes of values that the types of its columns have not; by default that of the datasource, or an error. */
  readonly infinity?: OddValues;
  /** The database to read from; the gateway's own by default. */
  readonly datasource?: Datasource;
  /** It reads a page of the rows of its statement; see `pageStatement`. */
  readonly page?: QueryPage;
  /** Its rows are the plan by which its database would run its statement. */
  readonly explains?: true;
  /** Queries nested under its rows when it runs as a connected query; of the same database, without a cycle. */
  readonly children: readonly QueryLink[];
  /** The user who saved a private query; absent for queries of the definitions. */
  readonly owner?: string;
  readonly permissions: readonly PermissionList[];
  /** Where each list is granted; absent for definitions that are in no file. */
  readonly grantedAt?: ReadonlyMap<PermissionList, Position>;
  readonly public: boolean;
  readonly at: Position;
  /** Where its SQL begins; absent for a query that is in no file. */
  readonly sqlAt?: Position;
}

/** Values such as `infinity`, `NaN` and dates BC are read as NULL, or as the text that the database has for them. */
export type OddValues = 'null' | 'text';

/** The media types in which an operation with `query: NAME` can reply, by the words of its `response`. */
export const ROW_MEDIA_TYPES = {
  json: 'application/json',
  xml: 'application/xml',
  csv: 'text/csv',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
} as const;

/** A word of `response: [json, csv]`. */
export type RowFormat = keyof typeof ROW_MEDIA_TYPES;

/** Names of the variables of pages in requests; those of filters are the names of their columns. */
export const PAGE_VARIABLES = { limit: 'limit', after: 'after', sort: 'sort', count: 'count' } as const;

/** How the rows of a query are read in pages: by their place in an order, never by counting rows. */
export interface Paging {
  /** Columns that identify a row, in the order of the pages if no other is asked for. Together they are unique, and never NULL. */
  readonly order: readonly PageColumn[];
  /** Columns by which a caller may sort instead. */
  readonly sort: readonly Field[];
  /** Columns whose values a caller may ask for. */
  readonly filter: readonly Field[];
  /** Rows of a page by default, and at most. */
  readonly limit: number;
  readonly maximum: number;
}

export interface PageColumn {
  readonly column: Field;
  readonly descending: boolean;
}

/** One page of the rows of a query, or their number. */
export interface QueryPage {
  /** Only rows with these values. */
  readonly filter: readonly { readonly column: Field; readonly prompt: Field }[];
  /** Empty for the number of rows. */
  readonly order: readonly PageColumn[];
  /**
   * The place in the order behind which the page begins: a value for each of its columns, as the engine's text. `null` is an SQL
   * NULL; `''` the empty text, which no prompt can have.
   */
  readonly after?: readonly (Field | null | '')[];
  /** Most rows. */
  readonly most: number;
}

/** A child of a connected query. Its rows are nested under the rows of the parent for which all pairs are equal. */
export interface QueryLink {
  readonly query: Query;
  /** At least one pair of columns of the same type. NULL equals nothing. */
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
  /** Replaces the password of the URL, to keep it in a secret. */
  readonly password?: ConfigText;
  readonly replicas?: Replicas;
  /** Of its queries, unless they say otherwise. */
  readonly infinity?: OddValues;
  readonly at: Position;
}

/** Servers that replicate a database of PostgreSQL, from which stored queries read. */
export interface Replicas {
  /** One for each. A password of the datasource is theirs too. */
  readonly urls: readonly ConfigText[];
  /** How old the data may be that is read from them, in milliseconds. */
  readonly lag: number;
}

/** Keys of a private query's definition. Its author can't choose the owner or the datasource. */
export const PRIVATE_QUERY_KEYS = ['query', 'description', 'prompts', 'columns', 'sql', 'rows', 'timeout'] as const;
export type PrivateQueryKey = (typeof PRIVATE_QUERY_KEYS)[number];
