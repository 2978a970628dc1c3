import type { DatabaseEngine } from '../../model/gateway.ts';
import { type GatewayLimitsDeclared, limits } from '../value/limits.ts';
import {
  cors,
  count,
  description,
  idItem,
  type JsonSchema,
  keys,
  matching,
  namespaceUri,
  reference,
  text,
  word,
  yesNo,
} from './json-schema.ts';
import { permission } from './operation.ts';
import { fileText, type TlsDeclared, tls } from './tls.ts';

export interface GatewayDeclared {
  readonly description?: string;
  readonly context?: string;
  readonly listen?: string;
  readonly database?: string | DatabaseDeclared;
  readonly publicUrl?: string;
  readonly 'sample-data'?: string;
  readonly handlers?: string;
  readonly namespace?: string;
  readonly timezone?: string;
  readonly requires?: string | readonly string[];
  readonly tls?: TlsDeclared;
  readonly proxies?: readonly string[];
  readonly audit?: string;
  readonly delivered?: readonly string[];
  readonly contracts?: 'public' | 'private';
  readonly metrics?: { readonly permission: string | readonly string[] };
  readonly cors?: readonly string[];
  readonly compress?: boolean | { readonly rest?: boolean; readonly soap?: boolean };
  readonly limits?: GatewayLimitsDeclared;
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
}

/** A path that leads nowhere but down. */
const INSIDE = '^(?!/)(?![\\s\\S]*(^|/)\\.\\.(/|$))[^\\\\]+$';

const databaseUrl: JsonSchema = {
  type: 'string',
  minLength: 1,
  description:
    'URL of the database: `sqlite:` and a path relative to the project, or `postgres://`. May refer to configuration.',
  default: '${env:DATABASE_URL:-sqlite:.signalbox/signalbox.db}',
  examples: ['${env:DATABASE_URL:-sqlite:.signalbox/signalbox.db}'],
};

const database: JsonSchema = {
  title: 'the URL of a database, or a map',
  description: 'The database: its URL, or a map with more.',
  if: { type: 'object' },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: keys<keyof DatabaseDeclared>(
    { examples: [{ url: '${env:DATABASE_URL}', engine: 'cockroachdb' }] },
    {
      url: databaseUrl,
      engine: word(
        ['postgresql', 'cockroachdb', 'yugabytedb', 'citus'],
        "Which of the databases that speak PostgreSQL's protocol it is.",
        { default: 'postgresql' },
      ),
      connections: count('Connections to PostgreSQL that one gateway opens at most.', 20, 6),
    },
  ),
  else: databaseUrl,
};

const mtom = (connector: string): JsonSchema =>
  yesNo(`Whether the ${connector} takes and sends MTOM. Where not, it refuses \`multipart/related\` with 415.`, true);

const compress: JsonSchema = {
  title: 'true or false, or a map',
  description:
    'Whether replies are compressed with zstd, br or gzip, for callers who take one of them and where it pays: `false` switches it off, a map says it for each way of calling.',
  default: true,
  examples: [false, { soap: true }],
  if: { type: 'object' },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: keys<'rest' | 'soap'>(
    { examples: [{ soap: true }] },
    {
      rest: yesNo('Replies over REST, contracts, the page and `/metrics`.', true),
      soap: yesNo(
        'Replies to messages, over SOAP and the HTTP connector, and contracts that are fetched from these. Some SOAP clients ask for gzip and can not read it.',
        false,
      ),
    },
  ),
  else: { type: 'boolean' },
};

const EXTERNAL_NAME = '[A-Za-z][A-Za-z0-9_]*\\.v[1-9][0-9]*';

const properties = keys<keyof NonNullable<GatewayDeclared['properties']>>(
  {
    description: 'Properties of the gateway by the names that they are known by.',
    examples: [{ 'ig.MTOM.enableHttpListeningConnector': false }],
  },
  {
    'ig.MTOM.enablePeopleSoftServiceListeningConnector': mtom('SOAP services connector'),
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
        'Calls over REST whose requests keep the domain name of their target, in Host and in TLS: a list, or a text with commas. Each name is that of an operation with a `target`, without the suffix of its method or with it, and the version of its service. Every request keeps the domain name, so this changes nothing; the names are checked.',
      examples: [
        ['N_DOCLIB_FORMDIGEST.v1', 'N_DOCLIB_UPLOADFILES.v1'],
        'N_DOCLIB_FORMDIGEST.v1, N_DOCLIB_UPLOADFILES.v1',
      ],
    },
  },
);

export const gateway = keys<'gateway' | keyof GatewayDeclared>(
  {
    title: 'gateway',
    description:
      'The gateway itself: one in a project. Everything but the id has a default, so `gateway: LOCAL` alone is enough to start.',
    required: ['gateway'],
    examples: [
      {
        gateway: 'LOCAL',
        context: 'gateway',
        listen: '127.0.0.1:8080',
        database: '${env:DATABASE_URL:-sqlite:.signalbox/signalbox.db}',
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
      'Name of the local node, the node segment of paths. Holds no dot and equals no service.',
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
      'The address that contracts name; the bound address where left out. May refer to configuration.',
      'https://api.example.org',
    ),
    'sample-data': matching(
      'a glob inside the definitions folder',
      INSIDE,
      'SQL files, as a glob under the definitions folder. Each is run once, in the order of names.',
      'sample/*.sql',
    ),
    handlers: {
      title: 'a folder inside the project',
      type: 'string',
      pattern: INSIDE,
      description: 'Folder of the handlers, relative to the project.',
      default: 'src/handlers',
      examples: ['src/handlers'],
    },
    namespace: {
      ...namespaceUri,
      description:
        'Prefix of XML namespaces: a service has `<namespace>:<Service>.<version>`. The default is `urn:signalbox:` and the id in small letters.',
      examples: ['urn:signalbox:sample'],
    },
    timezone: {
      type: 'string',
      minLength: 1,
      description: 'IANA time zone that gives datetimes without an offset theirs.',
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
        'Addresses and networks of the proxies in front, whose headers about the caller are believed: its address, its certificate, that it came over TLS.',
      examples: [['10.0.0.0/8', '192.0.2.7']],
    },
    audit: {
      ...fileText,
      description:
        'File of the audit log, one JSON line for each call; standard output where left out. May refer to configuration.',
      examples: ['.signalbox/audit.log'],
    },
    delivered: {
      type: 'array',
      items: idItem('delivered-id'),
      uniqueItems: true,
      description: 'Services of the package that are switched on. Permission lists grant them.',
      examples: [['QAS_QRY_SERVICE.v1']],
    },
    contracts: word(
      ['public', 'private'],
      'Whether contracts and the list of services can be read without credentials.',
      { default: 'public' },
    ),
    metrics: keys(
      {
        required: ['permission'],
        description: 'Who may read `/metrics` from another machine. Callers of this machine always may.',
        examples: [{ permission: 'MONITORS' }],
      },
      { permission: { ...permission, description: 'The permission list that lets its users read them, or several.' } },
    ),
    cors,
    compress,
    limits,
    properties,
  },
);
