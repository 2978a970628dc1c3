import type { Worker } from 'node:cluster';
import cluster from 'node:cluster';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { Log } from '../../serve/log/log.ts';
import type { Counted } from '../../serve/log/metrics.ts';
import { duration } from '../../wire/duration.ts';
import { Backoff, post, Questions } from '../child-process.ts';
import { Ended, type ExitCode } from '../failure.ts';
import { sibling } from '../package-info.ts';
import type { Place } from '../project.ts';

/** A worker that is too busy to report its counters within this time is left out of that page of metrics. */
const COUNTERS_WITHIN_MS = 1_000;
const LONGEST_PAUSE_MS = 10_000;
/** What a worker may take longer to stop than its gateway says; one that takes longer hangs. */
const STOP_MARGIN_MS = 5_000;
/** Each worker is asked this often for a sign of life; one that misses several in a row hangs and is replaced. */
const ASK_EVERY_MS = 5_000;
const MOST_MISSED = 6;

/** How the workers are run. */
interface PrimaryOptions {
  readonly place: Place;
  /** Workers do not start while anything is not set. */
  readonly strictEnv: boolean;
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

/** A place among the workers. */
interface Seat {
  readonly number: number;
  /** The process in it. */
  member: Member | undefined;
  /** The one that takes over as soon as it is ready. */
  next: Member | undefined;
  readonly backoff: Backoff;
  restart: NodeJS.Timeout | undefined;
}

/** A worker's process. */
interface Member {
  readonly seat: Seat;
  readonly worker: Worker;
  readonly startedAt: number;
  ready: boolean;
  /** Milliseconds that it takes to stop at most. */
  stopsWithin: number;
  readonly counters: Questions<Counted>;
  /** Asks for signs of life. */
  pulse: NodeJS.Timeout | undefined;
  missed: number;
  /** Resolves with whether it became ready. */
  readonly started: PromiseWithResolvers<boolean>;
  readonly gone: PromiseWithResolvers<void>;
}

/**
 * Runs several gateways that share a port, each in a process of its own, and replaces those that end. The first one starts
 * alone, so that a failure is reported once and the schema is up to date before the others read it.
 */
export class Primary {
  readonly #options: PrimaryOptions;
  readonly #seats: readonly Seat[];
  readonly #members = new Set<Member>();
  readonly #holder = randomUUID();
  readonly #end = Promise.withResolvers<void>();
  /** One has been ready before, so a worker that ends is worth starting again. */
  #sound = false;
  #announced = false;
  #stopping = false;
  #killed = false;
  #grace: NodeJS.Timeout | undefined;
  readonly #allReady = Promise.withResolvers<void>();
  /** Ends when the workers have started, and the last replacement is done. */
  #replacing: Promise<void> = this.#allReady.promise;
  /** Another replacement begins after the current one. */
  #replacesAgain = false;

  constructor(options: PrimaryOptions) {
    this.#options = options;
    this.#seats = Array.from({ length: options.count }, (_, index) => createSeat(index + 1));
    const [first] = this.#seats;
    if (first !== undefined) this.#start(first);
  }

  /** Resolves when all have ended after {@link stop}. @throws Ended when they can't start, or were ended by force */
  ended(): Promise<void> {
    return this.#end.promise;
  }

