import { Fault } from '../../model/fault.ts';
import type { Rate } from '../../model/gateway.ts';
import type { Registry } from '../../model/registry.ts';
import type { User } from '../../model/security.ts';
import type { Operation } from '../../model/service.ts';
import { addressKey, type RateLimiter, type RateLimits, type Standing } from '../../security/rate-limit.ts';
import { NO_CREDENTIALS } from '../../security/security-port.ts';
import { duration } from '../../wire/duration.ts';
import type { Limited } from '../log/readings.ts';
import type { Exchange } from './exchange.ts';

/**
 * Limits how often, and how many at the same time, operations are called. An operation uses its own rate, else its
 * service's, and its calls are counted separately. All operations without either share the gateway's rate.
 *
 * Rates by address are counted before credentials are checked. Rates by caller, and for all callers together, are counted
 * once the caller is authorised, so no caller can use up the calls of another. Rejected credentials are always counted by
 * address, under the gateway's rate if it has one: an address that exceeds it is rejected whatever it sends next.
 */
export interface Throttle {
  /** Checks that need no credentials. @throws Fault TOO_MANY_REQUESTS */
  arrive(exchange: Exchange, operation?: Operation): void | Promise<void>;
  /** Counts a call of an authorised caller. @throws Fault TOO_MANY_REQUESTS, UNAVAILABLE */
  enter(exchange: Exchange, operation: Operation, user: User | undefined): void | Promise<void>;
  /** Counts rejected credentials, once per exchange, and nothing if none were sent. @returns the fault to reply with */
  refused(exchange: Exchange, operation: Operation | undefined, fault: Fault): Promise<Fault>;
  /** How often each rate refused calls. */
  limited(): Iterable<Limited>;
}

/** A rate and the counter that it uses. */
interface Bound {
  readonly limiter: RateLimiter;
  readonly by: Rate['by'];
  /** The scope of the rate: the id of the gateway or of an operation. */
  readonly name: string;
  /** The policy field of draft-ietf-httpapi-ratelimit-headers, sections 3 and 4. It is the same in every reply. */
  readonly policy: string;
  /** Calls that it refused. */
  count: number;
}

interface Bounds {
  readonly rate?: Bound;
  readonly places: readonly Places[];
}

/** Whether the definitions declare any rate. */
export function hasRates({ gateway, operations }: Registry): boolean {
  return gateway.limits.rate !== undefined || [...operations.values()].some(({ limits }) => limits.rate !== undefined);
}

/**
 * Compiles the bounds of every operation; `undefined` when none is declared.
 * @param rates the counters, if any rate is declared
 */
export function createThrottle({ gateway, operations }: Registry, rates: RateLimits | undefined): Throttle | undefined {
  const bound = (name: string, rate: Rate | undefined, kind = ''): Bound | undefined =>
    rate === undefined || rates === undefined ? undefined : boundOf(name, rate, rates.limiter(`${kind}${name}`, rate));
  const placesOf = (what: string, most: number | undefined): Places[] =>
    most === undefined ? [] : [{ what, most, taken: 0 }];
  // A gateway and an operation can have the same id.
  const ofGateway = bound(gateway.id, gateway.limits.rate, 'gateway ');
  const shared = placesOf('of this gateway', gateway.limits.concurrent);
  const all = new Map<Operation, Bounds>();
  for (const operation of operations.values()) {
    const rate = bound(operation.id, operation.limits.rate) ?? ofGateway;
    const places = [...shared, ...placesOf(`of ${operation.id}`, operation.limits.concurrent)];
    if (rate !== undefined || places.length > 0)
      all.set(operation, { places, ...(rate === undefined ? {} : { rate }) });
  }
  return all.size === 0 && ofGateway === undefined ? undefined : throttleOf(all, ofGateway);
}

