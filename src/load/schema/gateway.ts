import { cors } from './cors.ts';
import { tls } from './gateway-tls.ts';
import { description, duration, idItem, type JsonSchema, keys, namespaceUri, reference } from './json-schema.ts';
import { callLimits } from './limits.ts';
import { fileText } from './node-tls.ts';
import { permission } from './operation.ts';

const size: JsonSchema = {
  title: 'a size',
  type: ['string', 'integer'],
  pattern: '^[0-9]+ ?(B|KiB|MiB|GiB)$',
  minimum: 1,
  examples: ['10 MiB', '64 KiB', 4096],
};

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
  then: keys(
    { examples: [{ url: '${env:DATABASE_URL}', engine: 'cockroachdb' }] },
    {
      url: databaseUrl,
      engine: {
        type: 'string',
        enum: ['postgresql', 'cockroachdb', 'yugabytedb', 'citus'],
        description: "Which of the databases that speak PostgreSQL's protocol it is.",
        default: 'postgresql',
      },
      connections: {
        type: 'integer',
        minimum: 6,
        description: 'Connections to PostgreSQL that one gateway opens at most.',
        default: 20,
        examples: [20],
      },
    },
  ),
  else: databaseUrl,
};

const limits = keys(
  {
    description:
      'Bounds of every exchange. A query may set its own `rows` and `timeout`, what `call:` calls its own `timeout`.',
  },
  {
    body: { ...size, description: 'Largest request body.', default: '10 MiB' },
    timeout: {
      ...duration,
      description: 'Until the first byte of the reply, and of one stored query.',
      default: '30 s',
    },
    rows: {
      type: 'integer',
      minimum: 1,
      description: 'Most rows of one stored query.',
      default: 100000,
      examples: [100000],
    },
    target: { ...size, description: 'Longest request target (path and query).', default: '64 KiB' },
    parameters: {
      type: 'integer',
      minimum: 1,
      description: 'Most query parameters of one request.',
      default: 1000,
      examples: [1000],
    },
    attachment: {
      ...size,
      description:
        'Largest attachment of a message that travels as one (MTOM), and largest body over REST that is binary content.',
      default: '1 GiB',
      examples: ['1 GiB'],
    },
    attachments: {
      type: 'integer',
      minimum: 1,
      description: 'Most attachments of one message.',
      default: 50,
      examples: [50],
    },
    processes: {
      type: 'integer',
      minimum: 1,
      description: 'Processes that one gateway runs at the same time.',
      default: 4,
      examples: [4],
    },
    queued: {
      type: 'integer',
      minimum: 1,
      description:
        'Jobs that may wait in one queue: polled queries, process requests. A further one is answered 503, with Retry-After. Without it any number.',
      examples: [10000],
    },
    slowest: {
      ...size,
      description: "What a request's body must bring a second on average, once it has come for 5 s.",
      default: '240 B',
      examples: ['1 KiB'],
    },
    rate: {
      ...callLimits.rate,
      description: `Of all operations that have none of their own, counted together. ${callLimits.rate.description}`,
    },
    concurrent: {
      ...callLimits.concurrent,
      description: `Of all operations together. ${callLimits.concurrent.description}`,
      examples: [200],
    },
    keep: {
      ...duration,
      description: 'How long results in files, polled results and reports of processes are kept.',
      default: '7 d',
      examples: ['7 d', '12 h'],
    },
  },
);

const mtom = (connector: string): JsonSchema => ({
  type: 'boolean',
  description: `Whether the ${connector} takes and sends MTOM. Where not, it refuses \`multipart/related\` with 415.`,
  default: true,
  examples: [false],
});

const EXTERNAL_NAME = '[A-Za-z][A-Za-z0-9_]*\\.v[1-9][0-9]*';

const properties = keys(
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

export const gateway = keys(
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
    gateway: {
      title: 'a node name',
      type: 'string',
      pattern: '^[A-Za-z][A-Za-z0-9_.-]*$',
      description: 'Name of the local node, the node segment of paths. Holds no dot and equals no service.',
      examples: ['LOCAL'],
    },
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
    publicUrl: {
      type: 'string',
      minLength: 1,
      description: 'The address that contracts name; the bound address where left out. May refer to configuration.',
      examples: ['https://api.example.org'],
    },
    'sample-data': {
      title: 'a glob inside the definitions folder',
      type: 'string',
      pattern: INSIDE,
      description: 'SQL files, as a glob under the definitions folder. Each is run once, in the order of names.',
      examples: ['sample/*.sql'],
    },
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
    contracts: {
      type: 'string',
      enum: ['public', 'private'],
      description: 'Whether contracts and the list of services can be read without credentials.',
      default: 'public',
    },
    metrics: keys(
      {
        required: ['permission'],
        description: 'Who may read `/metrics` from another machine. Callers of this machine always may.',
        examples: [{ permission: 'MONITORS' }],
      },
      { permission: { ...permission, description: 'The permission list that lets its users read them, or several.' } },
    ),
    cors,
    limits,
    properties,
  },
);
