import { type IncomingMessage, type RequestListener, request, type Server, type ServerResponse } from 'node:http';
import { request as requestOverTls } from 'node:https';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { Server as TlsServer } from 'node:tls';

interface State {
  /** Requests that are being answered. */
  running: number;
  /** When the last reply ended, or the connection was made. */
  since: number;
  /** Bytes received by then; more bytes are the beginning of a request. */
  received: number;
}

/** How the connections of a server are ended. */
export interface DrainOptions {
  /** A connection that has been idle for this long, in milliseconds, is closed at once. */
  readonly idleMs: number;
  /** Answers new requests, instead of the server's own listener. */
  readonly answer?: RequestListener;
}

/** The connections of a server, which can be ended without cutting off a caller. */
export interface Connections {
  /**
   * Ends all connections: running requests are finished, a connection in use gets `Connection: close` with its next reply,
   * an idle one is closed. Resolves when none is left.
   */
  drain(options: DrainOptions): Promise<void>;
}

/** Tracks the connections of a server from now on. */
export function followConnections(server: Server): Connections {
  const states = new Map<Socket, State>();
  const running = new Set<ServerResponse>();
  let draining = false;
  let onEmpty: (() => void) | undefined;

  function connected(socket: Socket): void {
    states.set(socket, { running: 0, since: performance.now(), received: 0 });
    socket.once('close', () => {
      states.delete(socket);
      if (states.size === 0) onEmpty?.();
    });
  }

  function requested({ socket }: IncomingMessage, response: ServerResponse): void {
    const state = states.get(socket);
    if (state === undefined) return;
    state.running++;
    running.add(response);
    if (draining) response.shouldKeepAlive = false;
    response.once('close', () => {
      running.delete(response);
      state.running--;
      state.since = performance.now();
      state.received = socket.bytesRead;
    });
  }

  function closeIdle(idleMs: number): void {
    const now = performance.now();
    for (const [socket, state] of states) {
      if (state.running === 0 && socket.bytesRead === state.received && now - state.since >= idleMs)
        socket.destroySoon();
    }
  }

  server.prependListener(server instanceof TlsServer ? 'secureConnection' : 'connection', connected);
  // Called first, before the headers of the reply are written.
  server.prependListener('request', requested);
  return {
    async drain({ idleMs, answer }) {
      draining = true;
      for (const response of running) if (!response.headersSent) response.shouldKeepAlive = false;
      if (answer !== undefined) {
        server.removeAllListeners('request');
        server.on('request', requested).on('request', answer);
      }
      closeIdle(idleMs);
      if (states.size === 0) return;
      const timer = setInterval(closeIdle, 50, idleMs);
      await new Promise<void>((resolve) => {
        onEmpty = resolve;
      });
      clearInterval(timer);
    },
  };
}

/** Header fields of a single connection (RFC 9110, section 7.6.1); Node writes its own. */
const ofOneConnection = new Set(['connection', 'keep-alive', 'transfer-encoding']);

/**
 * Forwards each request to the gateway at an address, so that a caller whose connection was made before an edit gets replies
 * from after it. A client certificate of the caller is not forwarded.
 * @param address `http://127.0.0.1:8080`
 */
export function forwardTo(address: string): RequestListener {
  const { protocol, hostname, port } = new URL(address);
  const host = connectable(hostname.replace(/^\[|\]$/g, ''));
  // The gateway is on this machine; its certificate is for its public name.
  const to = { host, port, agent: false, setHost: false, rejectUnauthorized: false } as const;
  const send = protocol === 'https:' ? requestOverTls : request;
  return (incoming, outgoing) => {
    const { method, url: path, rawHeaders } = incoming;
    const sent = send({
      ...to,
      method,
      path,
      headers: withoutFields(rawHeaders, new Set(['connection', 'keep-alive'])),
    });
    sent.once('response', (reply) => {
      outgoing.writeHead(
        reply.statusCode ?? 502,
        reply.statusMessage,
        withoutFields(reply.rawHeaders, ofOneConnection),
      );
      // A reply that breaks off breaks off here too, so that a truncated reply never looks complete.
      pipeline(reply, outgoing, () => undefined);
    });
    sent.once('error', () => outgoing.destroy());
    outgoing.once('close', () => sent.destroy());
    incoming.pipe(sent);
  };
}

/** A host that means every address of the machine is reached at the loopback address. */
function connectable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}

/** Raw headers, names and values alternating, without the fields in `left`. */
function withoutFields(rawHeaders: readonly string[], left: ReadonlySet<string>): string[] {
  return rawHeaders.filter((_, index) => !left.has((rawHeaders[index - (index % 2)] ?? '').toLowerCase()));
}
