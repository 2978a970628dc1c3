import { setTimeout as pause } from 'node:timers/promises';
import { isUncertain, longestAsked, UNCERTAIN } from '../../model/retry.ts';
import { duration } from '../../wire/duration.ts';
import { errorText } from '../error.ts';
import type { Db } from '../tables.ts';
import { type FailedAttempt, forgetAttempts, recordAttempt } from './attempts.ts';
import { bury } from './dead-letters.ts';
import type { QueueContext, Succession } from './engine.ts';
import type { HeldJob } from './job.ts';
import {
  type FailedJob,
  JobLost,
  JobNotBegun,
  JobRefused,
  JobUnknown,
  JobWaits,
  type RetryRule,
  type Worker,
} from './queue-port.ts';

/** Milliseconds before an ending that the database did not accept is tried again: at first, and at most. */
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 5000;
/** Milliseconds before a job that could not begin is given back: what it needs may be available again then. */
const NOT_BEGUN_PAUSE = 1000;
/** The rule of a job whose own rule threw. */
const NO_RETRY: RetryRule = { attempts: 1, first: 0, longest: 0 };

/** Ends the jobs of a worker. Without the database, an ending is tried again until it succeeds or the job is lost. */
export class Ending {
  readonly #worker: Worker;
  readonly #context: QueueContext;
  readonly #unknown: UnknownKinds;
  readonly #onward: ((jobs: readonly HeldJob[]) => Succession) | undefined;
  #batch: HeldJob[] = [];
  #batched: Promise<void> | undefined;

