import type { CallLimits, Rate } from '../../model/gateway.ts';
import { DURATION } from '../../wire/duration.ts';
import type { Linking } from '../linking.ts';
import { given } from '../object.ts';
import { count, defaultsOf, integer, type JsonSchema, keys, mapOr, time, word } from '../schema/json-schema.ts';
import { milliseconds, size } from './units.ts';

/** Limits on calls, of a gateway, a service or an operation. */
export function linkCallLimits(linking: Linking, declared: CallLimitsDeclared | undefined): CallLimits {
  if (declared === undefined) return {};
  return given({ rate: linkRate(linking, declared), concurrent: declared.concurrent });
}

/** `100 per 1 m`, or a map. The period is in whole seconds, like Retry-After (RFC 9110 section 10.2.3). */
function linkRate(linking: Linking, limits: CallLimitsDeclared): Rate | undefined {
  const { rate } = limits;
  if (rate === undefined) return undefined;
  if (typeof rate === 'string') return { ...linkSpelled(linking, limits, rate, 'limits.rate'), by: RATE.by };
  const { requests, per, by = RATE.by } = rate;
  return { requests, per: linkPeriod(linking, rate, 'per', per, 'limits.rate'), by };
}

/** `100 per 1 m` under `rate`; `undefined` without a value. */
export function linkRateText(linking: Linking, container: { readonly rate?: string }): Omit<Rate, 'by'> | undefined {
  return container.rate === undefined ? undefined : linkSpelled(linking, container, container.rate, 'rate');
}

function linkSpelled(linking: Linking, container: object, text: string, name: string): Omit<Rate, 'by'> {
  const [requests = '', per = ''] = text.split(' per ');
  return { requests: Number(requests), per: linkPeriod(linking, container, 'rate', per, name) };
}

/** @param key of the value in `container` that has the period @param name of the rate in messages */
function linkPeriod({ report, places }: Linking, container: object, key: string, period: string, name: string): number {
  const time = milliseconds(period);
  if (time < 1000 || time > LONGEST_PERIOD || time % 1000 !== 0) {
    const reason = `must have a period of whole seconds from 1 s to 24 d, not ${period}`;
    report.raise('bad-value', { name, reason, examples: ['100 per 1 m'] }, places.value(container, key));
  }
  return time;
}

const LONGEST_PERIOD = 24 * 86_400_000;

/** `100 per 1 m`, or a map. */
type RateDeclared = string | { readonly requests: number; readonly per: string; readonly by?: Rate['by'] };

export interface CallLimitsDeclared {
  readonly rate?: RateDeclared;
  readonly concurrent?: number;
}

/** A rate without further settings. */
export const rateText: JsonSchema = {
  title: 'a rate as in 100 per 1 m',
  type: 'string',
  pattern: `^[1-9][0-9]{0,8} per ${DURATION}$`,
  examples: ['100 per 1 m'],
};

const rateMap = keys({ required: ['requests', 'per'], examples: [{ requests: 100, per: '1 m', by: 'address' }] }, {
  requests: integer('How many calls.', { minimum: 1, maximum: 1_000_000_000 }, 100),
  per: time('The period: whole seconds.', undefined, '1 m'),
  by: word(
    ['caller', 'address', 'all'],
    'Which calls are counted together: those of each caller (without credentials, of each address), of each address, or all.',
    { default: 'caller' },
  ),
} satisfies Record<'requests' | 'per' | 'by', JsonSchema>);

const RATE = defaultsOf(rateMap);

const rate: JsonSchema = {
  title: 'a rate, or a map',
  description:
    'Maximum rate of calls: `100 per 1 m` per caller, or a map with further settings. Calls above it are answered 429 with Retry-After. All gateways of a database share one count.',
  examples: ['100 per 1 m', { requests: 100, per: '1 m', by: 'address' }],
  ...mapOr(rateMap, rateText),
};

const concurrent: JsonSchema = integer(
  'Maximum number of concurrent calls in one gateway. Further ones are answered 503 with Retry-After.',
  { minimum: 1 },
  20,
);

const callLimits = { rate, concurrent } as const;

export const limitsKey: JsonSchema = keys<keyof CallLimitsDeclared>(
  {
    description: 'Limits on its calls. Those of an operation apply in addition to those of its service.',
    minProperties: 1,
    examples: [{ rate: '100 per 1 m', concurrent: 20 }],
  },
  callLimits,
);

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
  readonly unknown?: string;
  readonly queries?: number;
  readonly temporary?: string | number;
  readonly slowest?: string | number;
}

export const limits = keys(
  {
    description:
      'Limits on every exchange. Queries may set their own `rows` and `timeout`, and calls behind `call:` their own `timeout`.',
  },
  {
    body: {
      ...size,
      description: 'Maximum size of a request body, and of the reply of a call, without files.',
      default: '10 MiB',
    },
    timeout: time('Time limit until the first byte of the reply, and of a stored query.', '30 s'),
    rows: count('Maximum number of rows of a stored query.', 100000),
    target: { ...size, description: 'Maximum length of a request target (path and query).', default: '64 KiB' },
    parameters: count(
      'Maximum number of query parameters of a request, and of the parts of a form that are not files.',
      1000,
    ),
    attachment: {
      ...size,
      description:
        'Maximum size of an attachment of a message (MTOM), of a file of a form, and of a REST body that is binary content, in requests and in the replies of calls.',
      default: '1 GiB',
      examples: ['1 GiB'],
    },
    attachments: count('Maximum number of attachments of a message.', 50),
    processes: count('Maximum number of concurrent processes in one gateway.', 4),
    queued: integer(
      'Maximum number of jobs that wait in one queue: polled queries, process requests. Further ones are answered 503 with Retry-After. By default there is no limit.',
      { minimum: 1 },
      10000,
    ),
    unknown: time(
      'How long queued work that the definitions of this gateway lack waits for a gateway that has them. When no gateway that could run it was alive for this time it is a dead letter, and a process ends with an error.',
      '1 h',
      '1 h',
      '30 m',
    ),
    queries: integer(
      'Maximum number of concurrent stored queries of one caller on one database, in one gateway. Further ones wait, and waiting callers take turns. The default is half of the readers, and never all of them. Callers without credentials are distinguished by address.',
      { minimum: 1 },
      2,
    ),
    temporary: {
      ...size,
      description:
        'Maximum disk space that a stored query may use to sort, join or return rows: with SQLite, the size of each temporary file and of a result; with PostgreSQL, `temp_file_limit` of each connection, if its role may set that. A query that needs more ends with 400.',
      default: '512 MiB',
      examples: ['2 GiB'],
    },
    slowest: {
      ...size,
      description: 'Minimum average rate of a request body per second, after its first 5 s.',
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
  } satisfies Record<keyof GatewayLimitsDeclared, JsonSchema>,
);
