import type { ConfigText, Position } from './definition.ts';
import type { Field } from './field.ts';
import type { Replicas } from './query.ts';
import type { BearerScheme, PermissionList, SecurityScheme } from './security.ts';

/** Bounds of every exchange. Sizes in bytes, times in milliseconds. */
export interface Limits extends CallLimits {
  /** Request body. */
  readonly body: number;
  /** Time until the first byte of the reply; also of one stored query. */
  readonly timeout: number;
  /** Rows of one stored query. */
  readonly rows: number;
  /** Raw request target, path and query together. */
  readonly target: number;
  /** Query parameters of one request. */
  readonly parameters: number;
  /** One attachment of a message. */
  readonly attachment: number;
  /** Attachments of one message. */
  readonly attachments: number;
  /** Processes that one gateway runs at the same time. */
  readonly processes: number;
  /** Jobs that may wait in one queue (polled queries, process requests); unlimited by default. */
  readonly queued?: number;
  /** How long queued work waits for a gateway whose definitions have what it needs. */
  readonly unknown: number;
  /** Stored queries of one caller that run at the same time on one database; half of its readers by default. */
  readonly queries?: number;
  /** Bytes of one temporary file of a stored query; on PostgreSQL, of all temporary files of one connection. */
  readonly temporary: number;
  /** Bytes per second at which a request body must arrive on average, checked after 5 s. */
  readonly slowest: number;
}

/** How long data is kept that nothing needs any more, in milliseconds. */
export interface Retention {
  /** Results in files, polled results, and reports of processes, from their end. */
  readonly results: RetentionPeriod;
  /** Process requests, from their end. */
  readonly 'process-requests': RetentionPeriod;
  /** Message logs of process requests, from the end of the request. */
  readonly 'process-logs': RetentionPeriod;
  /** Records of calls, from their end. */
  readonly calls: RetentionPeriod;
  /** Statistics of calls, from the minute that they are about. */
  readonly statistics: RetentionPeriod;
  /** Jobs that have failed, from the last attempt. */
  readonly 'failed-jobs': RetentionPeriod;
  /** Callers that are known by their tokens alone, from their last call that queued work. */
  readonly callers: RetentionPeriod;
  /** Sessions of the console, from their end. */
  readonly sessions: RetentionPeriod;
  /** The audit trail of users. */
  readonly audit: RetentionPeriod;
}

export type RetentionPeriod = number | 'forever';

/** The database of the gateway. */
export interface Database {
  /** `sqlite:path`, or `postgres://user@host/database`. */
  readonly url: ConfigText;
  /** The engine behind PostgreSQL's protocol; ignored for SQLite. */
  readonly engine: DatabaseEngine;
  /** Largest number of connections to PostgreSQL from one gateway. */
  readonly connections: number;
  /** The schema of PostgreSQL that has everything of this installation; by default the connection's own. */
  readonly schema?: ConfigText;
  /** Whether a start brings the database up to date; otherwise it needs `signalbox migrate` before. */
  readonly migrate: boolean;
  readonly bounds: DatabaseBounds;
  /** Stored queries without a datasource read from them. */
  readonly replicas?: Replicas;
}

/** How long anything may take on a connection to PostgreSQL. All times in milliseconds. */
export interface DatabaseBounds {
  /** What the gateway waits for a statement of its own when no caller waits for it: `limits.timeout`. */
  readonly patience: number;
  readonly timeouts: DatabaseTimeouts;
  readonly keepalive: Keepalive;
}

/** Time limits of the database itself, but for the first one. */
export interface DatabaseTimeouts {
  /** For a connection: until it can be used, or until one of the pool is free. */
  readonly connect: number;
  /** For a statement (`statement_timeout`). */
  readonly statement: number;
  /** For a lock that another transaction holds (`lock_timeout`). */
  readonly lock: number;
  /** For the next statement of a transaction (`idle_in_transaction_session_timeout`). */
  readonly transaction: number;
}

/** TCP keepalives: a probe after `idle`, and each `interval`; after `count` without an answer the connection has ended. */
export interface Keepalive {
  readonly idle: number;
  readonly interval: number;
  readonly count: number;
}

