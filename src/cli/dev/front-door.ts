import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { IN_USE, inUse } from '../../serve/listen/port-holder.ts';
import type { Address } from '../../serve/start/address.ts';
import { CliFailure } from '../failure.ts';
import type { SupervisorMessage } from './worker-handle.ts';

/** How long a port may be another's: longer than a gateway drains by default. */
const PATIENCE_MS = 10_000;
const RETRY_MS = 100;

const NOT_SERVING =
  'HTTP/1.1 503 Service Unavailable\r\ncontent-type: text/plain; charset=utf-8\r\nconnection: close\r\nretry-after: 1\r\n\r\n' +
  'The definitions contain errors, which signalbox dev has printed on its terminal.\n';

/**
 * Holds the public port as long as `dev` runs, and hands every connection to the worker that serves at the moment. While a
 * worker is starting, connections wait here, so that neither a reload nor a crash refuses a caller.
 */
export class FrontDoor {
  #server: Server | undefined;
  #asked: Address | undefined;
  #bound: Address | undefined;
  #worker: ChildProcess | undefined;
  #expecting = true;
  readonly #waiting = new Set<Socket>();
  /** Handed on but not confirmed: if the worker dies before that, they go to the next one. */
  readonly #underway = new Map<number, { readonly socket: Socket; readonly worker: ChildProcess }>();
  #count = 0;
  #closed = false;
  #opening: Promise<unknown> = Promise.resolve();
  readonly #report: (sentence: string) => void;

  /** @param report is told what it waits for */
  constructor(report: (sentence: string) => void) {
    this.#report = report;
  }

  /**
   * Listens at the address, unless it does so already. The port that it had before is closed afterwards.
   * @throws CliFailure when it can't
   */
  open(asked: Address): Promise<Address> {
    // One after the other: the second would find the port in use by the first.
    const opened = this.#opening.then(() => this.#open(asked));
    this.#opening = opened.catch(() => undefined);
    return opened;
  }

  async #open(asked: Address): Promise<Address> {
    if (this.#bound !== undefined && this.#asked?.host === asked.host && this.#asked.port === asked.port)
      return this.#bound;
    const server = createServer({ pauseOnConnect: true }, (socket) => {
      // The worker handles errors of the connection; here they only mean that the caller has gone.
      socket.on('error', () => undefined);
      this.#admit(socket);
    });
    await this.#listen(server, asked);
    const bound = server.address();
    this.#server?.close();
    this.#server = server;
    this.#asked = asked;
    this.#bound = { host: asked.host, port: typeof bound === 'object' && bound !== null ? bound.port : asked.port };
    return this.#bound;
  }

  /** Waits a while for a port at which a gateway stops, which leaves it soon. @throws CliFailure */
  async #listen(server: Server, asked: Address): Promise<void> {
    const limit = performance.now() + PATIENCE_MS;
    let isReported = false;
    for (;;) {
      const error = await listenOnce(server, asked);
      if (error === undefined) return;
      const waits = error.code === 'EADDRINUSE' && performance.now() < limit && !this.#closed;
      if (!waits || !(isReported || (await isStopping(asked)))) throw cannotListen(asked, error);
      if (!isReported)
        this.#report(`${inUse(`${asked.host}:${asked.port}`, asked.port)}; it stops, and dev waits for the port.`);
      isReported = true;
      await pause(RETRY_MS);
    }
  }

  /** Gives this worker every connection from now on, the waiting ones first. */
  handTo(worker: ChildProcess): void {
    this.#worker = worker;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const socket of waiting) this.#hand(socket, worker);
  }

  /** A worker has confirmed the connection with this number. */
  admitted(connection: number): void {
    this.#underway.get(connection)?.socket.destroy();
    this.#underway.delete(connection);
  }

  /** This worker is gone; connections that it has not confirmed wait for the next one. */
  lost(worker: ChildProcess): void {
    if (this.#worker === worker) this.#worker = undefined;
    for (const [connection, entry] of this.#underway) {
      if (entry.worker !== worker) continue;
      this.#underway.delete(connection);
      this.#admit(entry.socket);
    }
  }

  /** Whether a worker is starting, so that connections wait for it; otherwise they are refused at once. */
  expect(coming: boolean): void {
    this.#expecting = coming;
    if (coming || this.#worker !== undefined) return;
    for (const socket of this.#waiting) refuse(socket);
    this.#waiting.clear();
  }

  /** Accepts no more connections. */
  close(): void {
    this.#closed = true;
    this.#server?.close();
    for (const socket of this.#waiting) socket.destroy();
    this.#waiting.clear();
  }

  #admit(socket: Socket): void {
    if (this.#worker !== undefined) this.#hand(socket, this.#worker);
    else if (this.#expecting) this.#keep(socket);
    else refuse(socket);
  }

  #keep(socket: Socket): void {
    this.#waiting.add(socket);
    socket.once('close', () => this.#waiting.delete(socket));
  }

  #hand(socket: Socket, worker: ChildProcess): void {
    const connection = this.#count++;
    this.#underway.set(connection, { socket, worker });
    const message: SupervisorMessage = { kind: 'connection', connection };
    // Sending fails when the worker has ended, which `lost` handles.
    worker.send(message, socket, { keepOpen: true }, () => undefined);
  }
}

/** Whether the port is that of a gateway which stops: it is alive, and not ready. */
async function isStopping({ host, port }: Address): Promise<boolean> {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  try {
    const url = `http://${name.includes(':') ? `[${name}]` : name}:${port}/health/ready`;
    return (await fetch(url, { signal: AbortSignal.timeout(1000) })).status === 503;
  } catch {
    // It has just ended, or is another program.
    return false;
  }
}

function listenOnce(server: Server, { host, port }: Address): Promise<NodeJS.ErrnoException | undefined> {
  return once(server.listen(port, host), 'listening').then(
    () => undefined,
    (error: NodeJS.ErrnoException) => error,
  );
}

function cannotListen({ host, port }: Address, cause: NodeJS.ErrnoException): CliFailure {
  if (cause.code !== 'EADDRINUSE')
    return new CliFailure(`can't listen on ${host}:${port}: ${cause.message}`, { cause });
  return new CliFailure(inUse(`${host}:${port}`, port), { cause, hint: IN_USE });
}

function refuse(socket: Socket): void {
  socket.resume();
  socket.end(NOT_SERVING);
}
