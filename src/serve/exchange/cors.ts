import { Fault } from '../../model/fault.ts';
import type { Registry } from '../../model/registry.ts';
import type { Operation, Service } from '../../model/service.ts';
import type { DocumentValue } from '../../model/value.ts';
import type { Caller } from '../../security/port.ts';
import type { Exchange, ReplyHeaders } from './exchange.ts';

// Cross-origin requests, WHATWG Fetch section 3.2: only for the origins that gateway.yaml lists.

/** Headers for pages of other origins. */
export interface Cors {
  /**
   * Headers for a reply to this exchange: none for an origin that is not listed, `undefined` when no origin is.
   * @param service the segment of a path that names it, or the name of its contract; the gateway's origins without one
   */
  headers(exchange: Exchange, service?: string): ReplyHeaders | undefined;
  /** The same when the message names the service, not the path: what any service over SOAP allows. */
  headersOfMessages(exchange: Exchange): ReplyHeaders | undefined;
  /** The same once the message's operation is known. */
  headersOf(exchange: Exchange, operation: Operation): ReplyHeaders | undefined;
  /** Whether the exchange is a preflight. */
  isPreflight(exchange: Exchange): boolean;
  /** Headers that answer a preflight, given what the path allows, and what the exchange's replies carry. */
  preflight(exchange: Exchange, allowed: readonly string[]): ReplyHeaders;
}

const EXPOSED = [
  'X-Request-Id',
  'Rows-Truncated',
  'Deprecation',
  'Sunset',
  'Location',
  'ETag',
  'Accept-Ranges',
  'Content-Range',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
].join(', ');
const ALLOWED_HEADERS = ['Authorization', 'Content-Type', 'Accept', 'X-Request-Id'];
/** Seconds that a browser may keep a preflight's answer. */
const MAX_AGE = '600';

/** The replies to pages of listed origins. */
type Policy = (exchange: Exchange) => ReplyHeaders | undefined;

/** For the origins of `cors:` (`https://app.example`, or `*` for any, then without credentials), a service's own or the gateway's. */
export function createCors({ gateway, operations, services, schemes }: Registry): Cors {
  const ofGateway = gateway.cors.length === 0 ? () => undefined : createPolicy(gateway.cors);
  const ofServices = new Map<Service, Policy>();
  for (const service of services.values())
    if (service.cors !== undefined) ofServices.set(service, createPolicy(service.cors));
  const bySegment = policiesBySegment(ofServices);
  const ofMessages =
    ofServices.size === 0 ? ofGateway : createPolicy(originsOfMessages(operations.values(), gateway.cors));
  const bound = [...operations.values()].flatMap(({ requestHeaders }) => requestHeaders.map(({ header }) => header));
  const keys = [...schemes.values()].flatMap((scheme) => (scheme.kind === 'api-key' ? scheme.header : []));
  const allowedHeaders = [...new Set([...ALLOWED_HEADERS, ...keys, ...bound])].join(', ');
  return {
    headers: (exchange, service) =>
      (bySegment.size === 0 || service === undefined ? ofGateway : policyFor(bySegment, service, ofGateway))(exchange),
    headersOfMessages: ofMessages,
    headersOf: (exchange, { service }) => (ofServices.get(service) ?? ofGateway)(exchange),
    isPreflight: (exchange) =>
      exchange.method === 'OPTIONS' &&
      exchange.header('origin') !== undefined &&
      exchange.header('access-control-request-method') !== undefined,
    preflight: ({ cors: base }, allowed) => {
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

function createPolicy(origins: readonly string[]): Policy {
  // No header for others, but a reply that a cache must not hand to a page of a listed origin.
  const others: ReplyHeaders = origins.includes('*')
    ? { 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': EXPOSED }
    : {};
  const byOrigin = new Map(origins.map((origin) => [origin, origin === '*' ? others : headersFor(origin)]));
  return (exchange) => byOrigin.get(exchange.header('origin') ?? '') ?? others;
}

/** Policies of services with their own, by every segment that begins their paths and the names of their contracts. */
function policiesBySegment(policies: ReadonlyMap<Service, Policy>): ReadonlyMap<string, Policy> {
  const found = new Map<string, Policy>();
  for (const [service, policy] of policies) {
    for (const name of new Set([service.name, ...service.operations.map(({ pathName }) => pathName)])) {
      found.set(segmentKey(`${name}.${service.version}`), policy);
      if (service.default) found.set(segmentKey(name), policy);
    }
  }
  return found;
}

function policyFor(policies: ReadonlyMap<string, Policy>, segment: string, standard: Policy): Policy {
  const [name = '', version] = segment.split('.', 2);
  return policies.get(segmentKey(version === undefined ? name : `${name}.${version}`)) ?? standard;
}

/** Contracts are found by `LOCATIONS.1` too; a misspelt path belongs to no service, and is answered with 404. */
function segmentKey(segment: string): string {
  return segment.toLowerCase().replace(/\.v(?=\d)/, '.');
}

function originsOfMessages(operations: Iterable<Operation>, standard: readonly string[]): string[] {
  const services = new Set<Service>();
  for (const { soap, active, service } of operations) if (soap !== undefined && active) services.add(service);
  return [...new Set([...services].flatMap(({ cors = standard }) => cors))];
}

function headersFor(origin: string): ReplyHeaders {
  return {
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Allow-Credentials': 'true',
    'Access-Control-Expose-Headers': EXPOSED,
  };
}

/**
 * Whether a call writes.
 * @param input its request; `undefined` before that was read, when only an operation that writes always is known to
 */
export function isWrite({ writes }: Operation, input?: DocumentValue): boolean {
  if (typeof writes === 'boolean') return writes;
  return input !== undefined && writes.some(({ field, value }) => input[field.name] === value);
}

/**
 * Refuses a write that a page of another origin has a browser send with credentials that the browser adds by itself: a password that
 * it keeps, a certificate. CORS alone does not, as a POST without a content type is sent without a preflight, and only its
 * reply is kept from the page. Keys and tokens are sent by who knows them alone.
 * @throws Fault FORBIDDEN
 */
export function refuseCrossSite(exchange: Exchange, caller: Caller | undefined, { id }: Operation): void {
  const kind = caller?.scheme.kind;
  if (kind !== 'basic' && kind !== 'client-certificate') return;
  if (!isCrossSite(exchange) || exchange.cors?.['Access-Control-Allow-Origin'] !== undefined) return;
  const reason = 'a page of an origin that cors does not list';
  throw Fault.of('FORBIDDEN', { user: 'A page of another origin', what: `operation ${id}` }, { reason });
}

/**
 * Whether a browser sends it for a page of another origin: by Sec-Fetch-Site (W3C Fetch Metadata section 2.1), which they add
 * where they trust the address, or else by Origin, which they add to whatever is not safe. Others add neither.
 */
function isCrossSite(exchange: Exchange): boolean {
  const site = exchange.header('sec-fetch-site');
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  const origin = exchange.header('origin');
  if (origin === undefined) return false;
  return !URL.canParse(origin) || new URL(origin).host !== exchange.header('host')?.toLowerCase();
}
