import { writeProblem } from '../binding/rest/rest.ts';
import { Fault } from '../model/fault.ts';
import type { Registry } from '../model/registry.ts';
import type { Coding } from '../wire/accept-encoding.ts';
import { quote } from '../wire/words.ts';
import { type Cors, createCors } from './exchange/cors.ts';
import type { Exchange } from './exchange/exchange.ts';
import { methodNotAllowed } from './exchange/refuse.ts';
import { respondCoded, respondText, type Sent } from './exchange/respond.ts';
import { compress, select } from './exchange/select.ts';
import type { App } from './hono-app.ts';
import type { Recorder } from './log/record.ts';
import { type Contracts, createContracts } from './page/contracts.ts';
import type { ConnectorPorts } from './stages.ts';

/** The paths that belong to no operation: contracts, the page, health and metrics. */
export interface PlainRoutes {
  readonly plain: Plain;
  readonly contracts: Contracts;
  readonly cors: Cors;
  /** Lets a caller read contracts and the page. @throws Fault UNAUTHENTICATED */
  admit(exchange: Exchange): Promise<void>;
  /**
   * Answers OPTIONS with the methods that a path allows, also to pages of other origins.
   * @param accepted headers that name the media types of requests
   */
  tellAllowed(exchange: Exchange, allowed: readonly string[], accepted?: Readonly<Record<string, string>>): Response;
}

export function createPlainRoutes(
  registry: Registry,
  { record, base, authenticator, throttle }: Pick<ConnectorPorts, 'record' | 'base' | 'authenticator' | 'throttle'>,
): PlainRoutes {
  const plain = createPlain(record);
  const cors = createCors(registry);
  const { gateway } = registry;
  return {
    plain,
    contracts: createContracts(registry, base),
    cors,
    // No credentials are needed, unless `contracts: private` is set.
    async admit(exchange) {
      if (gateway.contracts === 'private') {
        await throttle?.arrive(exchange);
        exchange.caller = await authenticator.authenticate(exchange, gateway.requires);
      }
      exchange.admitted = true;
    },
    tellAllowed(exchange, allowed, accepted = {}) {
      exchange.cors ??= cors.headers(exchange);
      const preflight = cors.isPreflight(exchange) ? cors.preflight(exchange, allowed) : {};
      return plain.text(exchange, 204, '', '', { Allow: allowed.join(', '), ...accepted, ...preflight });
    },
  };
}

/** Methods of the gateway's own paths, which are read-only. */
const READING = ['GET', 'HEAD', 'OPTIONS'];

/** Answers a read-only path. @throws Fault METHOD_NOT_ALLOWED */
function read(
  exchange: Exchange,
  routes: PlainRoutes,
  answer: () => Response | Promise<Response>,
): Response | Promise<Response> {
  const { method } = exchange;
  if (method === 'OPTIONS') return routes.tellAllowed(exchange, READING);
  if (READING.includes(method)) return answer();
  throw methodNotAllowed(method, READING);
}

/** Mounts a read-only path of the gateway's own. */
export function mountReadable(
  app: App,
  path: string,
  routes: PlainRoutes,
  answer: (exchange: Exchange) => Response | Promise<Response>,
): void {
  app.all(
    path,
    app.answering((exchange) => {
      exchange.route = path;
      return read(exchange, routes, () => answer(exchange));
    }),
  );
}

/**
 * Returns a function that sends the contract; `undefined` if the name is not that of a contract.
 * @param compresses whether it is compressed for callers that accept it
 */
export function findContract(
  routes: PlainRoutes,
  exchange: Exchange,
  name: string,
  compresses: boolean,
): (() => Response | Promise<Response>) | undefined {
  const { contracts, plain } = routes;
  const find = contracts.find(name);
  if (find === undefined) return undefined;
  const send = async (): Promise<Response> => {
    await routes.admit(exchange);
    const contract = await find();
    if (contract === undefined) throw Fault.of('NOT_FOUND', { what: `contract ${quote(name)}` });
    return plain.document(exchange, contract.contentType, contract.text, { compresses, isStatic: true });
  };
  return () => read(exchange, routes, send);
}

/** Replies that belong to no operation. */
export interface Plain {
  text(
    exchange: Exchange,
    status: number,
    contentType: string,
    text: string,
    headers?: Readonly<Record<string, string>>,
  ): Response;
  /** The same for a text that may be long; with an `ETag`, requests may be conditional. */
  document(
    exchange: Exchange,
    contentType: string,
    text: string,
    options: DocumentOptions,
  ): Response | Promise<Response>;
  /** A fault, as problem details. */
  fault(exchange: Exchange, fault: Fault): Response;
}

interface DocumentOptions {
  /** Whether it is compressed for callers that accept it. */
  readonly compresses: boolean;
  /** It never changes and is compressed only once. */
  readonly isStatic: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Compresses each text once in each coding. */
function createStaticCompress(): typeof compress {
  const known = new Map<string | Uint8Array, Map<Coding, ReturnType<typeof compress>>>();
  return (text, coding) => {
    const inCodings = known.get(text) ?? new Map<Coding, ReturnType<typeof compress>>();
    known.set(text, inCodings);
    const written = inCodings.get(coding) ?? compress(text, coding);
    inCodings.set(coding, written);
    return written;
  };
}

/** @param record logs each such reply */
function createPlain(record: Recorder): Plain {
  const compressStatic = createStaticCompress();
  const recording =
    (exchange: Exchange, status: number, fault?: Fault): Sent =>
    (bytes, complete) => {
      const { caller } = exchange;
      record(exchange, { operation: undefined, caller, status, bytes, complete, fault });
    };
  const respond = (
    exchange: Exchange,
    status: number,
    given: Readonly<Record<string, string>>,
    text: string,
    fault?: Fault,
  ): Response => respondText(exchange, status, { ...given }, text, recording(exchange, status, fault));
  return {
    text: (exchange, status, contentType, text, headers) =>
      respond(
        exchange,
        status,
        contentType === '' ? { ...headers } : { ...headers, 'Content-Type': contentType },
        text,
      ),
    document(exchange, contentType, text, { compresses, isStatic, headers: given }) {
      const headers = { ...given, 'Content-Type': contentType };
      const content = { contentType, length: Buffer.byteLength(text) };
      const { status, coding } = select(exchange, 200, headers, content, compresses);
      const write = isStatic ? compressStatic : compress;
      return respondCoded(exchange, status, headers, text, recording(exchange, status), coding, write);
    },
    fault(exchange, fault) {
      const { contentType, text } = writeProblem(fault, exchange.requestId);
      const headers = { ...fault.headers, 'Content-Type': contentType, 'X-Trace-Id': exchange.trace.traceId };
      return respond(exchange, fault.status, headers, text, fault);
    },
  };
}