  /** @param onward takes the jobs that follow in the keys of some that end */
  constructor(worker: Worker, context: QueueContext, onward?: (jobs: readonly HeldJob[]) => Succession) {
    this.#worker = worker;
    this.#context = context;
    this.#onward = onward;
    this.#unknown = new UnknownKinds(
      context.unknown,
      worker.isUnordered === true ? KIND_PAUSE.first : KIND_PAUSE.longest,
    );
  }

  /** The kinds of jobs that this gateway leaves to others until their pause is over. */
  get unknownKinds(): readonly string[] {
    return this.#unknown.now();
  }

  /** Whether its last attempt was begun before, in a process that died. */
  isSpent(job: HeldJob): boolean {
    const { attempts = Infinity, for: time = Infinity } = this.#rule(job) ?? {};
    return job.attempt > attempts || (job.claim.died && job.elapsed > time);
  }

  /** Its worker returned without ending it. */
  done = (job: HeldJob): Promise<void> => this.#until(job, () => this.#finish(job));

  /** Its worker threw. */
  async failed(job: HeldJob, thrown: unknown): Promise<void> {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    job.failure = error;
    if (job.completed) return this.#context.report(error, { queue: job.queue, job: job.id });
    if (job.lost) return;
    // It stopped because it was asked to.
    if (job.signal.aborted) return this.giveBack(job);
    if (error instanceof JobNotBegun) {
      this.#context.report(error, { queue: job.queue, job: job.id });
      await pause(NOT_BEGUN_PAUSE, undefined, { signal: job.signal }).catch(() => {});
      return job.lost ? undefined : this.giveBack(job);
    }
    if (error instanceof JobWaits) return this.giveBack(job);
    if (error instanceof JobUnknown) return this.#leave(job, error);
    const wait = this.#pauseAfter(job, error);
    if (wait === undefined) return this.bury(job, job.attempt, error);
    const next = new Date(this.#context.now() + wait);
    return this.#inTransaction(job, async (tx) => {
      if (!(await this.#context.engine.postpone(tx, job.claim, wait))) throw new JobLost();
      await recordAttempt(tx, this.#attemptOf(job, error));
      await this.#worker.onRetry?.(tx, failedJob(job, job.attempt), error, next);
    });
  }

  /** Holds it, or makes it a dead letter. @param attempts the number of attempts that it had */
  async bury(job: HeldJob, attempts: number, error: Error): Promise<void> {
    const { engine, now, report } = this.#context;
    const isHeld = this.#worker.holds === true && job.key !== undefined;
    await this.#inTransaction(job, async (tx) => {
      if (isHeld ? !(await engine.keep(tx, job.claim, attempts)) : (await engine.finish(tx, [job.claim])).ended === 0)
        throw new JobLost();
      // Fewer than were begun: the gateway of the last one died, which is recorded already.
      if (attempts === job.attempt) await recordAttempt(tx, this.#attemptOf(job, error));
      if (isHeld) return this.#worker.onHeld?.(tx, failedJob(job, attempts), error);
      await bury(tx, job.claim, attempts, reasonOf(error), new Date(now()));
      await this.#worker.onDead?.(tx, failedJob(job, attempts), error);
    });
    if (!job.lost && this.#worker.reports !== true) report(error, { queue: job.queue, job: job.id, attempts });
  }

  /** Leaves a job that is unknown here to other gateways, until for too long none has begun it or could have. */
  async #leave(job: HeldJob, error: JobUnknown): Promise<void> {
    const { engine, report, unknown } = this.#context;
    const { unknownFor, key } = job.claim;
    if (unknownFor !== undefined && unknownFor >= unknown && !(await this.#isKnown(job))) {
      const words = `No gateway has been able to run it for ${duration(unknown)}: ${error.message}`;
      return this.bury(job, job.attempt - 1, new JobUnknown(words));
    }
    const aside = this.#worker.isUnordered === true && key !== undefined;
    const { isNew, wait: pause } = this.#unknown.add(job, error);
    if (isNew) {
      const words = `${error.message}; it is left to other gateways until none has known it for ${duration(unknown)}`;
      report(new JobUnknown(words), { queue: job.queue, job: job.id });
    }
    await this.#inTransaction(job, async (tx) => {
      if (!(await engine.leave(tx, job.claim, { aside, ...(pause !== undefined && { pause }) }))) throw new JobLost();
    });
  }

  /** Whether another gateway has been able to run a job. While the database does not answer, it may have. */
  async #isKnown({ claim, id, queue }: HeldJob): Promise<boolean> {
    const { engine, report, unknown } = this.#context;
    try {
      return (await engine.isKnown?.(claim, unknown)) ?? false;
    } catch (error) {
      report(error as Error, { queue, job: id });
      return true;
    }
  }

  /** Milliseconds before the attempt after a failed one; `undefined` when none follows. */
  #pauseAfter(job: HeldJob, error: Error): number | undefined {
    const rule = this.#rule(job) ?? NO_RETRY;
    const { attempts = Infinity, for: time = Infinity, on } = rule;
    if (error instanceof JobRefused || job.attempt >= attempts || on?.(error) === false) return undefined;
    const asked = Math.min(rule.asked?.(error) ?? 0, longestAsked(rule));
    const wait = Math.max(asked, retryPause(rule, job.attempt));
    return job.elapsed + wait > time ? undefined : wait;
  }

  /** Lets another run it, as if it had not begun. */
  giveBack(job: HeldJob): Promise<void> {
    return this.#inTransaction(job, async (tx) => {
      if (!(await this.#context.engine.release(tx, job.claim))) throw new JobLost();
    });
  }

  /** A lost job has stopped. If it was cancelled, the next of its key may begin. */
  async clear(job: HeldJob): Promise<void> {
    const { engine, report, store } = this.#context;
    for (let wait = FIRST_PAUSE; ; wait = Math.min(LONGEST_PAUSE, 2 * wait)) {
      try {
        return await store.transaction(async (tx) => {
          await engine.clear(tx, job.claim);
          await forgetAttempts(tx, [job.claim]);
        });
      } catch (error) {
        report(error as Error, { queue: job.queue, job: job.id });
      }
      // Whatever remains is found once this process has ended.
      if (job.stopping.aborted) return;
      await pause(wait, undefined, { signal: job.stopping }).catch(() => {});
    }
  }

  #attemptOf({ claim, spent }: HeldJob, error: Error): FailedAttempt {
    const { queue, id, attempt, started } = claim;
    const reason = reasonOf(error);
    return { queue, job: id, attempt, gateway: this.#context.gateway, began: started, ended: started + spent, reason };
  }

  #rule(job: HeldJob): RetryRule | undefined {
    const { retry } = this.#worker;
    if (typeof retry !== 'function') return retry;
    try {
      return retry(job);
    } catch (error) {
      this.#context.report(error as Error, { queue: job.queue, job: job.id });
      return NO_RETRY;
    }
  }

  #inTransaction(job: HeldJob, work: (tx: Db) => Promise<void>): Promise<void> {
    return this.#until(job, () => this.#context.store.transaction(work));
  }

  async #until(job: HeldJob, work: () => Promise<void>): Promise<void> {
    for (let wait = FIRST_PAUSE; !job.lost; wait = Math.min(LONGEST_PAUSE, 2 * wait)) {
      try {
        return await work();
      } catch (error) {
        if (error instanceof JobLost) return job.lose();
        this.#context.report(error as Error, { queue: job.queue, job: job.id });
        // The queue closes, and does not wait for it.
        if (job.signal.aborted) return job.lose();
      }
      await pause(wait, undefined, { signal: job.signal }).catch(() => {});
    }
  }

  /** Jobs that end at the same time end in one transaction. */
  #finish(job: HeldJob): Promise<void> {
    this.#batch.push(job);
    this.#batched ??= new Promise((resolve) => setImmediate(resolve)).then(async () => {
      const batch = this.#batch;
      this.#batch = [];
      this.#batched = undefined;
      const confirmed = performance.now();
      const claims = batch.map(({ claim }) => claim);
      const next = await this.#context.store.transaction(async (tx) => {
        const { next } = await this.#context.engine.finish(tx, claims, this.#onward?.(batch));
        await forgetAttempts(tx, claims);
        return next;
      });
      for (const claim of next) {
        const before = batch.find(({ key }) => key === claim.key);
        if (before !== undefined) before.next = { claim, confirmed };
      }
    });
    return this.#batched;
  }
}