/** What is given, and the defaults of the rest. @param timeout `limits.timeout`, of which code in a transaction has all */
export function databaseBounds(
  timeout: number,
  given: { readonly timeouts?: Partial<DatabaseTimeouts>; readonly keepalive?: Partial<Keepalive> } = {},
): DatabaseBounds {
  return {
    patience: timeout,
    timeouts: {
      connect: Math.min(5000, timeout),
      statement: Math.max(600_000, timeout),
      // A caller that waits for a lock in vain is still answered in time.
      lock: Math.ceil(timeout / 3),
      transaction: timeout,
      ...given.timeouts,
    },
    keepalive: { idle: 10_000, interval: 5000, count: 3, ...given.keepalive },
  };
}

/** The end of the name of the schema that has the queue of an installation. */
export const QUEUE_SCHEMA = '_queue';

/** Bytes of the longest name of the schema of a queue: pg-boss of the version before derives longer names from it. */
const LONGEST_SCHEMA = 50 - QUEUE_SCHEMA.length;

/** Why a text can't be the name of the schema of an installation; `undefined` when it can. */
export function schemaFault(name: string): string | undefined {
  if (!/^[a-z][a-z0-9_]*$/.test(name))
    return `${name} is not a name of lower-case letters, digits and underscores that begins with a letter`;
  if (name.length > LONGEST_SCHEMA) return `${name} is longer than ${LONGEST_SCHEMA} characters`;
  if (name.startsWith('pg_') || name === 'information_schema') return `${name} belongs to PostgreSQL itself`;
  return undefined;
}

/** Databases that speak PostgreSQL's protocol. */
export type DatabaseEngine = 'postgresql' | 'cockroachdb' | 'yugabytedb' | 'citus';

/** A setting that code of the project reads as `context.settings`. */
export interface Setting {
  readonly name: string;
  /** Its type and restrictions. Required unless it has a default; without either, it may be missing. */
  readonly field: Field;
  readonly value: ConfigText;
  /** Its value contains a secret. */
  readonly isSecret: boolean;
  readonly at: Position;
}

/** The `gateway:` definition. */
export interface Gateway {
  /** Name of the local node, the `<node>` of paths. */
  readonly id: string;
  /** First segment of every path. */
  readonly context: string;
  readonly listen: ConfigText;
  readonly database: Database;
  /** The address in contracts, without a final slash; the bound address by default. */
  readonly publicUrl?: ConfigText;
  /** The project's own changes of the database; absent when it names no folder. */
  readonly migrations?: Migrations;
  /** Glob under the definitions folder. Each file is run once, in order of names. */
  readonly sampleData?: string;
  /** What code of the project reads as `context.settings`, in the order in which they are declared. */
  readonly settings: readonly Setting[];
  /** Folder of the handlers, relative to the project's folder. */
  readonly handlers: string;
  /** Prefix of XML namespaces: `<namespace>:<Service>.<version>`. */
  readonly namespace: string;
  /** IANA time zone of datetimes without an offset. */
  readonly timezone: string;
  /** The default security schemes of operations. */
  readonly requires: readonly SecurityScheme[];
  /** TLS of the gateway's own address. */
  readonly tls?: Tls;
  /** Addresses and networks (`10.0.0.0/8`) of trusted proxies, whose headers about the caller are believed. */
  readonly proxies: readonly string[];
  /** File of the audit log, relative to the project; standard output by default. */
  readonly audit?: ConfigText;
  /** Ids of the services of the package that are switched on. */
  readonly delivered: readonly string[];
  /** `private`: contracts and the page `/` require credentials. */
  readonly contracts: 'public' | 'private';
  /** Permission lists whose users may read `/metrics` from another machine; callers on this machine always may. */
  readonly metrics: readonly PermissionList[];
  /** Origins (`https://app.example`) whose pages may call; `*` for any, without credentials. Empty: no CORS headers. */
  readonly cors: readonly string[];
  /** Unknown query parameters are refused; services and operations may say otherwise. */
  readonly strict: boolean;
  /** Whether replies are compressed for callers that accept it: over REST (also contracts and the page), and over SOAP. */
  readonly compress: { readonly rest: boolean; readonly soap: boolean };
  /** Content codings in which request bodies are accepted; empty for none. */
  readonly requestEncodings: readonly ('gzip' | 'deflate' | 'br')[];
  /**
   * How it stops, in milliseconds: `ready` is announced before the port is closed, `work` is then left for running requests
   * and jobs.
   */
  readonly drain: { readonly ready: number; readonly work: number };
  /** Connectors that accept and send MTOM; the others refuse multipart/related (the two `ig.MTOM` properties). */
  readonly mtom: { readonly services: boolean; readonly http: boolean };
  /**
   * Names of REST consumers whose requests keep the domain name (`ig.UseDomainName.ExternalOperationNames`). The loader only
   * checks that they exist: all requests keep it.
   */
  readonly domainNames: readonly string[];
  readonly limits: Limits;
  /** How calls of operations that write are answered once, unless the operation has its own rule. */
  readonly once?: Once;
  readonly retention: Retention;
  /** The operator's console; absent when it is off. */
  readonly console?: Console;
  /** Changes that `signalbox diff` is to accept; absent for none. */
  readonly acceptedBreaks?: readonly AcceptedBreak[];
  readonly at: Position;
}

