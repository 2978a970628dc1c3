import { Fault } from '../../model/fault.ts';
import { isLost } from '../../store/postgres/error.ts';
import { abandoned, unavailable } from '../errors.ts';
import type { Plan } from '../plan.ts';
import type { QueryStatus } from '../port.ts';
import type { RawResult } from '../reader-process.ts';
import type { Runner, Task } from '../runner.ts';
import { compileZone } from '../timezone.ts';
import { Canceller } from './canceller.ts';
import { faultOfDatabase, unreachable } from './errors.ts';
import { PostgresExecutor } from './execute.ts';
import { findRefused, VOLATILE_FUNCTIONS } from './refused.ts';
import { Session, type SessionOptions } from './session.ts';

/** How connections are kept; see {@link QueryOptions}. */
interface PostgresOptions extends SessionOptions {
  /** Connections at most, one of which is for stopping what runs on the others. */
  readonly connections: number;
  readonly maxWaiting: number;
  readonly idleTimeout: number;
  /** Folder of large results. */
  readonly temporary: string;
}

/** A query that was asked for: it waits for a session, or has one. */
interface Job extends Task {
  readonly resolve: (result: RawResult) => void;
  readonly reject: (error: unknown) => void;
  readonly onAbort: () => void;
  timer: NodeJS.Timeout | undefined;
  session: Session | undefined;
  /** Nobody waits for the answer any more. */
  settled: boolean;
  /** It is being stopped in the database. */
  stopping: Promise<void> | undefined;
  /** It runs no longer. */
  over: boolean;
}

/** A query whose caller has gone may end by itself when it is short: stopping it costs more. */
const GRACE = 50;
/** The database's own limit stands this far behind ours, in milliseconds. */
const BEHIND = 5000;
/** How long a stopped statement may take to end before its connection is cut. */
const STOP_WITHIN = 500;

/** Runs queries on a PostgreSQL, each on one of a few connections. */
export class PostgresRunner implements Runner {
  readonly engine = 'postgres';
  readonly #options: PostgresOptions;
  readonly #executor: PostgresExecutor;
  readonly #canceller: Canceller;
  readonly #sessions = new Set<Session>();
  /** Those without work, the last used at the end. */
  #idle: { readonly session: Session; readonly since: number }[] = [];
  readonly #waiting = new Set<Job>();
  readonly #running = new Set<Job>();
  /** Sessions that are being made. */
  #opening = 0;
  /** Plans that were looked through. */
  readonly #sound = new WeakSet<Plan>();
  #shrink: NodeJS.Timeout | undefined;
  #closing: PromiseWithResolvers<void> | undefined;

  constructor(options: PostgresOptions) {
    this.#options = options;
    this.#executor = new PostgresExecutor(compileZone(options.timezone), options.temporary);
    this.#canceller = new Canceller(options);
  }

