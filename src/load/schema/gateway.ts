import type { DatabaseEngine, DatabaseTimeouts } from '../../model/gateway.ts';
import { type AcceptedBreakDeclared, acceptedBreaks } from '../value/accepted-breaks.ts';
import { type GatewayLimitsDeclared, limits } from '../value/limits.ts';
import { type OnceDeclared, once } from '../value/once.ts';
import { type ReplicasDeclared, replicas } from '../value/replicas.ts';
import { type RetentionDeclared, retention } from '../value/retention.ts';
import { type ConsoleDeclared, consoleKey } from './console.ts';
import {
  cors,
  count,
  description,
  filePath,
  ids,
  integer,
  type JsonSchema,
  keys,
  mapOr,
  matching,
  namespaceUri,
  reference,
  text,
  time,
  word,
  yesNo,
} from './json-schema.ts';
import { permission, strict } from './operation.ts';
import { type SettingsDeclared, settings } from './setting.ts';
import { type TlsDeclared, tls } from './tls.ts';

export interface GatewayDeclared {
  readonly description?: string;
  readonly context?: string;
  readonly listen?: string;
  readonly database?: string | DatabaseDeclared;
  readonly publicUrl?: string;
  readonly migrations?: string;
  readonly 'sample-data'?: string;
  readonly handlers?: string;
  readonly namespace?: string;
  readonly settings?: SettingsDeclared;
  readonly timezone?: string;
  readonly requires?: string | readonly string[];
  readonly tls?: TlsDeclared;
  readonly proxies?: readonly string[];
  readonly audit?: string;
  readonly delivered?: readonly string[];
  readonly contracts?: 'public' | 'private';
  readonly metrics?: { readonly permission: string | readonly string[] };
  readonly cors?: readonly string[];
  readonly strict?: boolean;
  readonly compress?: boolean | { readonly rest?: boolean; readonly soap?: boolean };
  readonly 'request-encodings'?: readonly ('gzip' | 'deflate' | 'br')[];
  readonly drain?: string | DrainDeclared;
  readonly limits?: GatewayLimitsDeclared;
  readonly once?: OnceDeclared;
  readonly retention?: RetentionDeclared;
  readonly console?: 'on' | 'off' | ConsoleDeclared;
  readonly 'accepted-breaks'?: readonly AcceptedBreakDeclared[];
  readonly properties?: {
    readonly 'ig.MTOM.enablePeopleSoftServiceListeningConnector'?: boolean;
    readonly 'ig.MTOM.enableHttpListeningConnector'?: boolean;
    readonly 'ig.UseDomainName.ExternalOperationNames'?: string | readonly string[];
  };
}

export interface DatabaseDeclared {
  readonly url?: string;
  readonly engine?: DatabaseEngine;
  readonly connections?: number;
  readonly schema?: string;
  readonly migrate?: boolean;
  readonly timeouts?: Readonly<Partial<Record<keyof DatabaseTimeouts, string>>>;
  readonly keepalive?: { readonly idle?: string; readonly interval?: string; readonly count?: number };
  readonly replicas?: ReplicasDeclared;
}

export interface DrainDeclared {
  readonly ready?: string;
  readonly work?: string;
}

/** A relative path without `..`. */
const INSIDE = '^(?!/)(?![\\s\\S]*(^|/)\\.\\.(/|$))[^\\\\]+$';

const databaseUrl = {
  type: 'string',
  minLength: 1,
  description:
    'URL of the database: `sqlite:` and a path relative to the project, or `postgres://`. May refer to configuration.',
  default: '${env:DATABASE_URL:-sqlite:.signalbox/signalbox.db}',
  examples: ['${env:DATABASE_URL:-sqlite:.signalbox/signalbox.db}'],
} as const satisfies JsonSchema;

