import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { getRequestListener, RequestError } from '@hono/node-server';
import type { Hono } from 'hono';
import { problemText } from '../binding/problem.ts';
import { Fault } from '../model/fault.ts';
import type { Limits } from '../model/gateway.ts';
import { problemMediaType } from '../wire/problem.ts';
import type { GatewayEnv } from './exchange.ts';
import type { Log } from './log.ts';
import { requestIdOf } from './request-id.ts';
import { checkTarget } from './target.ts';
import { type ParserError, refuseTunnel, refuseUnread, replyUnderway } from './unread.ts';

/** Request line and headers together, in bytes; a target of 64 KiB leaves as much for headers. */
const MAX_HEADER_SIZE = 128 * 1024;
/** Milliseconds for a request's headers to arrive; a body has an idle limit instead, as transfers may take long. */
const HEADERS_TIMEOUT = 20_000;
const KEEP_ALIVE_TIMEOUT = 5_000;

/** An HTTP server, and its orderly end. */
export interface HttpServer {
  readonly server: Server;
  /** Takes no more connections, lets running requests finish for at most `timeoutMs`, then cuts them. */
  close(timeoutMs: number): Promise<void>;
}

/**
 * The gateway's HTTP server, not yet listening.
 * @param idleTimeout milliseconds without a byte after which a transfer is given up
 */
export function createHttpServer(app: Hono<GatewayEnv>, limits: Limits, log: Log, idleTimeout: number): HttpServer {
  const answer = getRequestListener(app.fetch, {
    hostname: 'localhost',
    // Refused below, where the request is at hand.
    errorHandler: (error) => {
      throw error;
    },
  });
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_SIZE,
      headersTimeout: HEADERS_TIMEOUT,
      requestTimeout: 0,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT,
      connectionsCheckingInterval: 1_000,
      // Node would refuse what lacks one without a body.
      requireHostHeader: false,
    },
    (incoming, outgoing) => {
      const fault = accept(incoming, limits.target);
      if (fault === undefined) answer(incoming, outgoing).catch((error) => refuse(incoming, outgoing, error, log));
      else refuse(incoming, outgoing, fault, log);
    },
  );
  server.timeout = idleTimeout;
  server.on('timeout', closeStalled);
  server.on('clientError', (error: ParserError, socket: Socket) => refuseUnread(error, socket, log));
  server.on('connect', (incoming, connection) => refuseTunnel(incoming, connection, log));
  // Node would refuse it without a body.
  server.on('checkExpectation', (incoming, outgoing) => server.emit('request', incoming, outgoing));
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return { server, close: (timeoutMs) => close(server, sockets, timeoutMs) };
}

/** Node's own closeIdleConnections leaves those on which nothing was asked yet, which browsers open in advance. */
function close(server: Server, sockets: ReadonlySet<Socket>, timeoutMs: number): Promise<void> {
  const endIdle = (): void => {
    for (const socket of sockets) if (replyUnderway(socket) === undefined) socket.destroySoon();
  };
  return new Promise((resolve) => {
    const idle = setInterval(endIdle, 50);
    const limit = setTimeout(() => server.closeAllConnections(), timeoutMs);
    server.close(() => {
      clearInterval(idle);
      clearTimeout(limit);
      resolve();
    });
    endIdle();
  });
}

/** Ends a connection on which nothing moves any more, unless the gateway is the one that is waited for. */
function closeStalled(socket: Socket): void {
  const reply = replyUnderway(socket);
  if (reply === undefined || reply.headersSent) socket.destroy();
}

/** Checks the head of a request, and leaves its target in origin form: what is routed is what was checked. */
function accept(incoming: IncomingMessage, limit: number): Fault | undefined {
  const { method, url = '', headers } = incoming;
  try {
    checkHost(incoming);
    if (headers.expect !== undefined && headers.expect.toLowerCase() !== '100-continue')
      throw Fault.of('BAD_REQUEST', { reason: 'its Expect header is not 100-continue' });
    // A question about the whole server (`OPTIONS *`) is answered like one about the page.
    incoming.url = url === '*' && method === 'OPTIONS' ? '/' : checkTarget(url, headers.host, limit);
    return undefined;
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
}

/** RFC 9112 section 3.2: one Host header; HTTP/1.0 may do without. */
function checkHost({ rawHeaders, httpVersion }: IncomingMessage): void {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  if (hosts > 1) throw Fault.of('BAD_REQUEST', { reason: 'it has more than one Host header' });
  if (hosts === 0 && httpVersion === '1.1') throw Fault.of('BAD_REQUEST', { reason: 'it has no Host header' });
}

/** Answers what does not reach the app. */
function refuse(incoming: IncomingMessage, outgoing: ServerResponse, error: unknown, log: Log): void {
  const fault = faultOf(error);
  const requestId = requestIdOf(incoming.headers['x-request-id'] as string | undefined);
  const { method } = incoming;
  if (fault.status >= 500) log.error({ requestId, err: error }, fault.message);
  log.info({ requestId, method, status: fault.status, fault: fault.code, remote: incoming.socket.remoteAddress });
  const text = problemText(fault, requestId);
  outgoing.writeHead(fault.status, {
    'Content-Type': problemMediaType,
    'Content-Length': Buffer.byteLength(text),
    'X-Request-Id': requestId,
    Connection: 'close',
  });
  outgoing.end(text);
}

function faultOf(error: unknown): Fault {
  if (error instanceof Fault) return error;
  // The adapter makes a URL of target and Host header, of which the target was checked.
  if (error instanceof RequestError) return Fault.of('BAD_REQUEST', { reason: 'its Host header is not a host' });
  return Fault.of('INTERNAL', { operation: 'The request' });
}
