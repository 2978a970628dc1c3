import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createServer as createNetServer, type Server as NetServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { getRequestListener, HttpBindings } from '@hono/node-server';
import { writeProblem } from '../../binding/rest/rest.ts';
import { Fault } from '../../model/fault.ts';
import type { Limits } from '../../model/gateway.ts';
import { continueTrace, idsOf, type Trace } from '../../trace/trace.ts';
import { requestIdOf } from '../exchange/exchange.ts';
import { unaccountable } from '../exchange/refuse.ts';
import { GatewayError } from '../gateway-error.ts';
import type { App } from '../hono-app.ts';
import type { Log } from '../log/log.ts';
import type { Metrics } from '../log/metrics.ts';
import { refusedLine } from '../log/record.ts';
import type { Address, PassedPort } from '../start/address.ts';
import type { Safeguards } from '../start/safeguards.ts';
import { Connections, latestReply, replyBefore, replyUnderway } from './connections.ts';
import { awaitsContinue, checkHead, endsConnection } from './head.ts';
import { IN_USE, inUse } from './port-holder.ts';
import { type Proxies, peerOf } from './remote.ts';
import { endHandshake, isOfTls, type OpenTls } from './tls.ts';

/** Bytes of request line and headers together; with a target of 64 KiB, as much remains for headers. */
const MAX_HEADER_SIZE = 128 * 1024;
/** Milliseconds for a request's headers to arrive. Bodies have an idle limit instead, as transfers may take long. */
const HEADERS_TIMEOUT = 20_000;
/**
 * Milliseconds for which an idle connection is kept. Longer than proxies keep theirs (nginx and AWS 60 s, Go and Traefik 90 s,
 * Caddy 2 min): the one that closes first never closes a connection on which the other has just sent a request.
 */
const KEEP_ALIVE_TIMEOUT = 125_000;

/** An HTTP server that can be shut down gracefully. */
interface HttpServer {
  readonly server: Server;
  readonly connections: Connections;
  /** Stops accepting connections, lets running requests finish for at most `timeoutMs`, then closes the rest. */
  close(timeoutMs: number): Promise<void>;
}

interface HttpServerOptions {
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'refused'>;
  /** Milliseconds without a byte after which a transfer is aborted. */
  readonly idleTimeout: number;
  /** Milliseconds within which the head of a request must arrive; 20 s. */
  readonly headersTimeout?: number | undefined;
  /** TLS of its own address, if configured. */
  readonly tls?: OpenTls | undefined;
  /** The proxies in front of it. */
  readonly proxies?: Proxies | undefined;
}

/** What answers the requests of a server. */
export type Answering = Pick<App, 'fetch' | 'writes' | 'corsOfRefusal'>;

/** The gateway's HTTP server, not yet listening. */
export function createHttpServer(
  app: Answering,
  limits: Limits,
  { audit, auditFile }: Pick<Safeguards, 'audit' | 'auditFile'>,
  { log, metrics, idleTimeout, headersTimeout = HEADERS_TIMEOUT, tls, proxies }: HttpServerOptions,
): HttpServer {
  const logs = { log, audit, metrics, proxies, cors: app.corsOfRefusal };
  const settings = {
    maxHeaderSize: MAX_HEADER_SIZE,
    headersTimeout,
    requestTimeout: 0,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT,
    connectionsCheckingInterval: Math.min(1_000, headersTimeout / 2),
    // Node would reply without a body when it is missing.
    requireHostHeader: false,
    // Without it, the stream of a body that is not there is opened, read and closed.
    optimizeEmptyRequests: true,
  };
  const listener = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    if (!connections.begin(incoming, outgoing)) return;
    const fault = checkHead(incoming, limits.target) ?? unaccountable(auditFile);
    if (fault !== undefined) {
      connections.endAfter(outgoing);
      refuse(incoming, outgoing, fault, logs);
      return;
    }
    if (endsConnection(incoming)) connections.endAfter(outgoing);
    const answered = app.writes(incoming.url ?? '') ? written(app, incoming, outgoing) : web(incoming, outgoing);
    if (answered instanceof Promise) answered.catch((error: unknown) => refuse(incoming, outgoing, error, logs));
  };
  const web = webListener(app);
  const secure = tls === undefined ? undefined : createTlsServer({ ...settings, ...tls.options }, listener);
  const server: Server = secure ?? createServer(settings, listener);
  const connections = new Connections(server);
  const unfollow = secure === undefined ? undefined : tls?.follow(secure);
  server.timeout = idleTimeout;
  server.on('timeout', closeStalled);
  server.on('clientError', (error: ParserError, socket: Socket) => {
    if (isOfTls(error)) endHandshake(error, socket, log);
    else refuseUnread(error, socket, logs);
  });
  server.on('connect', (incoming, connection) => refuseTunnel(incoming, connection, logs));
  // Node would reply without a body.
  server.on('checkExpectation', (incoming, outgoing) => server.emit('request', incoming, outgoing));
  // Node would request the body at once; the exchange requests it when it reads it. After a reply without that, Node closes the
  // connection.
  server.on('checkContinue', (incoming, outgoing) => server.emit('request', incoming, outgoing));
  return {
    server,
    connections,
    close(timeoutMs) {
      unfollow?.();
      return connections.close(timeoutMs);
    },
  };
}

