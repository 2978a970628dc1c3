import type { ConfigText, Position } from './definition.ts';
import type { PermissionList, SecurityScheme } from './security.ts';

/** Bounds of every exchange. Sizes in bytes, times in milliseconds. */
export interface Limits extends CallLimits {
  /** Request body. */
  readonly body: number;
  /** Until the first byte of the reply, and of one stored query. */
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
  /** Jobs that may wait in one queue (polled queries, process requests); any number where undefined. */
  readonly queued?: number;
  /** Stored queries of one caller that run at the same time on one database; half of its readers where undefined. */
  readonly queries?: number;
  /** Bytes of one temporary file of a stored query; on PostgreSQL of all that one of its connections has. */
  readonly temporary: number;
  /** Bytes a second that a request's body must bring on average, once it has come for 5 s. */
  readonly slowest: number;
  /** How long results in files, polled results and reports are kept. */
  readonly keep: number;
}

/** The database of the gateway. */
export interface Database {
  /** `sqlite:path`, or `postgres://user@host/database`. */
  readonly url: ConfigText;
  /** Which of those that speak PostgreSQL's protocol it is; of no meaning for SQLite. */
  readonly engine: DatabaseEngine;
  /** Connections to PostgreSQL that one gateway opens at most. */
  readonly connections: number;
}

/** Databases that speak PostgreSQL's protocol. */
export type DatabaseEngine = 'postgresql' | 'cockroachdb' | 'yugabytedb' | 'citus';

/** The gateway's own facts: the `gateway:` definition. */
export interface Gateway {
  /** Name of the local node, the `<node>` of paths. */
  readonly id: string;
  /** First segment of every path. */
  readonly context: string;
  readonly listen: ConfigText;
  readonly database: Database;
  /** The address in contracts, without a slash at the end; the bound address where undefined. */
  readonly publicUrl?: ConfigText;
  /** Glob under the definitions folder; each file is run once, in name order. */
  readonly sampleData?: string;
  /** Folder of the handlers, relative to the project's folder. */
  readonly handlers: string;
  /** Prefix of XML namespaces: `<namespace>:<Service>.<version>`. */
  readonly namespace: string;
  /** IANA zone that gives datetimes without an offset theirs. */
  readonly timezone: string;
  /** What a caller shows where nothing else is said. */
  readonly requires: readonly SecurityScheme[];
  /** Its own address speaks TLS. */
  readonly tls?: Tls;
  /** Addresses and networks (`10.0.0.0/8`) of the proxies in front, whose headers about the caller are believed. */
  readonly proxies: readonly string[];
  /** File of the audit log, relative to the project; standard output where undefined. */
  readonly audit?: ConfigText;
  /** Ids of the services of the package that are switched on. */
  readonly delivered: readonly string[];
  /** Contracts and the page `/` need credentials. */
  readonly contracts: 'public' | 'private';
  /** Lists whose users may read `/metrics` from another machine; callers of this machine always may. */
  readonly metrics: readonly PermissionList[];
  /** Origins (`https://app.example`) whose pages may call; `*` any, without credentials. Empty: no CORS headers at all. */
  readonly cors: readonly string[];
  /** Whether replies are compressed for callers who take that: those over REST with contracts and the page, those to messages. */
  readonly compress: { readonly rest: boolean; readonly soap: boolean };
  /** Connectors that take and send MTOM; another refuses multipart/related (the two `ig.MTOM` properties). */
  readonly mtom: { readonly services: boolean; readonly http: boolean };
  /**
   * Names of calls over REST whose requests keep the domain name (`ig.UseDomainName.ExternalOperationNames`). Those of all
   * calls do; each name is that of a call that there is.
   */
  readonly domainNames: readonly string[];
  readonly limits: Limits;
  readonly at: Position;
}

/** TLS of the gateway's own address. Files are PEM, relative to the project; they are read anew when they change. */
export interface Tls {
  readonly certificate: ConfigText;
  readonly key: ConfigText;
  readonly passphrase?: ConfigText;
  /** Authorities whose client certificates are taken; without it none is asked for. */
  readonly clientCa?: ConfigText;
  readonly minimum: 'TLSv1.2' | 'TLSv1.3';
}

/** How often something may be called. */
export interface Rate {
  readonly requests: number;
  /** Milliseconds. */
  readonly per: number;
  /** Whose calls are counted together: each caller's (an anonymous one's by its address), each address's, or all. */
  readonly by: 'caller' | 'address' | 'all';
}

/** Bounds of the calls of one operation, or of all that have none of their own. */
export interface CallLimits {
  readonly rate?: Rate;
  /** Calls that run at the same time, in one gateway. */
  readonly concurrent?: number;
}