/** A change that breaks something, and is intended (`accepted-breaks:`). */
export interface AcceptedBreak {
  /** The id of a rule in docs/compatibility.md. */
  readonly rule: string;
  /** What may change, with everything in it: `Locations.v1.LOCATIONS_GET.reply`. */
  readonly thing: string;
  readonly reason: string;
  /** The last day on which it is accepted, yyyy-MM-dd. */
  readonly until: string;
  readonly at: Position;
}

/** The operator's console in the browser. Times in milliseconds. */
export interface Console {
  /** An address of its own; by default the console is on that of the gateway. */
  readonly listen?: ConfigText;
  /** A session that was not used for this long ends. */
  readonly idle: number;
  /** A session ends this long after its sign-in. */
  readonly session: number;
  /** What the sign-in page offers, in this order. A scheme is offered once, as is the password. */
  readonly signIn: readonly ConsoleSignIn[];
}

export type ConsoleSignIn = { readonly kind: 'password' } | OpenIdSignIn;

/** Sign-in with an OpenID provider, by the authorization code flow. */
export interface OpenIdSignIn {
  readonly kind: 'openid';
  /** Its issuer, keys and mapping to users and roles hold for ID tokens. */
  readonly scheme: BearerScheme;
  /** The id of the console as a client of the provider. */
  readonly client: ConfigText;
  /** Absent for a public client. */
  readonly secret?: ConfigText;
  /** The words on the sign-in page. */
  readonly label: string;
  /** Scopes to ask for, `openid` among them. */
  readonly scopes: readonly string[];
}

/** The migrations of a project. */
export interface Migrations {
  /** Their folder, relative to the project's folder. */
  readonly folder: string;
  /** In the order of their numbers; a number has one file, or one for each engine. */
  readonly files: readonly MigrationFile[];
}

/** A file of SQL that changes the gateway's database, once. */
export interface MigrationFile {
  readonly number: number;
  /** With the number, as written: `0001-vehicles`. */
  readonly name: string;
  /** Relative to the project's folder: `migrations/0001-vehicles.sqlite.sql`. */
  readonly file: string;
  /** The only engine that it is for. */
  readonly engine?: 'sqlite' | 'postgres';
  /** Lines end with a line feed, whatever they end with in the file. */
  readonly sql: string;
  /** Whether it runs in a transaction; otherwise each of its statements commits by itself. */
  readonly transaction: boolean;
}

/** TLS of the gateway's own address. Files are PEM, relative to the project, and are read again when they change. */
export interface Tls {
  readonly certificate: ConfigText;
  readonly key: ConfigText;
  readonly passphrase?: ConfigText;
  /** Authorities of accepted client certificates. Without it, client certificates are not requested. */
  readonly clientCa?: ConfigText;
  readonly minimum: 'TLSv1.2' | 'TLSv1.3';
}

/** A rate limit. */
export interface Rate {
  readonly requests: number;
  /** In milliseconds. */
  readonly per: number;
  /** Which calls are counted together: those of a caller (an anonymous one by its address), of an address, or all. */
  readonly by: 'caller' | 'address' | 'all';
}

/** How repeated calls get the first answer. */
export interface Once {
  /** How long answers are kept, in milliseconds. */
  readonly for: number;
  /** Whether a call without a key is refused. */
  readonly required: boolean;
  /** Bytes of the largest answer that is kept. */
  readonly size: number;
}

/** Limits of one operation, or of the gateway for all operations without limits of their own. */
export interface CallLimits {
  readonly rate?: Rate;
  /** Calls at the same time in one gateway. */
  readonly concurrent?: number;
}