/** Answers a request on Node's own objects. */
function written(app: Answering, incoming: IncomingMessage, outgoing: ServerResponse): unknown {
  const { method, url } = incoming;
  // Hono reads no more of a request than this. The exchange knows by itself that the reply to HEAD has no body.
  const request = { method: method === 'HEAD' ? 'GET' : method, url: `http://localhost${url}` };
  return app.fetch(request as Request, { incoming, outgoing, isWritten: true, isChecked: true });
}

/** Answers requests by a Request and a Response. The adapter loads with the first of them: most gateways answer calls only. */
function webListener(app: Answering): (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void> {
  let listener: Promise<ReturnType<typeof getRequestListener>> | undefined;
  return async (incoming, outgoing) => {
    listener ??= import('@hono/node-server').then((adapter) =>
      adapter.getRequestListener(
        (request, env) => app.fetch(request, { ...(env as HttpBindings), request, isChecked: true }),
        {
          // Replies end when the rest of their requests has come.
          autoCleanupIncoming: false,
          overrideGlobalObjects: false,
          // Of requests in HTTP/1.0, which may name none.
          hostname: 'localhost',
        },
      ),
    );
    if (awaitsContinue(incoming)) askWhenRead(incoming, outgoing);
    await (await listener)(incoming, outgoing);
  };
}

/** Asks a caller for the body when something begins to read it, and not after a reply. */
function askWhenRead(incoming: IncomingMessage, outgoing: ServerResponse): void {
  const ask = (event: string | symbol): void => {
    if (event !== 'data' && event !== 'readable') return;
    incoming.off('newListener', ask);
    if (!outgoing.headersSent) outgoing.writeContinue();
  };
  incoming.on('newListener', ask);
}

/**
 * Closes a connection on which nothing has moved for too long, unless the caller is waiting for a reply to begin. A process that
 * was held up itself runs its timers before it reads what has arrived meanwhile.
 */
function closeStalled(socket: Socket): void {
  const { bytesRead, bytesWritten } = socket;
  setImmediate(() => {
    if (socket.bytesRead !== bytesRead || socket.bytesWritten !== bytesWritten) return;
    const reply = replyUnderway(socket);
    if (reply === undefined || reply.headersSent) socket.destroy();
  });
}

/** Replies to a request that does not reach the app. */
function refuse(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  error: unknown,
  ports: RefusalPorts & { readonly log: Log },
): void {
  const fault = error instanceof Fault ? error : Fault.of('INTERNAL', { operation: 'The request' });
  const { trace, text, headers } = refusalOf(fault, incoming.socket, incoming, ports);
  if (!(error instanceof Fault) && fault.status >= 500) ports.log.error({ ...idsOf(trace), err: error }, fault.message);
  outgoing.writeHead(fault.status, headers).end(text);
}

/** Starts listening. @returns the actual address, with the assigned port if 0 was requested. @throws GatewayError */
export function listenAt(server: NetServer, at: Address | PassedPort): Promise<Address> {
  const where = 'fd' in at ? 'the port that the service manager passes' : `${at.host}:${at.port}`;
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      if (cause.code === 'EADDRINUSE') {
        reject(new GatewayError(inUse(where, 'port' in at ? at.port : undefined), { hint: IN_USE, cause }));
      } else {
        const hint = 'HOST, or listen: of gateway.yaml, is an address of this machine; 0.0.0.0 means all of them.';
        const isAddress = cause.code === 'EADDRNOTAVAIL' || cause.syscall === 'getaddrinfo';
        reject(
          new GatewayError(`can't listen on ${where}: ${cause.message}`, { cause, ...(isAddress ? { hint } : {}) }),
        );
      }
    });
    server.listen(at, () => {
      const bound = server.address();
      if (bound === null || typeof bound === 'string') {
        const hint = 'Give ListenStream= of the socket unit a port, as in 127.0.0.1:8080.';
        reject(new GatewayError('the socket that the service manager passes is not a TCP port', { hint }));
      } else resolve({ host: 'host' in at && at.host === 'localhost' ? at.host : bound.address, port: bound.port });
    });
  });
}

