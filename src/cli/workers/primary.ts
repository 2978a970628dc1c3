import type { Worker } from 'node:cluster';
import cluster from 'node:cluster';
import { fileURLToPath } from 'node:url';
import type { Log } from '../../serve/log/log.ts';
import type { Counted } from '../../serve/log/metrics.ts';
import { Backoff, post, Questions } from '../child-process.ts';
import { Ended, type ExitCode } from '../failure.ts';
import { sibling } from '../package-info.ts';
import type { Place } from '../project.ts';

/** A worker that is too busy to report its counters within this time is left out of that page of metrics. */
const COUNTERS_WITHIN_MS = 1_000;
const LONGEST_PAUSE_MS = 10_000;
/** The gateway gives running requests 30 s to finish; a worker that takes longer than this hangs. */
const GRACE_MS = 35_000;

/** How the workers are run. */
interface PrimaryOptions {
  readonly place: Place;
  readonly colour: boolean;
  /** The log is for a person at a terminal. */
  readonly people: boolean;
  readonly count: number;
  readonly log: Log;
  /** Called once, when all workers listen. */
  ready(worker: ReadyWorker): void;
  /** Called with the report of a worker that could not start, ready to print. */
  failed(text: string): void;
}

type ReadyWorker = Extract<WorkerMessage, { kind: 'ready' }>;

/** A place among the workers, and the process in it. */
interface Seat {
  readonly number: number;
  worker: Worker | undefined;
  ready: boolean;
  startedAt: number;
  readonly backoff: Backoff;
  restart: NodeJS.Timeout | undefined;
  readonly counters: Questions<Counted>;
}

/**
 * Runs several gateways that share a port, each in a process of its own, and replaces those that end. The first one starts
 * alone, so that a failure is reported once and the schema is up to date before the others read it.
 */
export class Primary {
  readonly #options: PrimaryOptions;
  readonly #seats: readonly Seat[];
  readonly #end = Promise.withResolvers<void>();
  /** One has been ready before, so a worker that ends is worth starting again. */
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

  /** Resolves when all have ended after {@link stop}. @throws Ended when they can't start */
  ended(): Promise<void> {
    return this.#end.promise;
  }

  /** Lets all workers finish their requests and end; called again, it ends them at once. */
  stop(): void {
    const again = this.#stopping;
    this.#stopping = true;
    for (const seat of this.#seats) {
      clearTimeout(seat.restart);
      if (again) seat.worker?.process.kill('SIGKILL');
      else tell(seat, { kind: 'end' });
    }
    this.#grace ??= setTimeout(() => this.stop(), GRACE_MS);
    this.#endIfEmpty();
  }

  /** Makes each worker reopen its audit log. */
  reopen(): void {
    // A worker that is not ready yet opens it when it starts.
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
    // Its last messages may be read after its exit.
    let how: number | string | undefined;
    const over = (): void => {
      if (how !== undefined && !worker.isConnected()) this.#gone(seat, how);
    };
    worker.once('disconnect', over);
    worker.once('exit', (code: number, signal: string | null) => {
      how = signal ?? code;
      over();
    });
    // A worker that can't be started or written to is ended; its exit is handled above.
    worker.on('error', () => worker.process.kill('SIGKILL'));
  }

  #heard(seat: Seat, message: WorkerMessage): void {
    if (message.kind === 'counted') seat.counters.answered(message.question, message.counted);
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
    const counted = await Promise.all(
      others.map((each) =>
        each.counters.ask((number) => tell(each, { kind: 'count', question: number }), COUNTERS_WITHIN_MS),
      ),
    );
    tell(seat, { kind: 'others', question, counted: counted.filter((each) => each !== undefined) });
  }

  #gone(seat: Seat, how: number | string): void {
    const served = seat.ready ? performance.now() - seat.startedAt : 0;
    seat.worker = undefined;
    seat.ready = false;
    seat.counters.drop();
    if (this.#stopping) this.#endIfEmpty();
    else if (this.#sound) this.#replace(seat, served, how);
    else this.#giveUp(seat, how);
  }

  #replace(seat: Seat, served: number, how: number | string): void {
    const { number: worker } = seat;
    const pause = seat.backoff.next(served);
    const ended = typeof how === 'number' ? `with code ${how}` : `by ${how}`;
    this.#options.log.error({ worker }, `Worker ${worker} ended ${ended}; another starts in ${pause / 1000} s.`);
    seat.restart = setTimeout(() => {
      seat.restart = undefined;
      this.#start(seat);
    }, pause);
  }

  /** No worker has ever been ready: the next one would fail for the same reason. */
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
  return {
    number,
    worker: undefined,
    ready: false,
    startedAt: 0,
    backoff: new Backoff(LONGEST_PAUSE_MS),
    restart: undefined,
    counters: new Questions(),
  };
}

function tell({ worker }: Seat, message: PrimaryMessage): void {
  if (worker !== undefined) post(worker.process, message);
}

/** What a worker is started with. */
export interface WorkerStart extends Place {
  /** From 1. A worker that replaces another has the same number. */
  readonly worker: number;
  readonly colour: boolean;
  /** The log is for a person at a terminal. */
  readonly people: boolean;
}

/** From a worker to its primary. */
export type WorkerMessage =
  /** It accepts connections. */
  | { readonly kind: 'ready'; readonly address: string }
  /** It can't start, for a reason that the user can fix; `text` is ready to print. */
  | { readonly kind: 'failed'; readonly text: string; readonly exitCode: ExitCode }
  /** The reply to `count`. */
  | { readonly kind: 'counted'; readonly question: number; readonly counted: Counted }
  /** Asks for the counters of the other workers. */
  | { readonly kind: 'others'; readonly question: number };

/** From the primary to a worker. */
export type PrimaryMessage =
  /** Asks for its counters. */
  | { readonly kind: 'count'; readonly question: number }
  | { readonly kind: 'others'; readonly question: number; readonly counted: readonly Counted[] }
  /** Asks it to finish its requests and end. */
  | { readonly kind: 'end' };
