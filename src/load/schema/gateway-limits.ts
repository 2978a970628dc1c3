import { count, duration, type JsonSchema, keys } from './json-schema.ts';
import { type CallLimitsDeclared, callLimits } from './limits.ts';

export interface GatewayLimitsDeclared extends CallLimitsDeclared {
  readonly body?: string | number;
  readonly timeout?: string;
  readonly rows?: number;
  readonly target?: string | number;
  readonly parameters?: number;
  readonly attachment?: string | number;
  readonly attachments?: number;
  readonly processes?: number;
  readonly queued?: number;
  readonly queries?: number;
  readonly temporary?: string | number;
  readonly slowest?: string | number;
  readonly keep?: string;
}

const size: JsonSchema = {
  title: 'a size',
  type: ['string', 'integer'],
  pattern: '^[0-9]+ ?(B|KiB|MiB|GiB)$',
  minimum: 1,
  examples: ['10 MiB', '64 KiB', 4096],
};

/** Bounds of every exchange. */
export const limits = keys<keyof GatewayLimitsDeclared>(
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
    rows: count('Most rows of one stored query.', 100000),
    target: { ...size, description: 'Longest request target (path and query).', default: '64 KiB' },
    parameters: count('Most query parameters of one request.', 1000),
    attachment: {
      ...size,
      description:
        'Largest attachment of a message that travels as one (MTOM), and largest body over REST that is binary content.',
      default: '1 GiB',
      examples: ['1 GiB'],
    },
    attachments: count('Most attachments of one message.', 50),
    processes: count('Processes that one gateway runs at the same time.', 4),
    queued: {
      type: 'integer',
      minimum: 1,
      description:
        'Jobs that may wait in one queue: polled queries, process requests. A further one is answered 503, with Retry-After. Without it any number.',
      examples: [10000],
    },
    queries: {
      type: 'integer',
      minimum: 1,
      description:
        'Stored queries of one caller that one gateway runs at the same time on one database; further ones wait, and callers who wait take turns. Without it half of the readers, and never all of them. Callers without credentials are told apart by their address.',
      examples: [2],
    },
    temporary: {
      ...size,
      description:
        'What a stored query may write to disk while it sorts, joins or returns rows: over SQLite the size of each temporary file and of a result, on PostgreSQL `temp_file_limit` of each connection, where its role may set that. A query that needs more ends with 400.',
      default: '512 MiB',
      examples: ['2 GiB'],
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
