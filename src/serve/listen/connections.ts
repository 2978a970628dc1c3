import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as PortServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Connection, connectionOf } from './remote.ts';

/** Milliseconds between two looks for connections that can be closed. */
const LOOK_MS = 50;
/** Milliseconds for the request of a connection that was opened just before the port was closed. */
const SETTLE_MS = 1_000;
/** Milliseconds to wait for a turn of the event loop in which no connection waits to be accepted. */
const QUIET_WITHIN_MS = 250;
/** A turn that takes longer, in milliseconds, ran other code after it looked for connections. */
const SHORT_TURN_MS = 0.2;

/**
 * The connections of a server and the replies under way on them. They end in order: a caller may send a request at any moment on
 * a connection that is kept open (RFC 9112 section 9.3.1), so each one is closed with a reply that says so where possible.
 */
export class Connections {
  readonly #server: Server;
  readonly #sockets: ReadonlySet<Socket>;
  #accepted = 0;
  #closesAll = false;
  #stopping: Promise<void> | undefined;
  /** Resolves when the port is closed and no connection is left. */
  readonly #closed = Promise.withResolvers<void>();

  constructor(server: Server) {
    this.#server = server;
    this.#sockets = socketsOf(server);
    server.on('connection', () => this.#accepted++);
  }

  /** How many are open. */
  get size(): number {
    return this.#sockets.size;
  }

  /** How many have a request that is being answered. */
  get busy(): number {
    return [...this.#sockets].filter((socket) => replyUnderway(socket) !== undefined).length;
  }

  /** Records a request. @returns false when it is to be ignored, because its connection closes after an earlier reply */
  begin(incoming: IncomingMessage, outgoing: ServerResponse): boolean {
    const { socket } = incoming;
    const connection = connectionOf(socket);
    if (connection.ending) return false;
    noteReply(connection, outgoing);
    connection.readBy = socket.bytesRead;
    if (!isBare(incoming))
      outgoing.once('close', () => {
        connection.readBy = socket.bytesRead;
      });
    if (this.#closesAll) this.endAfter(outgoing);
    return true;
  }

  /** Closes the connection of a reply after it, and ignores later requests. The reply says so if its head is not sent yet. */
  endAfter(outgoing: ServerResponse): void {
    connectionOf(outgoing.req.socket).ending = true;
    outgoing.shouldKeepAlive = false;
  }

  /** From now on every reply has `Connection: close` (RFC 9112 section 9.6). Connections without a request stay open. */
  closeWithReplies(): void {
    this.#closesAll = true;
    for (const socket of this.#sockets) {
      const { latest } = connectionOf(socket);
      if (latest !== undefined && !latest.headersSent) this.endAfter(latest);
    }
  }

  /** Closes the port, and no connection. Resolves when it is closed. */
  stopAccepting(): Promise<void> {
    this.#stopping ??= this.#untilNoneWaits().then(() => {
      // An HTTP server's own close() would also close connections on which a request may be on its way.
      PortServer.prototype.close.call(this.#server, () => this.#closed.resolve());
    });
    return this.#stopping;
  }

  /** Closes the port, lets replies finish for at most `timeoutMs`, and closes each connection when it is idle. */
  async close(timeoutMs: number): Promise<void> {
    this.closeWithReplies();
    const limit = setTimeout(() => this.#destroyAll(), timeoutMs);
    await this.stopAccepting();
    const settled = performance.now() + SETTLE_MS;
    const look = (): void => this.#closeIdle(performance.now() >= settled);
    // Directly after incoming bytes were read: a request that has arrived is not overlooked.
    const looking = setInterval(() => setImmediate(look), LOOK_MS);
    setImmediate(look);
    await this.#closed.promise;
    clearInterval(looking);
    clearTimeout(limit);
    // Ends what the HTTP server does beside its port.
    this.#server.close();
  }

  /**
   * Resolves in a turn of the event loop that has just found no connection to accept: the kernel resets those that it still
   * holds when the port is closed. A turn accepts one connection.
   */
  async #untilNoneWaits(): Promise<void> {
    const limit = performance.now() + QUIET_WITHIN_MS;
    await turn();
    for (let begun = performance.now(); begun < limit; begun = performance.now()) {
      const before = this.#accepted;
      await turn();
      if (this.#accepted === before && performance.now() - begun < SHORT_TURN_MS) return;
    }
  }

  /** @param all whether also those that are new, or in the middle of a request's head */
  #closeIdle(all: boolean): void {
    for (const socket of this.#sockets) {
      if (replyUnderway(socket) !== undefined) continue;
      if (all || connectionOf(socket).readBy === socket.bytesRead) socket.destroySoon();
    }
  }

  #destroyAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

/** Resolves after the event loop has looked for new connections and bytes. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/**
 * The connections of a server that can carry requests. With TLS these are the decrypted streams; a connection whose
 * handshake is not complete counts itself.
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

/** The remote address and port: two connections from one address differ in their port. */
const endOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;

/** Whether a request has no body (RFC 9112 section 6.3, case 7). */
export function isBare({ headers }: IncomingMessage): boolean {
  return headers['content-length'] === undefined && headers['transfer-encoding'] === undefined;
}

/** For each unfinished reply the one before it. */
const before = new WeakMap<ServerResponse, ServerResponse>();

/** Records a pending reply, in the order in which requests arrive. */
function noteReply(connection: Connection, outgoing: ServerResponse): void {
  const previous = connection.latest;
  if (previous !== undefined && !previous.writableFinished) {
    before.set(outgoing, previous);
    // Otherwise a connection on which requests always overlap would keep all of them in memory.
    previous.once('close', () => before.delete(outgoing));
  }
  connection.latest = outgoing;
}

/** The reply to the latest request of a connection. */
export function latestReply(connection: Duplex): ServerResponse | undefined {
  return connectionOf(connection).latest;
}

/** The reply before a pending one, while it is pending itself. */
export function replyBefore(reply: ServerResponse): ServerResponse | undefined {
  return before.get(reply);
}

/** The reply that a connection waits for or is sending; Node has no public property for it. */
export function replyUnderway(socket: Socket): ServerResponse<IncomingMessage> | undefined {
  return (socket as Socket & { _httpMessage?: ServerResponse<IncomingMessage> | null })._httpMessage ?? undefined;
}
