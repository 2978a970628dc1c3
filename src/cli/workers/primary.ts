import type { Worker } from 'node:cluster';
import cluster from 'node:cluster';
import { fileURLToPath } from 'node:url';
import type { Counted } from '../../serve/log/counters.ts';
import type { Log } from '../../serve/log/log.ts';
import { Ended, type ExitCode } from '../failure.ts';
import { sibling } from '../package-info.ts';
import type { Place } from '../project.ts';

/** Milliseconds that a worker has to say what it has counted; one that is too busy is left out of that page. */
const WITHIN_MS = 1_000;

/** One that can be asked what it has counted. */
interface Asked {
  ask(question: number): void;
}

/** What is still to come of an answer. */
interface Open {
  readonly missing: Set<Asked>;
  readonly counted: Counted[];
  readonly done: (counted: readonly Counted[]) => void;
  readonly limit: NodeJS.Timeout;
}

/** Asks workers what they have counted, and gathers their answers. */
export class Sums {
  readonly #open = new Map<number, Open>();
  #questions = 0;

  /** What these have counted: of those that answer in time. */
  gather(workers: readonly Asked[]): Promise<readonly Counted[]> {
    const question = ++this.#questions;
    return new Promise((done) => {
      const limit = setTimeout(() => this.#end(question), WITHIN_MS);
      this.#open.set(question, { missing: new Set(workers), counted: [], done, limit });
      for (const worker of workers) worker.ask(question);
      this.#endIfComplete(question);
    });
  }

  answered(worker: Asked, question: number, counted: Counted): void {
    const open = this.#open.get(question);
    if (open?.missing.delete(worker) !== true) return;
    open.counted.push(counted);
    this.#endIfComplete(question);
  }

  /** It answers nothing any more. */
  gone(worker: Asked): void {
    for (const [question, { missing }] of this.#open) if (missing.delete(worker)) this.#endIfComplete(question);
  }

  #endIfComplete(question: number): void {
    if (this.#open.get(question)?.missing.size === 0) this.#end(question);
  }

  #end(question: number): void {
    const open = this.#open.get(question);
    if (open === undefined) return;
    this.#open.delete(question);
    clearTimeout(open.limit);
    open.done(open.counted);
  }
}

/** Back-off after a worker's end, doubled each time. */
const firstPauseMs = 100;
const longestPauseMs = 10_000;
/** A worker that has served this long has not ended of its start. */
const steadyMs = 10_000;
/** The gateway gives running requests 30 s; one that ends later than this hangs. */
const graceMs = 35_000;

/** How the workers are run. */
interface PrimaryOptions {
  readonly place: Place;
  readonly colour: boolean;
  /** The log is for somebody who reads it on a terminal. */
  readonly people: boolean;
  readonly count: number;
  readonly log: Log;
  /** All listen, for the first time. */
  ready(worker: ReadyWorker): void;
  /** A worker's words, ready to print. */
  failed(text: string): void;
}

type ReadyWorker = Extract<WorkerMessage, { kind: 'ready' }>;

/** A place among the workers, and the process that has it. */
interface Seat {
  readonly number: number;
  worker: Worker | undefined;
  ready: boolean;
  startedAt: number;
  pause: number;
  restart: NodeJS.Timeout | undefined;
  /** Asks it what it has counted. */
  ask(question: number): void;
}

/**
 * Runs several gateways that share a port, each in a process of its own, and replaces those that end. The first starts alone:
 * what can't start is told once, and the schema is brought up to date before the others look at it.
 */
export class Primary {
  readonly #options: PrimaryOptions;
  readonly #seats: readonly Seat[];
  readonly #sums = new Sums();
  readonly #end = Promise.withResolvers<void>();
  /** One was ready once: what can be started is started again. */
  #sound = false;
  #announced = false;
  #stopping = false;
  #grace: NodeJS.Timeout | undefined;

  constructor(options: PrimaryOptions) {
    this.#options = options;
    this.#seats = Array.from({ length: options.count }, (_, index) => createSeat(index + 1));
    const [first] = this.#seats;
    if (first !== undefined) this.#start(first);
  }

  /** Resolves when all have ended after {@link stop}. @throws Ended where they can't start */
  ended(): Promise<void> {
    return this.#end.promise;
  }

  /** Lets all of them finish what runs and end; a second time they end at once. */
  stop(): void {
    const again = this.#stopping;
    this.#stopping = true;
    for (const seat of this.#seats) {
      clearTimeout(seat.restart);
      if (again) seat.worker?.process.kill('SIGKILL');
      else tell(seat, { kind: 'end' });
    }
    this.#grace ??= setTimeout(() => this.stop(), graceMs);
    this.#endIfEmpty();
  }

