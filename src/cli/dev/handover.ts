import { type IncomingMessage, type RequestListener, request, type Server, type ServerResponse } from 'node:http';
import { request as requestOverTls } from 'node:https';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { Server as TlsServer } from 'node:tls';

interface State {
  /** Requests that are being answered. */
  running: number;
  /** When the last reply ended, or the connection came. */
  since: number;
  /** Bytes received by then: more of them are the beginning of a request. */
  received: number;
}

/** How a server's connections are brought to their end. */
export interface DrainOptions {
  /** A connection that nothing has come over for this long, in milliseconds, is closed at once. */
  readonly idleMs: number;
  /** Answers requests that still come, instead of the server's own listener. */
  readonly answer?: RequestListener;
}

/** Knows a server's connections, so that they can be ended without cutting off a caller. */
export interface Connections {
  /**
   * Ends them all: what runs is finished; a connection in use is told `Connection: close` with its next reply; an idle one
   * is closed. Resolves when none is left.
   */
  drain(options: DrainOptions): Promise<void>;
}

/** Follows the connections of a server from now on. */
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
  // First in line: the reply's headers are not written yet.
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

/** Fields that belong to one connection only (RFC 9110, 7.6.1); Node writes its own. */
const ofOneConnection = new Set(['connection', 'keep-alive', 'transfer-encoding']);

/**
 * Answers each request by what the gateway at an address answers: so that a caller whose connection was made before an edit
 * gets what holds since. A certificate of the caller's own does not go with it.
 * @param address `http://127.0.0.1:8080`
 */
export function forwardTo(address: string): RequestListener {
  const { protocol, hostname, port } = new URL(address);
  const host = connectable(hostname.replace(/^\[|\]$/g, ''));
  // It is on this machine, and its certificate is for the name that others know it by.
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
      // A reply that breaks off breaks off here too: a cut one never looks whole, and nobody waits for its rest.
      pipeline(reply, outgoing, () => undefined);
    });
    sent.once('error', () => outgoing.destroy());
    outgoing.once('close', () => sent.destroy());
    incoming.pipe(sent);
  };
}

/** A host that stands for every address of the machine is reached at its loopback address. */
function connectable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}

/** Names and values in turn, as they came, without some. */
function withoutFields(rawHeaders: readonly string[], left: ReadonlySet<string>): string[] {
  return rawHeaders.filter((_, index) => !left.has((rawHeaders[index - (index % 2)] ?? '').toLowerCase()));
}