function throttleOf(all: ReadonlyMap<Operation, Bounds>, ofGateway: Bound | undefined): Throttle {
  const refusedOnce = new WeakSet<Exchange>();
  const rateOf = (operation: Operation | undefined): Bound | undefined =>
    operation === undefined ? undefined : all.get(operation)?.rate;
  return {
    arrive(exchange, operation) {
      const own = rateOf(operation);
      const guard = ofGateway ?? own;
      if (guard === undefined) return undefined;
      const standing = guard.limiter.shut(guardKey(guard, exchange));
      if (standing !== undefined) throw tell(exchange, guard, standing);
      return own?.by === 'address' ? count(exchange, own, addressOf(exchange)) : undefined;
    },
    enter(exchange, operation, user) {
      const bounds = all.get(operation);
      if (bounds === undefined) return undefined;
      const { rate, places } = bounds;
      if (rate === undefined || rate.by === 'address') return occupy(exchange, places);
      const key = rate.by === 'all' ? 'all' : user === undefined ? addressOf(exchange) : `user ${user.id}`;
      return count(exchange, rate, key).then(() => occupy(exchange, places));
    },
    *limited() {
      const bounds = [ofGateway, ...[...all.values()].map(({ rate }) => rate)].filter((each) => each !== undefined);
      for (const { name: rule, by, count: refusals } of new Set(bounds)) yield { rule, by, count: refusals };
    },
    async refused(exchange, operation, fault) {
      const own = rateOf(operation);
      const guard = ofGateway ?? own;
      // A rate by address has already counted the call, if its operation was known then.
      const isCounted = guard === own && own?.by === 'address' && exchange.limits !== undefined;
      if (guard === undefined || isCounted || fault.reason === NO_CREDENTIALS || refusedOnce.has(exchange))
        return fault;
      refusedOnce.add(exchange);
      const standing = await guard.limiter.take(guardKey(guard, exchange));
      return standing.exceeded ? tell(exchange, guard, standing, fault.reason) : fault;
    },
  };
}

/**
 * Calls with rejected credentials belong to no caller: they are counted separately, unless all calls of an address are
 * counted.
 */
function guardKey({ by }: Bound, exchange: Exchange): string {
  return by === 'address' ? addressOf(exchange) : `refused ${addressOf(exchange)}`;
}

const addressOf = ({ remote }: Exchange): string => `address ${addressKey(remote)}`;

async function count(exchange: Exchange, bound: Bound, key: string): Promise<void> {
  const standing = await bound.limiter.take(key);
  if (standing.exceeded) throw tell(exchange, bound, standing);
  show(exchange, bound, standing);
}

/** Adds the number of calls left to the reply. As Structured Fields (RFC 9651), both headers are lists of one String. */
function show(exchange: Exchange, { name, policy }: Bound, { remaining, reset }: Standing): void {
  exchange.limits = { RateLimit: `"${name}";r=${remaining};t=${reset}`, 'RateLimit-Policy': policy };
}

function tell(exchange: Exchange, bound: Bound, standing: Standing, reason?: string): Fault {
  show(exchange, bound, standing);
  bound.count += 1;
  const { reset } = standing;
  const why = `rate of ${bound.name} by ${bound.by}`;
  return Fault.of(
    'TOO_MANY_REQUESTS',
    { what: bound.name, time: duration(1000 * reset) },
    { headers: { 'Retry-After': String(reset) }, reason: reason === undefined ? why : `${reason}; ${why}` },
  );
}

function boundOf(name: string, rate: Rate, limiter: RateLimiter): Bound {
  const seconds = Math.max(Math.ceil(rate.per / 1000), 1);
  const policy = `"${name}";q=${rate.requests};w=${seconds}`;
  return { limiter, by: rate.by, name, policy, count: 0 };
}

/** Slots for calls that run at the same time. */
interface Places {
  /** Their owner, for messages: `of LOCATIONS_GET`. */
  readonly what: string;
  readonly most: number;
  taken: number;
}

/**
 * Takes one slot of each for a call, until its reply was sent or its caller has disconnected.
 * @throws Fault UNAVAILABLE when one has no free slot; then none is taken
 */
function occupy(exchange: Exchange, all: readonly Places[]): void {
  if (all.length === 0) return;
  for (const { what, most, taken } of all) if (taken >= most) throw full(what);
  for (const places of all) places.taken += 1;
  let isFree = false;
  exchange.whenOver(() => {
    if (isFree) return;
    isFree = true;
    for (const places of all) places.taken -= 1;
  });
}

function full(what: string): Fault {
  return Fault.of(
    'UNAVAILABLE',
    { reason: `the limit of concurrent calls ${what} is reached` },
    { headers: { 'Retry-After': '1' }, reason: `concurrent calls ${what}` },
  );
}
