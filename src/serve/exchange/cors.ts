import { Fault } from '../../model/fault.ts';
import type { Registry } from '../../model/registry.ts';
import type { SecurityScheme } from '../../model/security.ts';
import { type Operation, onceOf, type Service } from '../../model/service.ts';
import type { DocumentValue } from '../../model/value.ts';
import type { Caller } from '../../security/security-port.ts';
import type { Exchange, ReplyHeaders } from './exchange.ts';

// Cross-origin requests, WHATWG Fetch section 3.2: only for the origins that gateway.yaml lists.

/** Headers for pages of other origins. */
export interface Cors {
  /**
   * Headers for a reply to this exchange: empty for an origin that is not listed, `undefined` when no origin is.
   * @param service the path segment or contract name of a service; without one the gateway's own origins apply
   */
  headers(exchange: Exchange, service?: string): ReplyHeaders | undefined;
  /** The same when the message, not the path, names the service: the origins that any SOAP service allows. */
  headersOfMessages(exchange: Exchange): ReplyHeaders | undefined;
  /**
   * The same for a request that is refused before it is known which service it is for, such as one whose target is too long:
   * the origins that the gateway or any service lists. The refusal contains nothing of a service.
   * @param origin the request's Origin header
   */
  headersOfRefusal(origin: string | undefined): ReplyHeaders | undefined;
  /** The same once the operation of the message is known. */
  headersOf(exchange: Exchange, operation: Operation): ReplyHeaders | undefined;
  /** Whether the exchange is a preflight. */
  isPreflight(exchange: Exchange): boolean;
  /**
   * Headers of the answer to a preflight, from the methods that the path allows and the headers that replies to the
   * exchange carry.
   */
  preflight(exchange: Exchange, allowed: readonly string[]): ReplyHeaders;
}

const EXPOSED = [
  'X-Request-Id',
  'X-Trace-Id',
  'Rows-Truncated',
  'Deprecation',
  'Sunset',
  'Location',
  'ETag',
  'Link',
  'Content-Disposition',
  'WWW-Authenticate',
  'Accept-Ranges',
  'Content-Range',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Idempotency-Replayed',
].join(', ');
const ALLOWED_HEADERS = ['Authorization', 'Content-Type', 'Accept', 'X-Request-Id', 'traceparent', 'tracestate'];
/** Seconds for which a browser may cache a preflight's answer. */
const MAX_AGE = '600';

/** The headers of replies to pages of listed origins. */
type Policy = (origin: string | undefined) => ReplyHeaders | undefined;

/**
 * Compiles `cors:` (`https://app.example`, or `*` for any origin, then without credentials), of each service or else of
 * the gateway.
 */
export function createCors({ gateway, operations, services, schemes }: Registry): Cors {
  const ofGateway = policyOf(gateway.cors);
  const ofServices = new Map<Service, Policy>();
  for (const service of services.values())
    if (service.cors !== undefined) ofServices.set(service, createPolicy(service.cors));
  const ofAny =
    ofServices.size === 0
      ? ofGateway
      : policyOf([...gateway.cors, ...[...services.values()].flatMap(({ cors = [] }) => cors)]);
  const bySegment =
    ofServices.size === 0
      ? new Map<string, Policy>()
      : policiesBySegment([...services.values()].map((service) => [service, ofServices.get(service) ?? ofGateway]));
  const ofMessages =
    ofServices.size === 0 ? ofGateway : createPolicy(originsOfMessages(operations.values(), gateway.cors));
  const bound = [...operations.values()].flatMap(({ requestHeaders }) => requestHeaders.map(({ header }) => header));
  const keys = [...schemes.values()].flatMap((scheme) => (scheme.kind === 'api-key' ? scheme.header : []));
  const repeats = [...operations.values()].some((operation) => onceOf(operation, gateway) !== undefined);
  const named = repeats ? ['Idempotency-Key'] : [];
  const allowedHeaders = [...new Set([...ALLOWED_HEADERS, ...named, ...keys, ...bound])].join(', ');
  return {
    headers: (exchange, service) =>
      (bySegment.size === 0 || service === undefined ? ofGateway : policyFor(bySegment, service, ofAny))(
        originOf(exchange),
      ),
    headersOfMessages: (exchange) => ofMessages(originOf(exchange)),
    headersOfRefusal: ofAny,
    headersOf: (exchange, { service }) => (ofServices.get(service) ?? ofGateway)(originOf(exchange)),
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

const originOf = (exchange: Exchange): string | undefined => exchange.header('origin');

/** Without origins, replies have no CORS headers and do not vary by origin. */
function policyOf(origins: readonly string[]): Policy {
  return origins.length === 0 ? () => undefined : createPolicy(origins);
}

function createPolicy(origins: readonly string[]): Policy {
  // Other origins get no CORS header, but caches must not pass their reply to a page of a listed origin.
  const others: ReplyHeaders = origins.includes('*')
    ? { 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': EXPOSED }
    : {};
  const byOrigin = new Map(origins.map((origin) => [origin, origin === '*' ? others : headersFor(origin)]));
  return (origin = '') => byOrigin.get(origin) ?? others;
}

/** Policies by the first path segments and the contract names of each service. */
function policiesBySegment(policies: readonly (readonly [Service, Policy])[]): ReadonlyMap<string, Policy> {
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

/** Contracts are also found as `LOCATIONS.1`. A misspelt path belongs to no service, and gets a 404. */
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
 * @param input its request; before it is read `undefined`, and then only operations that always write count
 */
export function isWrite({ writes }: Operation, input?: DocumentValue): boolean {
  if (typeof writes === 'boolean') return writes;
  return input !== undefined && writes.some(({ field, value }) => input[field.name] === value);
}

/**
 * Rejects a write that a page of another origin makes a browser send with credentials that the browser adds by itself,
 * such as a stored password or a certificate. CORS alone does not prevent this: a POST without a content type is sent
 * without a preflight, and only its reply is withheld from the page. Keys and tokens are not affected, as only a client
 * that knows them can send them.
 * @throws Fault FORBIDDEN
 */
export function refuseCrossSite(exchange: Exchange, caller: Caller | undefined, { id }: Operation): void {
  if (caller === undefined || !SENT_BY_BROWSERS[caller.scheme.kind]) return;
  if (!isCrossSite(exchange) || exchange.cors?.['Access-Control-Allow-Origin'] !== undefined) return;
  const reason = 'a page of an origin that cors does not list';
  throw Fault.of('FORBIDDEN', { user: 'A page of another origin', what: `operation ${id}` }, { reason });
}

/** Whether a browser adds the credentials of a kind of scheme by itself, whichever page a request is from. */
const SENT_BY_BROWSERS: Readonly<Record<SecurityScheme['kind'], boolean>> = {
  basic: true,
  'client-certificate': true,
  'api-key': false,
  bearer: false,
  'username-token': false,
  signature: false,
  webhook: false,
  hmac: false,
};

/**
 * Whether a browser sends the request for a page of another origin. Decided by Sec-Fetch-Site (W3C Fetch Metadata section
 * 2.1), which browsers add for trustworthy addresses, or else by Origin, which they add to every unsafe request. Other
 * clients send neither.
 */
function isCrossSite(exchange: Exchange): boolean {
  const site = exchange.header('sec-fetch-site');
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  const origin = exchange.header('origin');
  if (origin === undefined) return false;
  return !URL.canParse(origin) || new URL(origin).host !== exchange.header('host')?.toLowerCase();
}