const databaseTimeouts = keys(
  {
    description:
      'Time limits of each connection to PostgreSQL. A call that waits for the database is answered within `limits.timeout` in any case.',
    examples: [{ connect: '5 s', lock: '10 s', transaction: '30 s', statement: '10 m' }],
  },
  {
    connect: time('For connecting, and for a connection of the pool that is free.', '5 s', '5 s'),
    statement: time(
      'For one statement, by `statement_timeout`. The default is 10 minutes, or `limits.timeout` if that is longer.',
      undefined,
      '10 m',
    ),
    lock: time(
      'For a row that another transaction has locked, by `lock_timeout`. The default is a third of `limits.timeout`.',
      undefined,
      '10 s',
    ),
    transaction: time(
      'For the next statement of a transaction, by `idle_in_transaction_session_timeout`: so long others may have to wait for a gateway that hangs. Code that runs in a transaction must not pause for longer. The default is `limits.timeout`.',
      undefined,
      '30 s',
    ),
  } satisfies Record<keyof DatabaseTimeouts, JsonSchema>,
);

const keepalive = keys(
  {
    description:
      'TCP keepalives of connections to PostgreSQL, on both sides: a peer that vanished is noticed after `idle` and `count` times `interval`.',
    examples: [{ idle: '10 s', interval: '5 s', count: 3 }],
  },
  {
    idle: time('Without any traffic, before the first probe. Whole seconds, at most 9 h.', '10 s', '10 s'),
    interval: time('Between two probes of the database. Whole seconds, at most 9 h.', '5 s', '5 s'),
    count: integer(
      'Probes without an answer after which the connection has ended; at most 127.',
      { minimum: 1, maximum: 127, default: 3 },
      3,
    ),
  } satisfies Record<keyof NonNullable<DatabaseDeclared['keepalive']>, JsonSchema>,
);

export const databaseMap = keys({ examples: [{ url: '${env:DATABASE_URL}', engine: 'cockroachdb' }] }, {
  url: databaseUrl,
  engine: word(
    ['postgresql', 'cockroachdb', 'yugabytedb', 'citus'],
    'The database product, among those that use the PostgreSQL protocol.',
    { default: 'postgresql' },
  ),
  connections: count('Maximum number of connections to PostgreSQL per gateway.', 20, 6),
  schema: text(
    'The schema of PostgreSQL that has everything of this installation, so that several can share a database: the tables, the tables of components, and, with `_queue` after the name, the queue. It is created if it does not exist. SQL without the name of a schema refers to this one only. The default is the schema that the connection has. May refer to configuration.',
    'hr',
    '${env:DATABASE_SCHEMA}',
  ),
  migrate: yesNo(
    'Whether a start brings the database up to date. With `false` it only checks, and `signalbox migrate` does it beforehand.',
    true,
  ),
  timeouts: databaseTimeouts,
  keepalive,
  replicas: replicas('stored queries without a datasource'),
} satisfies Record<keyof DatabaseDeclared, JsonSchema>);

const database: JsonSchema = {
  title: 'the URL of a database, or a map',
  description: 'The database: its URL, or a map with further settings.',
  ...mapOr(databaseMap, databaseUrl),
};

const mtom = (connector: string, but = '') =>
  yesNo(
    `Whether the ${connector} accepts and sends MTOM. Otherwise it rejects \`multipart/related\` with 415${but}.`,
    true,
  );

export const compressMap = keys({ examples: [{ soap: true }] }, {
  rest: yesNo('Replies over REST, contracts, the web page and `/metrics`.', true),
  soap: yesNo(
    "Replies over SOAP and the HTTP connector, and contracts that are fetched there. Some SOAP clients request gzip but can't read it.",
    false,
  ),
} satisfies Record<'rest' | 'soap', JsonSchema>);

const compress = {
  title: 'true or false, or a map',
  description:
    'Compresses replies with zstd, br or gzip for callers that accept one of them, when it is worthwhile. `false` disables it; a map sets it separately for REST and SOAP.',
  default: true,
  examples: [false, { soap: true }],
  ...mapOr(compressMap, { type: 'boolean' }),
} satisfies JsonSchema;