  run(task: Task): Promise<RawResult> {
    return new Promise((resolve, reject) => {
      if (this.#closing !== undefined) throw unavailable('the gateway is stopping');
      if (task.signal?.aborted) throw abandoned(task.signal);
      const session = this.#idle.pop()?.session;
      if (session === undefined && this.#waiting.size >= this.#options.maxWaiting)
        throw unavailable('too many queries wait for a connection');
      const job: Job = {
        ...task,
        resolve,
        reject,
        onAbort: () => this.#abort(job),
        timer: setTimeout(() => this.#expire(job), task.timeout),
        session,
        settled: false,
        stopping: undefined,
        over: false,
      };
      task.signal?.addEventListener('abort', job.onAbort, { once: true });
      if (session !== undefined) void this.#work(session, job);
      else {
        this.#waiting.add(job);
        this.#grow();
      }
    });
  }

  async ready(): Promise<void> {
    if (this.#closing !== undefined) throw unavailable('the gateway is stopping');
    // One that works shows that there is a database; one that is idle may have lost it unseen.
    if (this.#running.size > 0) return;
    const session = this.#idle.pop()?.session;
    try {
      if (session === undefined) await this.#open();
      else {
        await session.ask('select 1');
        this.#release(session);
      }
    } catch (error) {
      session?.destroy();
      throw unreachable(error);
    }
  }

  status(): QueryStatus {
    const busy = new Set([...this.#running].map((job) => job.session));
    const readers = [...this.#sessions].map((session) => ({ pid: session.pid, busy: busy.has(session) }));
    return { readers, waiting: this.#waiting.size };
  }

  close(): Promise<void> {
    if (this.#closing === undefined) {
      this.#closing = Promise.withResolvers();
      this.#closeWhenQuiet();
    }
    return this.#closing.promise;
  }

  /** Makes as many sessions as there is work for. */
  #grow(): void {
    const most = Math.max(1, this.#options.connections - 1);
    while (this.#opening < this.#waiting.size && this.#sessions.size + this.#opening < most) {
      this.#open().catch((error: unknown) => {
        // Who waits may still be answered by another connection.
        if (this.#sessions.size + this.#opening > 0) return;
        for (const job of this.#waiting) if (this.#settle(job)) job.reject(unreachable(error));
        this.#closeWhenQuiet();
      });
    }
  }

  async #open(): Promise<void> {
    this.#opening += 1;
    let session: Session;
    try {
      session = await Session.open(this.#options);
    } finally {
      this.#opening -= 1;
    }
    if (this.#closing === undefined) this.#canceller.prepare();
    this.#sessions.add(session);
    session.whenLost(() => this.#lose(session));
    this.#release(session);
  }

  /** Gives a session to who has waited longest, or keeps it. */
  #release(session: Session): void {
    if (session.lost) return;
    const [job] = this.#waiting;
    if (job !== undefined) {
      this.#waiting.delete(job);
      void this.#work(session, job);
      return;
    }
    this.#idle.push({ session, since: performance.now() });
    if (this.#closing !== undefined) this.#closeWhenQuiet();
    else if (this.#idle.length > 1) this.#watchShrink();
  }

  async #work(session: Session, job: Job): Promise<void> {
    job.session = session;
    this.#running.add(job);
    try {
      await this.#lookThrough(session, job.plan);
      await session.allow(job.timeout + BEHIND);
      const result = await this.#executor.run(session, job);
      if (this.#settle(job)) job.resolve(result);
      else if (!Buffer.isBuffer(result.content)) result.content.file.close();
    } catch (error) {
      if (isLost(error)) session.destroy();
      if (this.#settle(job)) job.reject(faultOfDatabase(job.plan.name, error, job.plan.prompts));
    }
    job.over = true;
    if (job.stopping !== undefined) {
      // What is late must not stop the session's next query.
      await job.stopping;
      await confirm(session);
    }
    this.#running.delete(job);
    this.#release(session);
    this.#closeWhenQuiet();
  }

  /** @throws Error for the log, where a query could do more than read */
  async #lookThrough(session: Session, plan: Plan): Promise<void> {
    if (this.#sound.has(plan)) return;
    const refusal = await findRefused(plan.sql, (names) => volatileAmong(session, names));
    if (refusal !== undefined) throw new Error(refusal.message);
    for (const link of plan.children) await this.#lookThrough(session, link.plan);
    this.#sound.add(plan);
  }

  #settle(job: Job): boolean {
    if (job.settled) return false;
    job.settled = true;
    clearTimeout(job.timer);
    job.signal?.removeEventListener('abort', job.onAbort);
    this.#waiting.delete(job);
    return true;
  }

  #expire(job: Job): void {
    if (!this.#settle(job)) return;
    if (job.session === undefined) job.reject(unavailable('no connection was free in time'));
    else {
      this.#stop(job);
      job.reject(Fault.of('TIMEOUT', { what: `Query ${job.plan.name}`, seconds: job.timeout / 1000 }));
    }
    this.#closeWhenQuiet();
  }

  #abort(job: Job): void {
    if (!this.#settle(job)) return;
    if (job.session !== undefined) setTimeout(() => this.#stop(job), GRACE);
    if (job.signal !== undefined) job.reject(abandoned(job.signal));
    this.#closeWhenQuiet();
  }

  /** Stops a query in the database, or cuts its connection where that does not do. */
  #stop(job: Job): void {
    const { session } = job;
    if (job.over || session === undefined) return;
    const cut = (): void => {
      if (!job.over) session.destroy();
    };
    setTimeout(cut, STOP_WITHIN);
    job.stopping ??= this.#canceller.cancel(session.pid).catch(cut);
  }

  #lose(session: Session): void {
    this.#sessions.delete(session);
    this.#idle = this.#idle.filter((idle) => idle.session !== session);
    this.#grow();
    this.#closeWhenQuiet();
  }

  /** Ends sessions that have had nothing to do for a while, but for one. */
  #watchShrink(): void {
    if (this.#shrink !== undefined || this.#closing !== undefined) return;
    this.#shrink = setTimeout(() => {
      this.#shrink = undefined;
      const before = performance.now() - this.#options.idleTimeout;
      const surplus = this.#idle.slice(0, -1).filter(({ since }) => since <= before);
      this.#idle = this.#idle.filter((idle) => !surplus.includes(idle));
      for (const { session } of surplus) void session.close();
      if (this.#idle.length > 1) this.#watchShrink();
    }, this.#options.idleTimeout);
    this.#shrink.unref();
  }

  #closeWhenQuiet(): void {
    const closing = this.#closing;
    if (closing === undefined || this.#waiting.size + this.#running.size + this.#opening > 0) return;
    clearTimeout(this.#shrink);
    this.#idle = [];
    const sessions = [...this.#sessions].map((session) => session.close());
    void Promise.all([...sessions, this.#canceller.close()]).then(() => closing.resolve());
  }
}

/** Takes a session that was stopped through one statement, so that a stop that came late is behind it. */
async function confirm(session: Session): Promise<void> {
  if (session.lost) return;
  try {
    await session.ask('select 1').catch(() => session.ask('select 1'));
  } catch {
    session.destroy();
  }
}

/** Those of some names that are volatile functions of the server. @throws errors of the database and of the connection */
export async function volatileAmong(session: Session, names: readonly string[]): Promise<string[]> {
  return (await session.ask(VOLATILE_FUNCTIONS, [names])).map(([name]) => String(name));
}
