import { isLost } from '../../store/postgres/error.ts';
import { compileZone } from '../../wire/timezone.ts';
import { type Call, Calls, type Waiting } from '../calls.ts';
import { unavailable } from '../errors.ts';
import type { Plan } from '../plan.ts';
import type { QueryStatus } from '../port.ts';
import type { RawResult, Runner, Task } from '../runner.ts';
import { Canceller } from './canceller.ts';
import { faultOfDatabase, unreachable } from './errors.ts';
import { PostgresExecutor } from './execute.ts';
import { findRefused, VOLATILE_FUNCTIONS } from './refused.ts';
import { Session, type SessionOptions } from './session.ts';

/** How connections are kept; see {@link QueryOptions}. */
interface PostgresOptions extends SessionOptions {
  /** Connections at most, one of which is for stopping what runs on the others. */
  readonly connections: number;
  readonly waiting: Waiting;
  readonly idleTimeout: number;
  /** Folder of large results. */
  readonly temporary: string;
}

/** A call that runs. */
interface Run {
  readonly session: Session;
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
  readonly #calls: Calls<Session>;
  readonly #running = new Map<Call, Run>();
  /** Sessions that are being made. */
  #opening = 0;
  /** Plans that were looked through. */
  readonly #sound = new WeakSet<Plan>();
  #shrink: NodeJS.Timeout | undefined;

  constructor(options: PostgresOptions) {
    this.#options = options;
    this.#executor = new PostgresExecutor(compileZone(options.timezone), options.temporary);
    this.#canceller = new Canceller(options);
    this.#calls = new Calls({
      what: 'connection',
      ...options.waiting,
      free: (fits) => this.#free(fits),
      working: () => [...this.#running.keys()].map(({ caller }) => caller),
      // A session has one call at a time.
      serves: () => false,
      begin: (session, call) => void this.#work(session, call),
      queued: () => this.#grow(),
      stop: (call, isLate) => this.#stop(this.#running.get(call), isLate),
      quiet: () => this.#closeWhenQuiet(),
    });
  }

  run(task: Task): Promise<RawResult> {
    return this.#calls.run(task);
  }

  async ready(): Promise<void> {
    if (this.#calls.closing) throw unavailable('the gateway is stopping');
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
    const busy = new Set([...this.#running.values()].map(({ session }) => session));
    const readers = [...this.#sessions].map((session) => ({ pid: session.pid, busy: busy.has(session) }));
    return { readers, waiting: this.#calls.waiting };
  }

  close(): Promise<void> {
    const closed = this.#calls.close();
    this.#closeWhenQuiet();
    return closed;
  }

  /** Makes as many sessions as there is work for. */
  #grow(): void {
    const most = Math.max(1, this.#options.connections - 1);
    while (this.#opening < this.#calls.startable && this.#sessions.size + this.#opening < most) {
      this.#open().catch((error: unknown) => {
        // Who waits may still be answered by another connection.
        if (this.#sessions.size + this.#opening > 0) return;
        this.#calls.failWaiting(unreachable(error));
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
    if (!this.#calls.closing) this.#canceller.prepare();
    this.#sessions.add(session);
    session.whenLost(() => this.#lose(session));
    this.#release(session);
  }

  #free(fits: (session: Session) => boolean): Session | undefined {
    const idle = this.#idle.at(-1)?.session;
    return idle !== undefined && fits(idle) ? this.#idle.pop()?.session : undefined;
  }

  /** Gives a session to whose turn it is, or keeps it. */
  #release(session: Session): void {
    if (session.lost) {
      // Its caller holds one fewer, and may go on with another.
      this.#occupy();
      this.#grow();
      return;
    }
    const call = this.#calls.next(session);
    if (call === undefined) this.#idle.push({ session, since: performance.now() });
    else void this.#work(session, call);
    this.#occupy();
    if (call !== undefined) return;
    if (this.#calls.closing) this.#closeWhenQuiet();
    else if (this.#idle.length > 1) this.#watchShrink();
  }

  /** Gives calls that wait, and may begin now that a caller holds fewer, to sessions without work. */
  #occupy(): void {
    for (let session = this.#idle.at(-1)?.session; session !== undefined; session = this.#idle.at(-1)?.session) {
      const call = this.#calls.next(session);
      if (call === undefined) return;
      this.#idle.pop();
      void this.#work(session, call);
    }
  }

  async #work(session: Session, call: Call): Promise<void> {
    const run: Run = { session, stopping: undefined, over: false };
    this.#running.set(call, run);
    const { plan, timeout } = call;
    try {
      await this.#lookThrough(session, plan);
      await session.allow(timeout + BEHIND);
      this.#calls.answer(call, await this.#executor.run(session, call));
    } catch (error) {
      if (isLost(error)) session.destroy();
      this.#calls.fail(call, faultOfDatabase(plan, error));
    }
    run.over = true;
    if (run.stopping !== undefined) {
      // What is late must not stop the session's next query.
      await run.stopping;
      await confirm(session);
    }
    this.#running.delete(call);
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

  #stop(run: Run | undefined, isLate: boolean): boolean {
    if (run === undefined) return false;
    if (isLate) this.#cancel(run);
    else setTimeout(() => this.#cancel(run), GRACE);
    return true;
  }

  /** Stops a query in the database, or cuts its connection where that does not do. */
  #cancel(run: Run): void {
    if (run.over) return;
    const cut = (): void => {
      if (!run.over) run.session.destroy();
    };
    setTimeout(cut, STOP_WITHIN);
    run.stopping ??= this.#canceller.cancel(run.session.pid).catch(cut);
  }

  #lose(session: Session): void {
    this.#sessions.delete(session);
    this.#idle = this.#idle.filter((idle) => idle.session !== session);
    this.#occupy();
    this.#grow();
    this.#closeWhenQuiet();
  }

  /** Ends sessions that have had nothing to do for a while, but for one. */
  #watchShrink(): void {
    if (this.#shrink !== undefined || this.#calls.closing) return;
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
    if (!this.#calls.closing || this.#calls.waiting + this.#running.size + this.#opening > 0) return;
    clearTimeout(this.#shrink);
    this.#idle = [];
    const sessions = [...this.#sessions].map((session) => session.close());
    void Promise.all([...sessions, this.#canceller.close()]).then(() => this.#calls.closed());
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