const requestEncodings: JsonSchema = {
  description:
    'The content codings in which request bodies are accepted, over REST and SOAP. Others are rejected with 415 and an `Accept-Encoding` header that lists these (RFC 7694). Limits of the size of a body apply to the decoded bytes, and one coding may be applied. Without it no coding is accepted.',
  type: 'array',
  items: { enum: ['gzip', 'deflate', 'br'] },
  uniqueItems: true,
  examples: [['gzip', 'deflate']],
};

export const drainMap = keys({ examples: [{ ready: '10 s', work: '2 m' }] }, {
  ready: time(
    'How long `/health/ready` answers 503 before the port is closed, from 0 s on. Meanwhile calls are answered, and connections are closed with their replies.',
    '5 s',
    '10 s',
  ),
  work: time('How long requests and jobs that run may then take to finish.', '30 s', '2 m'),
} satisfies Record<keyof DrainDeclared, JsonSchema>);

const drain: JsonSchema = {
  title: 'a time with its unit, or a map',
  description:
    'How a gateway stops after SIGTERM. A time is that of `ready`; a map sets the time for running work too.',
  default: '5 s',
  examples: ['10 s', '0 s', { ready: '10 s', work: '2 m' }],
  ...mapOr(drainMap, time('How long `/health/ready` answers 503 before the port is closed.')),
};

const EXTERNAL_NAME = '[A-Za-z][A-Za-z0-9_]*\\.v[1-9][0-9]*';

export const properties = keys(
  {
    description: 'Gateway properties under their established names.',
    examples: [{ 'ig.MTOM.enableHttpListeningConnector': false }],
  },
  {
    'ig.MTOM.enablePeopleSoftServiceListeningConnector': mtom(
      'SOAP services connector',
      ', but for operations whose fields are attachments (SOAP with Attachments)',
    ),
    'ig.MTOM.enableHttpListeningConnector': mtom('HTTP connector'),
    'ig.UseDomainName.ExternalOperationNames': {
      title: 'names of operations with their versions',
      type: ['string', 'array'],
      pattern: `^${EXTERNAL_NAME}(?: *, *${EXTERNAL_NAME})*$`,
      items: {
        title: 'the name of an operation with its version',
        type: 'string',
        pattern: `^${EXTERNAL_NAME}$`,
        examples: ['N_DOCLIB_FORMDIGEST.v1'],
      },
      minItems: 1,
      uniqueItems: true,
      description:
        'REST calls whose requests keep the domain name of their target, in Host and in TLS: a list, or a text with commas. Each is the name of an operation with a `target`, with or without the suffix of its method, and the version of its service. All requests keep the domain name, so this has no effect; the names are validated.',
      examples: [
        ['N_DOCLIB_FORMDIGEST.v1', 'N_DOCLIB_UPLOADFILES.v1'],
        'N_DOCLIB_FORMDIGEST.v1, N_DOCLIB_UPLOADFILES.v1',
      ],
    },
  } satisfies Record<keyof NonNullable<GatewayDeclared['properties']>, JsonSchema>,
);