/** Milliseconds for which a kind is not taken: at first, doubled each time, and at most. */
const KIND_PAUSE = { first: 5000, longest: 60_000 };
/**
 * Milliseconds for which a single job waits, at first and at most; in between a share of the time for which it has been unknown.
 * Any gateway may be the first to take it again, so there must be many turns for the few that know it.
 */
const JOB_PAUSE = { first: 1000, share: 1 / 8, longest: 60_000 };

/**
 * The kinds of jobs that this gateway does not take, because its definitions lack them. Each is taken again after a pause: when
 * no gateway has it, someone must end its jobs.
 */
class UnknownKinds {
  /** The longest pauses of a job, and of a kind: the jobs of a kind that no gateway has end about when they should. */
  readonly #longest: number;
  readonly #longestOfKind: number;
  readonly #kinds = new Map<string, { readonly since: number; readonly pause: number }>();

  /** @param limit milliseconds after which an unknown job is dead @param ofKind milliseconds for which no kind waits longer */
  constructor(limit: number, ofKind: number) {
    this.#longest = Math.max(100, limit / 4);
    this.#longestOfKind = Math.min(ofKind, this.#longest);
  }

  /** Those that are not taken now. */
  now(): readonly string[] {
    const time = performance.now();
    return [...this.#kinds].flatMap(([kind, { since, pause }]) => (since + pause > time ? [kind] : []));
  }

  /**
   * Notes that a job is unknown.
   * @returns whether this is news, and for how long the job has to wait, in milliseconds: not at all when its kind is not taken
   */
  add(job: HeldJob, { allOfKind }: JobUnknown): { readonly isNew: boolean; readonly wait?: number } {
    const { kind, unknownFor } = job.claim;
    const known = kind === undefined ? undefined : this.#kinds.get(kind);
    const time = performance.now();
    const isPaused = known !== undefined && known.since + known.pause > time;
    // A version that knows no kinds may have given it to pg-boss, which then does not hold it back.
    if (kind === undefined || !allOfKind || (isPaused && known.since < job.confirmed)) {
      const grown = Math.max(JOB_PAUSE.first, (unknownFor ?? 0) * JOB_PAUSE.share);
      const whole = Math.min(grown, JOB_PAUSE.longest, this.#longest);
      return { isNew: unknownFor === undefined, wait: shareOf(whole) };
    }
    if (!isPaused) {
      const pause = Math.min(known === undefined ? KIND_PAUSE.first : 2 * known.pause, this.#longestOfKind);
      this.#kinds.set(kind, { since: time, pause });
    }
    return { isNew: known === undefined };
  }
}

/** Why an attempt failed. */
function reasonOf(error: Error): string {
  return (isUncertain(error) ? UNCERTAIN : '') + errorText(error);
}

function failedJob({ id, queue, data, key, cause }: HeldJob, attempt: number): FailedJob {
  return { id, queue, data, attempt, ...(key !== undefined && { key }), ...(cause !== undefined && { cause }) };
}

/**
 * Milliseconds before the attempt after a failed one: doubled each time up to the longest, of which a random share from a half
 * to the whole is used, so that jobs which failed together are not tried again together.
 * @param attempt the number of the failed attempt, from 1
 */
export function retryPause({ first, longest }: RetryRule, attempt: number, random = Math.random()): number {
  return shareOf(Math.min(longest, first * 2 ** Math.min(attempt - 1, 52)), random);
}

/** A random share of a time, from a half to the whole. */
function shareOf(time: number, random = Math.random()): number {
  return Math.ceil(time * (0.5 + random / 2));
}
