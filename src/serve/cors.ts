// Cross-origin requests, WHATWG Fetch section 3.2: only for the origins that gateway.yaml lists.
import type { Registry } from '../model/registry.ts';
import type { Exchange } from './exchange.ts';
import type { ReplyHeaders } from './respond.ts';

/** What a page of another origin is told. */
export interface Cors {
  /** Headers for a reply to this exchange: none for an origin that is not listed, undefined where no origin is. */
  headers(exchange: Exchange): ReplyHeaders | undefined;
  /** Whether the exchange is a preflight. */
  isPreflight(exchange: Exchange): boolean;
  /** Headers that answer a preflight, given what the path allows. */
  preflight(exchange: Exchange, allowed: readonly string[]): ReplyHeaders;
}

const EXPOSED = 'X-Request-Id, Rows-Truncated, Deprecation, Sunset, Location';
const ALLOWED_HEADERS = ['Authorization', 'Content-Type', 'Accept', 'X-Request-Id'];
/** Seconds that a browser may keep a preflight's answer. */
const MAX_AGE = '600';

/** For the origins of `cors:` (`https://app.example`, or `*` for any, then without credentials). */
export function createCors({ gateway, operations }: Registry): Cors {
  // No header for others, but a reply that a cache must not hand to a page of a listed origin.
  const others: ReplyHeaders = gateway.cors.includes('*')
    ? { 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': EXPOSED }
    : {};
  const byOrigin = new Map(gateway.cors.map((origin) => [origin, origin === '*' ? others : headersFor(origin)]));
  const bound = [...operations.values()].flatMap(({ requestHeaders }) => requestHeaders.map(({ header }) => header));
  const allowedHeaders = [...new Set([...ALLOWED_HEADERS, ...bound])].join(', ');
  const headers = (exchange: Exchange): ReplyHeaders | undefined => {
    if (byOrigin.size === 0) return undefined;
    return byOrigin.get(exchange.header('origin') ?? '') ?? others;
  };
  return {
    headers,
    isPreflight: (exchange) =>
      exchange.method === 'OPTIONS' &&
      exchange.header('origin') !== undefined &&
      exchange.header('access-control-request-method') !== undefined,
    preflight: (exchange, allowed) => {
      const base = headers(exchange);
      if (base?.['Access-Control-Allow-Origin'] === undefined) return {};
      return {
        ...base,
        'Access-Control-Allow-Methods': allowed.join(', '),
        'Access-Control-Allow-Headers': allowedHeaders,
        'Access-Control-Max-Age': MAX_AGE,
      };
    },
  };
}

function headersFor(origin: string): ReplyHeaders {
  return {
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Allow-Credentials': 'true',
    'Access-Control-Expose-Headers': EXPOSED,
  };
}
