import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { getRequestListener, RequestError } from '@hono/node-server';
import type { Hono } from 'hono';
import { Fault } from '../../model/fault.ts';
import type { Limits } from '../../model/gateway.ts';
import { type GatewayEnv, requestIdOf } from '../exchange/exchange.ts';
import { GatewayError } from '../gateway-error.ts';
import { refusedLine } from '../log/decision.ts';
import type { Log } from '../log/log.ts';
import type { Address } from '../start/address.ts';
import type { Safeguards } from '../start/safeguards.ts';
import { checkHead, endsConnection } from './head.ts';
import { type Proxies, peerOf } from './remote.ts';
import { endHandshake, isOfTls, type OpenTls } from './tls.ts';
import { noteReply, type ParserError, refusalOf, refuseTunnel, refuseUnread, replyUnderway } from './unread.ts';

/** Request line and headers together, in bytes; a target of 64 KiB leaves as much for headers. */
const MAX_HEADER_SIZE = 128 * 1024;
/** Milliseconds for a request's headers to arrive; a body has an idle limit instead, as transfers may take long. */
const HEADERS_TIMEOUT = 20_000;
const KEEP_ALIVE_TIMEOUT = 5_000;

/** An HTTP server, and its orderly end. */
interface HttpServer {
  readonly server: Server;
  /** Takes no more connections, lets running requests finish for at most `timeoutMs`, then cuts them. */
  close(timeoutMs: number): Promise<void>;
}

interface HttpServerOptions {
  readonly log: Log;
  /** Milliseconds without a byte after which a transfer is given up. */
  readonly idleTimeout: number;
  /** Milliseconds that the head of a request may take to come; 20 s. */
  readonly headersTimeout?: number | undefined;
  /** Of its own address, where it speaks TLS. */
  readonly tls?: OpenTls | undefined;
  /** In front of it. */
  readonly proxies?: Proxies | undefined;
}

/** The gateway's HTTP server, not yet listening. */
export function createHttpServer(
  app: Hono<GatewayEnv>,
  limits: Limits,
  { audit, refusal }: Pick<Safeguards, 'audit' | 'refusal'>,
  { log, idleTimeout, headersTimeout = HEADERS_TIMEOUT, tls, proxies }: HttpServerOptions,
): HttpServer {
  const logs = { log, audit, proxies };
  const fetch: typeof app.fetch = (request, env) => app.fetch(request, Object.assign(env as object, { proxies }));
  const answer = getRequestListener(proxies === undefined ? app.fetch : fetch, {
    hostname: 'localhost',
    // Refused below, where the request is at hand.
    errorHandler: (error) => {
      throw error;
    },
  });
  const settings = {
    maxHeaderSize: MAX_HEADER_SIZE,
    headersTimeout,
    requestTimeout: 0,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT,
    connectionsCheckingInterval: Math.min(1_000, headersTimeout / 2),
    // Node would refuse what lacks one without a body.
    requireHostHeader: false,
  };
  /** Connections that end with a reply that is due. The parser may have read on, but what follows is not acted on. */
  const ending = new WeakSet<Socket>();
  const listener = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const { socket } = incoming;
    if (ending.has(socket)) return;
    noteReply(outgoing);
    const fault = checkHead(incoming, limits.target) ?? refusal();
    if (fault !== undefined) {
      ending.add(socket);
      refuse(incoming, outgoing, fault, logs);
      return;
    }
    if (endsConnection(incoming)) {
      ending.add(socket);
      outgoing.shouldKeepAlive = false;
    }
    answer(incoming, outgoing).catch((error) => refuse(incoming, outgoing, error, logs));
  };
  const secure = tls === undefined ? undefined : createTlsServer({ ...settings, ...tls.options }, listener);
  const server: Server = secure ?? createServer(settings, listener);
  const unfollow = secure === undefined ? undefined : tls?.follow(secure);
  server.timeout = idleTimeout;
  server.on('timeout', closeStalled);
  server.on('clientError', (error: ParserError, socket: Socket) => {
    if (isOfTls(error)) endHandshake(error, socket, log);
    else refuseUnread(error, socket, logs);
  });
  server.on('connect', (incoming, connection) => refuseTunnel(incoming, connection, logs));
  // Node would refuse it without a body.
  server.on('checkExpectation', (incoming, outgoing) => server.emit('request', incoming, outgoing));
  // Node would ask for the body of a request whose head is about to be refused.
  server.on('checkContinue', (incoming, outgoing) => {
    if (checkHead(incoming, limits.target) === undefined) outgoing.writeContinue();
    server.emit('request', incoming, outgoing);
  });
  const sockets = socketsOf(server);
  return {
    server,
    close(timeoutMs) {
      unfollow?.();
      return close(server, sockets, timeoutMs);
    },
  };
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

/** Answers what does not reach the app. */
function refuse(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  error: unknown,
  { log, audit, proxies }: { readonly log: Log; readonly audit: Log; readonly proxies: Proxies | undefined },
): void {
  const fault = faultOf(error);
  const requestId = requestIdOf(incoming.headers['x-request-id'] as string | undefined);
  if (!(error instanceof Fault) && fault.status >= 500) log.error({ requestId, err: error }, fault.message);
  const { text, bytes, headers } = refusalOf(fault, requestId);
  const { method } = incoming;
  const { address: remote } = peerOf(incoming, proxies);
  audit.info(refusedLine(fault, { requestId, method, remote, bytes }));
  outgoing.writeHead(fault.status, headers).end(text);
}

function faultOf(error: unknown): Fault {
  if (error instanceof Fault) return error;
  // The adapter makes a URL of target and Host header, of which the target was checked.
  if (error instanceof RequestError) return Fault.of('BAD_REQUEST', { reason: 'its Host header is not a host' });
  return Fault.of('INTERNAL', { operation: 'The request' });
}

/** Begins to listen. @returns the address that it has now: of port 0 the one that was free. @throws GatewayError */
export function listenAt(server: Server, { host, port }: Address): Promise<Address> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') {
        const hint = 'Set PORT to another port; PORT=0 takes a free one.';
        reject(new GatewayError(`${host}:${port} is in use`, { hint, cause: error }));
      } else reject(new GatewayError(`can't listen on ${host}:${port}: ${error.message}`, { cause: error }));
    });
    server.listen(port, host, () => {
      const { address, port: bound } = server.address() as AddressInfo;
      resolve({ host: host === 'localhost' ? host : address, port: bound });
    });
  });
}

/**
 * The connections of a server on which requests may come. With TLS that is what runs inside of it; a connection that is
 * still shaking hands counts as itself.
 */
function socketsOf(server: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  const shaking = new Map<string, Socket>();
  const add = (socket: Socket): void => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  };
  server.on('connection', (socket: Socket) => {
    add(socket);
    const end = endOf(socket);
    shaking.set(end, socket);
    socket.once('close', () => shaking.delete(end));
  });
  server.on('secureConnection', (secure: Socket) => {
    const end = endOf(secure);
    sockets.delete(shaking.get(end) as Socket);
    shaking.delete(end);
    add(secure);
  });
  return sockets;
}

/** Two connections to one address have two ends. */
const endOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;