  /**
   * Lets all workers finish their requests and end; called again, it ends them at once.
   * @param drains whether they first announce that they stop
   */
  stop({ drains }: { readonly drains: boolean }): void {
    const again = this.#stopping;
    this.#stopping = true;
    this.#killed = again;
    for (const seat of this.#seats) clearTimeout(seat.restart);
    for (const member of this.#members) {
      if (again) member.worker.process.kill('SIGKILL');
      else tell(member, { kind: 'end', drains });
    }
    const longest = Math.max(0, ...[...this.#members].map((member) => member.stopsWithin));
    this.#grace ??= setTimeout(() => this.stop({ drains }), longest + STOP_MARGIN_MS);
    this.#endIfEmpty();
  }

  /** Makes each worker reopen its files. */
  reopen(): void {
    // A worker that is not ready yet opens them when it starts.
    for (const { worker, ready } of this.#members) if (ready) worker.process.kill('SIGHUP');
  }

  /**
   * Replaces the workers one after the other: each new one loads the definitions and the code that are on the disk now, and the
   * old one leaves once it is ready. If one can't start, the old ones stay. Called meanwhile, or while the first ones start, it
   * begins once they are done: what is on the disk may be newer than what they have read.
   */
  replace(): void {
    if (this.#stopping || this.#replacesAgain) return;
    this.#replacesAgain = true;
    this.#replacing = this.#replacing.then(() => {
      this.#replacesAgain = false;
      return this.#replaceAll();
    });
  }

  async #replaceAll(): Promise<void> {
    const { log } = this.#options;
    for (const seat of this.#seats) {
      if (this.#stopping) return;
      const { number: worker } = seat;
      clearTimeout(seat.restart);
      seat.restart = undefined;
      const next = this.#launch(seat);
      seat.next = next;
      const isReady = await next.started.promise;
      seat.next = undefined;
      if (this.#stopping) return;
      if (!isReady) {
        log.error(
          { worker },
          `Worker ${worker} was not replaced, as its successor could not start. All go on as they are.`,
        );
        if (seat.member === undefined) this.#start(seat);
        return;
      }
      const old = seat.member;
      seat.member = next;
      if (old !== undefined) await retire(old);
      log.info({ worker }, `Worker ${worker} was replaced.`);
    }
  }

  #start(seat: Seat): void {
    seat.member = this.#launch(seat);
  }

  #launch(seat: Seat): Member {
    const { place, strictEnv, colour, people } = this.#options;
    const start: WorkerStart = {
      ...{ ...place, strictEnv, colour, people, holder: this.#holder },
      ...{ worker: seat.number, workers: this.#seats.length },
    };
    cluster.setupPrimary({ exec: fileURLToPath(sibling('worker', import.meta.url)), args: [JSON.stringify(start)] });
    const worker = cluster.fork();
    const member = createMember(seat, worker);
    this.#members.add(member);
    worker.on('message', (message: WorkerMessage) => this.#heard(member, message));
    // Its last messages may be read after its exit.
    let how: number | string | undefined;
    const over = (): void => {
      if (how !== undefined && !worker.isConnected()) this.#gone(member, how);
    };
    worker.once('disconnect', over);
    worker.once('exit', (code: number, signal: string | null) => {
      how = signal ?? code;
      over();
    });
    // A worker that can't be started or written to is ended; its exit is handled above.
    worker.on('error', () => worker.process.kill('SIGKILL'));
    return member;
  }

  #heard(member: Member, message: WorkerMessage): void {
    if (message.kind === 'counted') member.counters.answered(message.question, message.counted);
    else if (message.kind === 'others') void this.#tellOthers(member, message.question);
    else if (message.kind === 'alive') member.missed = 0;
    else if (message.kind === 'failed') this.#options.failed(message.text);
    else this.#becameReady(member, message);
  }

  #becameReady(member: Member, message: ReadyWorker): void {
    const { seat } = member;
    member.ready = true;
    member.stopsWithin = message.stopsWithin;
    member.pulse = setInterval(() => this.#ask(member), ASK_EVERY_MS);
    member.started.resolve(true);
    this.#sound = true;
    if (this.#stopping || seat.next === member) return;
    if (this.#announced) this.#options.log.info({ worker: seat.number }, `Worker ${seat.number} is back.`);
    for (const each of this.#seats) if (isEmpty(each)) this.#start(each);
    if (this.#announced || !this.#seats.every((each) => each.member?.ready)) return;
    this.#announced = true;
    this.#options.ready(message);
    this.#allReady.resolve();
  }

  #ask(member: Member): void {
    const { number: worker } = member.seat;
    member.missed++;
    if (member.missed <= MOST_MISSED) {
      tell(member, { kind: 'ask' });
      return;
    }
    clearInterval(member.pulse);
    this.#options.log.error(
      { worker },
      `Worker ${worker} has not responded for ${duration(ASK_EVERY_MS * MOST_MISSED)} and is ended.`,
    );
    member.worker.process.kill('SIGKILL');
  }

  async #tellOthers(member: Member, question: number): Promise<void> {
    const others = [...this.#members].filter((each) => each !== member && each.ready);
    const counted = await Promise.all(
      others.map((each) =>
        each.counters.ask((number) => tell(each, { kind: 'count', question: number }), COUNTERS_WITHIN_MS),
      ),
    );
    tell(member, { kind: 'others', question, counted: counted.filter((each) => each !== undefined) });
  }

  #gone(member: Member, how: number | string): void {
    const { seat, ready, startedAt } = member;
    const served = ready ? performance.now() - startedAt : 0;
    this.#members.delete(member);
    clearInterval(member.pulse);
    member.counters.drop();
    member.started.resolve(false);
    member.gone.resolve();
    // One that was replaced, or can't replace another, leaves no gap.
    const leavesGap = seat.member === member && seat.next === undefined;
    if (seat.member === member) seat.member = undefined;
    if (this.#stopping) this.#endIfEmpty();
    else if (!leavesGap) return;
    else if (this.#sound) this.#restart(seat, served, how);
    else this.#giveUp(seat, how);
  }

  #restart(seat: Seat, served: number, how: number | string): void {
    const { number: worker } = seat;
    const pause = seat.backoff.next(served);
    const ended = typeof how === 'number' ? `with code ${how}` : `by ${how}`;
    this.#options.log.error({ worker }, `Worker ${worker} ended ${ended}; another starts in ${duration(pause)}.`);
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
    if (this.#members.size > 0) return;
    clearTimeout(this.#grace);
    if (this.#killed) this.#end.reject(new Ended(1));
    else this.#end.resolve();
  }
}

function createSeat(number: number): Seat {
  return { number, member: undefined, next: undefined, backoff: new Backoff(LONGEST_PAUSE_MS), restart: undefined };
}

/** Whether no process is in it, or about to be. */
function isEmpty({ member, next, restart }: Seat): boolean {
  return member === undefined && next === undefined && restart === undefined;
}

function createMember(seat: Seat, worker: Worker): Member {
  return {
    seat,
    worker,
    startedAt: performance.now(),
    ready: false,
    stopsWithin: 0,
    counters: new Questions(),
    pulse: undefined,
    missed: 0,
    started: Promise.withResolvers(),
    gone: Promise.withResolvers(),
  };
}

/** Lets a worker finish its requests and end, while another has its place; one that hangs is ended. */
async function retire(member: Member): Promise<void> {
  tell(member, { kind: 'retire' });
  const limit = setTimeout(() => member.worker.process.kill('SIGKILL'), member.stopsWithin + STOP_MARGIN_MS);
  await member.gone.promise;
  clearTimeout(limit);
}

function tell({ worker }: Member, message: PrimaryMessage): void {
  post(worker.process, message);
}

/** What a worker is started with. */
export interface WorkerStart extends Place {
  /** From 1. A worker that replaces another has the same number. */
  readonly worker: number;
  readonly workers: number;
  readonly strictEnv: boolean;
  /** The name under which all workers hold leases together. */
  readonly holder: string;
  readonly colour: boolean;
  /** The log is for a person at a terminal. */
  readonly people: boolean;
}

/** From a worker to its primary. */
export type WorkerMessage =
  /** It accepts connections. `stopsWithin`: milliseconds that it takes to stop at most. */
  | {
      readonly kind: 'ready';
      readonly address: string;
      readonly console: string | undefined;
      readonly stopsWithin: number;
    }
  /** It can't start, for a reason that the user can fix; `text` is ready to print. */
  | { readonly kind: 'failed'; readonly text: string; readonly exitCode: ExitCode }
  /** The reply to `count`. */
  | { readonly kind: 'counted'; readonly question: number; readonly counted: Counted }
  /** The reply to `ask`. */
  | { readonly kind: 'alive' }
  /** Asks for the counters of the other workers. */
  | { readonly kind: 'others'; readonly question: number };

/** From the primary to a worker. */
export type PrimaryMessage =
  /** Asks for its counters. */
  | { readonly kind: 'count'; readonly question: number }
  | { readonly kind: 'others'; readonly question: number; readonly counted: readonly Counted[] }
  /** Asks for a sign of life. */
  | { readonly kind: 'ask' }
  /** Asks it to finish its requests and end. `drains`: it first announces that it stops. */
  | { readonly kind: 'end'; readonly drains: boolean }
  /** The same, when another worker has taken its place. */
  | { readonly kind: 'retire' };
