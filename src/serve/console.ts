import type { Console, ConsoleAction, ConsoleRequest, InnerRequest } from '../console/index.ts';
import { Fault } from '../model/fault.ts';
import type { Registry } from '../model/registry.ts';
import type { Caller } from '../security/security-port.ts';
import { idsOf, traceparentOf } from '../trace/trace.ts';
import type { Pace } from './exchange/body.ts';
import type { Exchange } from './exchange/exchange.ts';
import { methodNotAllowed } from './exchange/refuse.ts';
import { respondBytes, respondCoded } from './exchange/respond.ts';
import { selectCoding } from './exchange/select.ts';
import type { App } from './hono-app.ts';
import type { Log } from './log/log.ts';
import type { Recorder } from './log/record.ts';

/** Bytes of a form; files of the pages that call operations are part of it. */
const LARGEST_FORM = 32 * 1024 * 1024;

const METHODS = ['GET', 'HEAD', 'POST'];

/** Resolves to the console, which is loaded at its first request: a start does not wait for its pages. */
export type OpenConsole = () => Promise<Console>;

interface ConsolePathPorts {
  readonly record: Recorder;
  readonly log: Log;
  readonly pace: Pace;
  readonly open: OpenConsole;
  /** The gateway whose operations the console calls. */
  readonly operations: Pick<App, 'fetch'>;
  readonly registry: Registry;
}

/** Mounts the operator's pages at /console. */
export function mountConsole(app: App, ports: ConsolePathPorts): void {
  const answer = app.answering((exchange) => respond(exchange, ports));
  app.all('/console', answer);
  app.all('/console/*', answer);
}

async function respond(
  exchange: Exchange,
  { record, log, pace, open, registry, operations }: ConsolePathPorts,
): Promise<Response> {
  exchange.route = '/console';
  const { method } = exchange;
  if (!METHODS.includes(method)) throw methodNotAllowed(method, METHODS);
  let action: ConsoleAction | undefined;
  let refusal: Fault | undefined;
  const request: ConsoleRequest = {
    id: exchange.requestId,
    method: method === 'POST' ? 'POST' : 'GET',
    path: exchange.path.slice('/console'.length),
    query: exchange.query,
    header: (name) => exchange.header(name),
    body: (limit = LARGEST_FORM) => exchange.body({ size: limit, pace }).bytes(),
    // To a browser this machine counts as secure by its name alone: not under another one, as behind a tunnel.
    secure:
      exchange.secure &&
      (registry.gateway.tls !== undefined || !exchange.local || isLoopbackHost(exchange.header('host'))),
    remote: exchange.remote,
    gone: exchange.gone,
    call: (inner) => callFor(operations, exchange, inner),
    caller(user, done) {
      exchange.caller = { user, scheme: SESSION };
      exchange.admitted = true;
      action = done;
    },
    failed(error) {
      refusal = error instanceof Fault ? error : Fault.of('INTERNAL', { operation: 'The page' });
      if (refusal !== error) log.error({ ...idsOf(exchange.trace), err: error }, refusal.message);
      return refusal;
    },
  };
  const { status, headers: given, body, dispose, compresses } = await (await open()).answer(request);
  const headers = { ...given };
  const sent = (bytes: number, complete: boolean): void => {
    const { caller } = exchange;
    record(exchange, { operation: undefined, caller, status, bytes, complete, fault: refusal, action });
  };
  if (typeof body === 'string' || body instanceof Uint8Array) {
    const content = { contentType: headers['Content-Type'] ?? '', length: Buffer.byteLength(body) };
    const coding = compresses ? selectCoding(exchange, headers, content) : undefined;
    return respondCoded(exchange, status, headers, body, sent, coding);
  }
  const failed = (err: unknown): void => log.error({ err }, 'The rest of a page could not be sent.');
  return respondBytes(
    exchange,
    status,
    headers,
    { body: () => body, length: undefined, ...(dispose && { dispose }) },
    sent,
    failed,
  );
}

/** Makes a call for a signed-in user: it passes through the stages of its connector, as one that comes over a socket. */
async function callFor(
  operations: ConsolePathPorts['operations'],
  exchange: Exchange,
  { user, method, target, headers, body }: InnerRequest,
): ReturnType<ConsoleRequest['call']> {
  const request = new Request(`http://localhost${target}`, {
    ...{ method, body: (body as Uint8Array<ArrayBuffer> | undefined) ?? null, signal: exchange.gone },
    headers: { traceparent: traceparentOf(exchange.trace), ...headers },
  });
  const began = performance.now();
  const vouched = { caller: { user, scheme: SESSION }, via: 'console', peer: exchange.peer } as const;
  const reply = await operations.fetch(request, { vouched, tracer: exchange.trace.tracer });
  return {
    status: reply.status,
    headers: Object.fromEntries(reply.headers),
    body: (reply.body as AsyncIterable<Uint8Array> | null) ?? nothing(),
    ms: performance.now() - began,
  };
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

const isLoopbackHost = (host = ''): boolean =>
  /^(?:localhost|[a-z0-9-]+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i.test(host);

/** The scheme in the audit log: the session of a browser. */
const SESSION: Caller['scheme'] = { id: 'session', kind: 'basic' };