/**
 * Checks that a gateway can listen at an address, by listening there for a moment. A start checks it before it migrates the
 * database, which another gateway may be using.
 * @throws GatewayError
 */
export async function requireFree(at: Address): Promise<void> {
  if (at.port === 0) return;
  const server = createNetServer((socket) => socket.destroy());
  await listenAt(server, at);
  await new Promise((resolve) => server.close(resolve));
}

/** The error of Node's parser for bytes that are not valid HTTP. */
interface ParserError extends NodeJS.ErrnoException {
  readonly rawPacket?: Buffer;
  /** Offset in the packet at which it stopped. */
  readonly bytesParsed?: number;
  readonly reason?: string;
}

interface RefusalPorts {
  /** Headers for pages of other origins, by the Origin header. */
  readonly cors: App['corsOfRefusal'];
  readonly audit: Log;
  readonly metrics: Pick<Metrics, 'refused'>;
  /** The proxies in front of the gateway. */
  readonly proxies: Proxies | undefined;
}

/** Acts once a reply, and all replies before it, have been sent; immediately if none is pending. */
function afterReply(reply: ServerResponse | undefined, act: () => void): void {
  if (reply === undefined || reply.writableFinished) act();
  else reply.once('close', act);
}

/** Connections whose bytes were rejected: the parser reports everything that follows too. */
const refused = new WeakSet<Socket>();

/**
 * Rejects bytes that Node's parser can't read. They never become a request, or they interrupt one. The reply, which has a
 * body, is sent after all pending replies, then the connection is closed.
 */
function refuseUnread(error: ParserError, socket: Socket, ports: RefusalPorts): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  if (refused.has(socket)) return;
  refused.add(socket);
  const last = latestReply(socket);
  const broken = last === undefined || last.req.complete || last.writableFinished ? undefined : last;
  afterReply(broken === undefined ? last : replyBefore(broken), () => {
    if (broken?.writableEnded === true) socket.destroySoon();
    else if (broken?.headersSent === true) socket.destroy();
    if (!socket.writable) return;
    const fault = parserFault(error);
    writeFault(socket, fault, broken?.req, ports, {
      reason: error.code,
      ...(broken === undefined ? { origin: originOfUnread(error) } : {}),
    });
    // Code that waits for the rest of the request learns from the connection's error that the request was answered and
    // logged.
    socket.once('finish', () => socket.destroy(broken === undefined ? undefined : fault));
  });
}

/** Rejects CONNECT, which would take over the raw connection: a gateway is not a tunnel. */
function refuseTunnel(incoming: IncomingMessage, connection: Duplex, ports: RefusalPorts): void {
  // Node no longer handles this connection, so its errors have to be handled here.
  connection.on('error', () => connection.destroy());
  afterReply(latestReply(connection), () => {
    if (!connection.writable) return;
    writeFault(connection, Fault.of('UNKNOWN_METHOD', { method: 'CONNECT' }), incoming, ports);
    connection.once('finish', () => connection.destroy());
  });
}

/** Writes a whole reply directly to the connection. */
function writeFault(
  connection: Duplex,
  fault: Fault,
  incoming: IncomingMessage | undefined,
  ports: RefusalPorts,
  unread?: Unread,
): void {
  const { text, headers } = refusalOf(fault, connection, incoming, ports, unread);
  const { status } = fault;
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  connection.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...head, '', text].join('\r\n'));
}

/** The sender of the bytes. A trusted proxy names its caller in headers, but these may never have arrived. */
function callerOf(
  connection: Duplex,
  incoming: IncomingMessage | undefined,
  proxies: Proxies | undefined,
): { readonly remote?: string | undefined; readonly proxy?: string } {
  if (incoming !== undefined) return { remote: peerOf(incoming, proxies).address };
  const { remoteAddress: address } = connection as Socket;
  return address !== undefined && proxies?.trust(address) === true ? { proxy: address } : { remote: address };
}