export const gateway = keys(
  {
    title: 'gateway',
    description:
      'The gateway. A project has one. Everything except the id has a default, so `gateway: LOCAL` is enough to start.',
    required: ['gateway'],
    examples: [
      {
        gateway: 'LOCAL',
        context: 'gateway',
        listen: '127.0.0.1:8080',
        database: '${env:DATABASE_URL:-sqlite:.signalbox/signalbox.db}',
        migrations: 'migrations',
        'sample-data': 'sample/*.sql',
        namespace: 'urn:signalbox:sample',
        delivered: ['QAS_QRY_SERVICE.v1'],
        limits: { body: '10 MiB', timeout: '30 s', rows: 100000 },
      },
    ],
  },
  {
    gateway: matching(
      'a node name',
      '^[A-Za-z][A-Za-z0-9_.-]*$',
      'Name of the local node, which is a segment of paths. It has no dot and differs from all service names.',
      'LOCAL',
    ),
    description,
    context: {
      title: 'one segment of a path',
      type: 'string',
      pattern: '^[A-Za-z0-9._~-]+$',
      description: 'First segment of every path.',
      default: 'gateway',
      examples: ['gateway'],
    },
    listen: {
      type: 'string',
      minLength: 1,
      description: 'Host and port. The environment variables HOST and PORT override it. May refer to configuration.',
      default: '127.0.0.1:8080',
      examples: ['127.0.0.1:8080', '0.0.0.0:${env:LISTEN_PORT:-8080}'],
    },
    database,
    publicUrl: text(
      'The base URL in contracts. The default is the address that the gateway listens on. May refer to configuration.',
      'https://api.example.org',
    ),
    migrations: {
      title: 'a folder inside the project',
      type: 'string',
      pattern: INSIDE,
      description:
        "Folder of the SQL files that create and change the project's own tables, relative to the project: `0001-orders.sql`, or `0001-orders.sqlite.sql` and `0001-orders.postgres.sql` where the engines differ. Each runs once, in the order of numbers, before any sample data.",
      examples: ['migrations'],
    },
    'sample-data': matching(
      'a glob inside the definitions folder',
      INSIDE,
      'SQL files that fill tables with data to try things with, as a glob in the definitions folder. Each runs once, in the order of names, after all migrations. Tables are created by `migrations`.',
      'sample/*.sql',
    ),
    handlers: {
      title: 'a folder inside the project',
      type: 'string',
      pattern: INSIDE,
      description: 'Handlers folder, relative to the project.',
      default: 'src/handlers',
      examples: ['src/handlers'],
    },
    namespace: {
      ...namespaceUri,
      description:
        'Prefix of XML namespaces: that of a service is `<namespace>:<Service>.<version>`. The default is `urn:signalbox:` and the id in lower case.',
      examples: ['urn:signalbox:sample'],
    },
    settings,
    timezone: {
      type: 'string',
      minLength: 1,
      description: 'IANA time zone of datetimes without an offset.',
      default: 'UTC',
      examples: ['Europe/Berlin'],
    },
    requires: { ...reference('requires'), default: 'basic' },
    tls,
    proxies: {
      type: 'array',
      items: { title: 'an IP address or network', type: 'string', minLength: 1, examples: ['10.0.0.0/8', '192.0.2.7'] },
      uniqueItems: true,
      description:
        "Addresses and networks of trusted proxies. Their headers are believed for the caller's address, its certificate and its use of TLS.",
      examples: [['10.0.0.0/8', '192.0.2.7']],
    },
    audit: filePath(
      'File of the audit log, with one JSON line per call. The default is standard output. May refer to configuration.',
      '.signalbox/audit.log',
    ),
    delivered: ids(
      'delivered-id',
      'Services of the package to enable. Permission lists grant them.',
      'QAS_QRY_SERVICE.v1',
    ),
    contracts: word(
      ['public', 'private'],
      'Whether contracts and the list of services are readable without credentials.',
      { default: 'public' },
    ),
    metrics: keys(
      {
        required: ['permission'],
        description: 'Who may read `/metrics` from another machine. Callers on this machine always may.',
        examples: [{ permission: 'MONITORS' }],
      },
      {
        permission: { ...permission, description: 'The permission list whose users may read them, or a list of them.' },
      },
    ),
    strict,
    cors,
    compress,
    'request-encodings': requestEncodings,
    drain,
    limits,
    once,
    retention,
    console: consoleKey,
    'accepted-breaks': acceptedBreaks,
    properties,
  } satisfies Record<'gateway' | keyof GatewayDeclared, JsonSchema>,
);