  /** Lets each open its audit log anew. */
  reopen(): void {
    // One that is not ready yet opens it when it starts.
    for (const { worker, ready } of this.#seats) if (ready) worker?.process.kill('SIGHUP');
  }

  #start(seat: Seat): void {
    const { place, colour, people } = this.#options;
    const start: WorkerStart = { ...place, colour, people, worker: seat.number };
    cluster.setupPrimary({ exec: fileURLToPath(sibling('worker', import.meta.url)), args: [JSON.stringify(start)] });
    const worker = cluster.fork();
    seat.worker = worker;
    seat.ready = false;
    seat.startedAt = performance.now();
    worker.on('message', (message: WorkerMessage) => this.#heard(seat, message));
    // What it said last may be read after its end.
    let how: number | string | undefined;
    const over = (): void => {
      if (how !== undefined && !worker.isConnected()) this.#gone(seat, how);
    };
    worker.once('disconnect', over);
    worker.once('exit', (code: number, signal: string | null) => {
      how = signal ?? code;
      over();
    });
    // One that can't be started, or written to, ends as well: its exit says so.
    worker.on('error', () => worker.process.kill('SIGKILL'));
  }

  #heard(seat: Seat, message: WorkerMessage): void {
    if (message.kind === 'counted') this.#sums.answered(seat, message.question, message.counted);
    else if (message.kind === 'others') void this.#tellOthers(seat, message.question);
    else if (message.kind === 'failed') this.#options.failed(message.text);
    else this.#becameReady(seat, message);
  }

  #becameReady(seat: Seat, message: ReadyWorker): void {
    seat.ready = true;
    this.#sound = true;
    if (this.#stopping) return;
    if (this.#announced) this.#options.log.info({ worker: seat.number }, `Worker ${seat.number} is back.`);
    for (const each of this.#seats) if (each.worker === undefined && each.restart === undefined) this.#start(each);
    if (this.#announced || !this.#seats.every((each) => each.ready)) return;
    this.#announced = true;
    this.#options.ready(message);
  }

  async #tellOthers(seat: Seat, question: number): Promise<void> {
    const others = this.#seats.filter((each) => each !== seat && each.ready);
    tell(seat, { kind: 'others', question, counted: await this.#sums.gather(others) });
  }

  #gone(seat: Seat, how: number | string): void {
    const served = seat.ready ? performance.now() - seat.startedAt : 0;
    seat.worker = undefined;
    seat.ready = false;
    this.#sums.gone(seat);
    if (this.#stopping) this.#endIfEmpty();
    else if (this.#sound) this.#replace(seat, served, how);
    else this.#giveUp(seat, how);
  }

  #replace(seat: Seat, served: number, how: number | string): void {
    if (served >= steadyMs) seat.pause = firstPauseMs;
    const { pause, number: worker } = seat;
    const ended = typeof how === 'number' ? `with code ${how}` : `by ${how}`;
    this.#options.log.error({ worker }, `Worker ${worker} ended ${ended}; another starts in ${pause / 1000} s.`);
    seat.pause = Math.min(pause * 2, longestPauseMs);
    seat.restart = setTimeout(() => {
      seat.restart = undefined;
      this.#start(seat);
    }, pause);
  }

  /** None has ever been ready: what keeps the first from it would keep the next. */
  #giveUp(seat: Seat, how: number | string): void {
    this.#stopping = true;
    this.#options.log.error({ worker: seat.number }, `No worker could start: the first ended with ${how}.`);
    this.#end.reject(new Ended(1));
  }

  #endIfEmpty(): void {
    if (this.#seats.some((seat) => seat.worker !== undefined)) return;
    clearTimeout(this.#grace);
    this.#end.resolve();
  }
}

function createSeat(number: number): Seat {
  const seat: Seat = {
    number,
    worker: undefined,
    ready: false,
    startedAt: 0,
    pause: firstPauseMs,
    restart: undefined,
    ask: (question) => tell(seat, { kind: 'count', question }),
  };
  return seat;
}

/** One that has gone is no error here, since its end is an event of its own. */
function tell({ worker }: Seat, message: PrimaryMessage): void {
  if (worker?.isConnected()) worker.send(message, undefined, () => undefined);
}

/** What a worker is started with. */
export interface WorkerStart extends Place {
  /** From 1. A worker that takes the place of another has its number. */
  readonly worker: number;
  readonly colour: boolean;
  /** The log is for somebody who reads it on a terminal. */
  readonly people: boolean;
}

/** From a worker to its primary. */
export type WorkerMessage =
  /** It listens and works. */
  | { readonly kind: 'ready'; readonly address: string }
  /** It can't start, for a reason that the user mends; `text` is ready to print. */
  | { readonly kind: 'failed'; readonly text: string; readonly exitCode: ExitCode }
  /** What it has counted, as it was asked. */
  | { readonly kind: 'counted'; readonly question: number; readonly counted: Counted }
  /** Wants to know what the others have counted. */
  | { readonly kind: 'others'; readonly question: number };

/** From the primary to a worker. */
export type PrimaryMessage =
  /** Say what you have counted. */
  | { readonly kind: 'count'; readonly question: number }
  | { readonly kind: 'others'; readonly question: number; readonly counted: readonly Counted[] }
  /** Finish what runs, then end. */
  | { readonly kind: 'end' };
