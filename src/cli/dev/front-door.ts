import type { ChildProcess } from 'node:child_process';
import { createServer, type Server, type Socket } from 'node:net';
import type { Address } from '../../serve/start/address.ts';
import { CliFailure } from '../failure.ts';
import type { SupervisorMessage } from './worker-handle.ts';

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

  /**
   * Listens at the address, unless it does so already. The port that it had before is closed afterwards.
   * @throws CliFailure when it can't
   */
  async open(asked: Address): Promise<Address> {
    if (this.#bound !== undefined && this.#asked?.host === asked.host && this.#asked.port === asked.port)
      return this.#bound;
    const server = createServer({ pauseOnConnect: true }, (socket) => {
      // The worker handles errors of the connection; here they only mean that the caller has gone.
      socket.on('error', () => undefined);
      this.#admit(socket);
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', (error: NodeJS.ErrnoException) => reject(cannotListen(asked, error)));
      server.listen(asked.port, asked.host, resolve);
    });
    const bound = server.address();
    this.#server?.close();
    this.#server = server;
    this.#asked = asked;
    this.#bound = { host: asked.host, port: typeof bound === 'object' && bound !== null ? bound.port : asked.port };
    return this.#bound;
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

function cannotListen({ host, port }: Address, cause: NodeJS.ErrnoException): CliFailure {
  if (cause.code !== 'EADDRINUSE')
    return new CliFailure(`can't listen on ${host}:${port}: ${cause.message}`, { cause });
  return new CliFailure(`${host}:${port} is in use`, {
    cause,
    hint: 'Set PORT to another port; PORT=0 takes a free one.',
  });
}

function refuse(socket: Socket): void {
  socket.resume();
  socket.end(NOT_SERVING);
}