function parserFault(error: ParserError): Fault {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return Fault.of('HEADERS_TOO_LARGE', {});
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return Fault.of('REQUEST_TIMEOUT', {});
    case 'HPE_PAUSED_H2_UPGRADE':
      return Fault.of('VERSION_NOT_SUPPORTED', {});
    case 'HPE_INVALID_METHOD': {
      const method = /^[A-Z]{1,20}(?= )/.exec(lineOf(error))?.[0];
      if (method !== undefined) return Fault.of('UNKNOWN_METHOD', { method });
      return Fault.of('BAD_REQUEST', { reason: 'it does not start with a method' });
    }
    default: {
      // A well-formed but unsupported version; a malformed one has other reasons.
      if (error.reason === 'Invalid HTTP version') return Fault.of('VERSION_NOT_SUPPORTED', {});
      const reason = error.reason?.replace(/[^ -~]/g, '?') ?? 'it is not HTTP/1.1';
      // The first word is lower-cased to continue our sentence; a name such as Content-Length keeps its case.
      return Fault.of('BAD_REQUEST', { reason: reason.replace(/^[A-Z](?=[a-z]+ )/, (first) => first.toLowerCase()) });
    }
  }
}

/** What is known of a request that the parser could not read. */
interface Unread {
  /** For the audit log. */
  readonly reason?: string | undefined;
  readonly origin?: string | undefined;
}

/**
 * The Origin header of the request at which the parser stopped, as far as the last packet contains it: a browser shows a page
 * the refusal only if it is allowed to. A large head may have come in several packets.
 */
function originOfUnread({ rawPacket, bytesParsed = 0 }: ParserError): string | undefined {
  if (rawPacket === undefined) return undefined;
  const before = bytesParsed === 0 ? -1 : rawPacket.lastIndexOf('\r\n\r\n', bytesParsed - 1);
  const end = rawPacket.indexOf('\r\n\r\n', Math.max(before + 4, bytesParsed));
  const head = rawPacket.subarray(before < 0 ? 0 : before + 4, end < 0 ? undefined : end).toString('latin1');
  return /^origin:[ \t]*([!-~]+)[ \t]*$/im.exec(head)?.[1];
}

/** The beginning of the line at which the parser stopped. The packet may contain earlier requests that were read. */
function lineOf({ rawPacket = Buffer.alloc(0), bytesParsed = 0 }: ParserError): string {
  const start = bytesParsed === 0 ? 0 : rawPacket.lastIndexOf('\n', bytesParsed - 1) + 1;
  return rawPacket.subarray(start, start + 21).toString('latin1');
}

/**
 * Builds and logs the reply to a request that never reaches the app: problem details, after which the connection is
 * closed.
 */
function refusalOf(
  fault: Fault,
  connection: Duplex,
  incoming: IncomingMessage | undefined,
  { audit, metrics, proxies, cors }: RefusalPorts,
  { reason, origin = incoming?.headers.origin }: Unread = {},
): { readonly trace: Trace; readonly text: string; readonly headers: Readonly<Record<string, string>> } {
  const trace = traceOf(incoming);
  const { requestId } = trace;
  const { contentType, text } = writeProblem(fault, requestId);
  const bytes = Buffer.byteLength(text);
  const allowed = cors(origin);
  metrics.refused(fault);
  const { method } = incoming ?? {};
  audit.info(refusedLine(fault, { ...callerOf(connection, incoming, proxies), trace, method, bytes, reason }));
  audit.settle();
  const headers = {
    'Content-Type': contentType,
    'Content-Length': String(bytes),
    'X-Request-Id': requestId,
    ...fault.headers,
    ...(allowed === undefined ? {} : { ...allowed, Vary: 'Origin' }),
    Connection: 'close',
  };
  return { trace, text, headers };
}

function traceOf(incoming: IncomingMessage | undefined): Trace {
  const { 'x-request-id': id, traceparent, tracestate } = incoming?.headers ?? {};
  return continueTrace({
    requestId: requestIdOf(id as string | undefined),
    traceparent: traceparent as string | undefined,
    tracestate: tracestate as string | undefined,
  });
}
