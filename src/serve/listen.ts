import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';
import { problemText } from '../binding/problem.ts';
import { Fault } from '../model/fault.ts';
import type { Limits } from '../model/gateway.ts';
import { problemMediaType } from '../wire/problem.ts';
import type { NodeBindings } from './exchange.ts';
import type { Log } from './log.ts';
import { requestIdOf } from './request-id.ts';
import { checkTarget } from './target.ts';

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
export function createHttpServer(
  app: Hono<{ Bindings: NodeBindings }>,
  limits: Limits,
  log: Log,
  idleTimeout: number,
): HttpServer {
  const answer = getRequestListener(app.fetch, { hostname: 'localhost', errorHandler: () => badHost() });
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_SIZE,
      headersTimeout: HEADERS_TIMEOUT,
      requestTimeout: 0,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT,
      connectionsCheckingInterval: 1_000,
    },
    (incoming, outgoing) => {
      const fault = acceptTarget(incoming, limits.target);
      if (fault === undefined) void answer(incoming, outgoing);
      else refuse(incoming, outgoing, fault, log);
    },
  );
  server.timeout = idleTimeout;
  server.on('timeout', closeStalled);
  server.on('clientError', (error: NodeJS.ErrnoException & { rawPacket?: Buffer }, socket: Socket) => {
    refuseUnread(error, socket, log);
  });
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

/** The reply that a connection is waiting for or taking; Node keeps no public hold on it. */
function replyUnderway(socket: Socket): ServerResponse | undefined {
  return (socket as Socket & { _httpMessage?: ServerResponse | null })._httpMessage ?? undefined;
}

/** Checks the target, and leaves it in origin form: what is routed is what was checked. */
function acceptTarget(incoming: IncomingMessage, limit: number): Fault | undefined {
  try {
    // A preflight for the whole server (`OPTIONS *`) is answered like one for the page.
    if (incoming.url === '*' && incoming.method === 'OPTIONS') incoming.url = '/';
    else incoming.url = checkTarget(incoming.url ?? '', incoming.headers.host, limit);
    return undefined;
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
}

function refuse(incoming: IncomingMessage, outgoing: ServerResponse, fault: Fault, log: Log): void {
  const requestId = requestIdOf(incoming.headers['x-request-id'] as string | undefined);
  const { method } = incoming;
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

/** A Host header that is no host: the adapter can't make a URL of it. */
function badHost(): Response {
  const requestId = requestIdOf(undefined);
  const fault = Fault.of('BAD_REQUEST', { reason: 'its Host header is not a host' });
  return new Response(problemText(fault, requestId), {
    status: fault.status,
    headers: { 'Content-Type': problemMediaType, 'X-Request-Id': requestId, Connection: 'close' },
  });
}

/** What Node's parser refuses never becomes a request; it gets a body all the same, then the connection ends. */
function refuseUnread(error: NodeJS.ErrnoException & { rawPacket?: Buffer }, socket: Socket, log: Log): void {
  if (!socket.writable || error.code === 'ECONNRESET' || replyUnderway(socket)?.headersSent === true) {
    socket.destroy();
    return;
  }
  const fault = parserFault(error);
  const requestId = requestIdOf(undefined);
  log.info({ requestId, status: fault.status, fault: fault.code, reason: error.code, remote: socket.remoteAddress });
  const text = problemText(fault, requestId);
  const head = [
    `HTTP/1.1 ${fault.status} ${STATUS_CODES[fault.status]}`,
    `Content-Type: ${problemMediaType}`,
    `Content-Length: ${Buffer.byteLength(text)}`,
    `X-Request-Id: ${requestId}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`, () => socket.destroy());
}

function parserFault(error: NodeJS.ErrnoException & { rawPacket?: Buffer; reason?: string }): Fault {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return Fault.of('HEADERS_TOO_LARGE', {});
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return Fault.of('REQUEST_TIMEOUT', {});
    case 'HPE_INVALID_METHOD': {
      const method = /^[A-Z]{1,20}(?= )/.exec(error.rawPacket?.subarray(0, 21).toString('latin1') ?? '')?.[0];
      if (method !== undefined) return Fault.of('UNKNOWN_METHOD', { method });
      return Fault.of('BAD_REQUEST', { reason: 'it does not start with a method' });
    }
    default: {
      const reason = error.reason?.replace(/[^ -~]/g, '?') ?? 'it is not HTTP/1.1';
      return Fault.of('BAD_REQUEST', { reason: reason.charAt(0).toLowerCase() + reason.slice(1) });
    }
  }
}
