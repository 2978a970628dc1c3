import { withinTime } from '../../wire/waiting.ts';
import { type Call, Calls, waitingOf } from '../calls.ts';
import { unavailable, unreachable } from '../errors.ts';
import type { Plan } from '../plan.ts';
import type { QueryStatus } from '../query-port.ts';
import type { RawResult, Runner, RunnerOptions, Task } from '../runner.ts';
import type { Connection, Driver } from './connection.ts';
import { ServerExecutor } from './execute.ts';

/** A call that runs. */
interface Run {
  readonly connection: Connection;
  /** It is being stopped in the database. */
  stopping: Promise<void> | undefined;
  /** The run has ended. */
  over: boolean;
}

/** Milliseconds for a query to finish after its caller has gone: stopping a short one costs more. */
const GRACE = 50;
/** Milliseconds by which the database's own time limit exceeds the gateway's. */
const BEHIND = 5000;
/** How long the database may take to answer on a connection that had nothing to do. */
const PING_WITHIN = 2000;
/** How long a stopped statement may take to end before its connection is cut. */
const STOP_WITHIN = 500;

/** Runs queries on a database server, each on one of a few connections. */
export class ServerRunner implements Runner {
  readonly #driver: Driver;
  readonly #options: RunnerOptions;
  readonly #executor: ServerExecutor;
  readonly #canceller: Canceller;
  readonly #connections = new Set<Connection>();
  /** Those without work, the last used at the end. */
  #idle: { readonly connection: Connection; readonly since: number }[] = [];
  readonly #calls: Calls<Connection>;
  readonly #running = new Map<Call, Run>();
  /** Connections that are being made. */
  #opening = 0;
  /** Plans that were found to read only. */
  readonly #sound = new WeakSet<Plan>();
  #shrink: NodeJS.Timeout | undefined;

  constructor(driver: Driver, options: RunnerOptions) {
    this.#driver = driver;
    this.#options = options;
    this.#executor = new ServerExecutor(driver, options);
    this.#canceller = new Canceller(driver);
    this.#calls = new Calls({
      what: 'connection',
      ...waitingOf(options, options.connections - 1),
      free: (fits) => this.#free(fits),
      working: () => [...this.#running.keys()].map(({ caller }) => caller),
      // A connection has one call at a time.
      serves: () => false,
      begin: (connection, call) => void this.#work(connection, call),
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
    const connection = this.#idle.pop()?.connection;
    try {
      if (connection === undefined) await this.#open();
      else {
        await withinTime(connection.ping(), PING_WITHIN, silent);
        this.#release(connection);
      }
    } catch (error) {
      connection?.destroy();
      throw unreachable(error);
    }
  }

  /** One connection is for stopping the queries of others. */
  get limit(): number {
    return Math.max(1, this.#options.connections - 1);
  }

  status(): QueryStatus {
    const busy = new Set([...this.#running.values()].map(({ connection }) => connection));
    const readers = [...this.#connections].map((connection) => ({ pid: connection.id, busy: busy.has(connection) }));
    return { readers, waiting: this.#calls.waiting };
  }

  close(): Promise<void> {
    const closed = this.#calls.close();
    this.#closeWhenQuiet();
    return closed;
  }

  /** Makes as many connections as there is work for. */
  #grow(): void {
    while (this.#opening < this.#calls.startable && this.#connections.size + this.#opening < this.limit) {
      this.#open().catch((error: unknown) => {
        // Waiting calls may still be answered by another connection.
        if (this.#connections.size + this.#opening > 0) return;
        this.#calls.failWaiting(unreachable(error));
        this.#closeWhenQuiet();
      });
    }
  }

  async #open(): Promise<void> {
    this.#opening += 1;
    let connection: Connection;
    try {
      connection = await this.#driver.connect();
    } catch (error) {
      this.#opening -= 1;
      this.#closeWhenQuiet();
      throw error;
    }
    this.#opening -= 1;
    if (!this.#calls.closing) this.#canceller.prepare();
    this.#connections.add(connection);
    connection.whenLost(() => this.#lose(connection));
    connection.stopBy?.(() => this.#canceller.cancel(connection.id));
    this.#release(connection);
  }

  #free(fits: (connection: Connection) => boolean): Connection | undefined {
    const idle = this.#idle.at(-1)?.connection;
    return idle !== undefined && fits(idle) ? this.#idle.pop()?.connection : undefined;
  }

  /** Gives a connection to the next call in turn, or keeps it idle. */
  #release(connection: Connection): void {
    if (connection.lost) {
      // Its caller holds one fewer, and may go on with another.
      this.#occupy();
      this.#grow();
      return;
    }
    const call = this.#calls.next(connection);
    if (call === undefined) this.#idle.push({ connection, since: performance.now() });
    else void this.#work(connection, call);
    this.#occupy();
    if (call !== undefined) return;
    if (this.#calls.closing) this.#closeWhenQuiet();
    else if (this.#idle.length > 1) this.#watchShrink();
  }

  /** Gives calls that wait, and may begin now that a caller holds fewer, to connections without work. */
  #occupy(): void {
    for (
      let connection = this.#idle.at(-1)?.connection;
      connection !== undefined;
      connection = this.#idle.at(-1)?.connection
    ) {
      const call = this.#calls.next(connection);
      if (call === undefined) return;
      this.#idle.pop();
      void this.#work(connection, call);
    }
  }

  async #work(connection: Connection, call: Call): Promise<void> {
    const run: Run = { connection, stopping: undefined, over: false };
    this.#running.set(call, run);
    const { plan, timeout } = call;
    try {
      await this.#lookThrough(connection, plan);
      await connection.allow(timeout + BEHIND);
      this.#calls.answer(call, await this.#executor.run(connection, call));
    } catch (error) {
      if (this.#driver.isLost(error)) connection.destroy();
      this.#calls.fail(call, this.#driver.faultOf(plan, error));
    }
    run.over = true;
    // A late stop must not hit the connection's next query.
    if (run.stopping !== undefined && !connection.lost) {
      await run.stopping;
      await confirm(connection);
    }
    this.#running.delete(call);
    this.#release(connection);
    this.#closeWhenQuiet();
  }

  /** @throws Error for the log, if a query could do more than read */
  async #lookThrough(connection: Connection, plan: Plan): Promise<void> {
    if (this.#sound.has(plan)) return;
    const refusal = await connection.findRefused(plan.sql);
    if (refusal !== undefined) throw new Error(refusal.message);
    for (const link of plan.children) await this.#lookThrough(connection, link.plan);
    this.#sound.add(plan);
  }

  #stop(run: Run | undefined, isLate: boolean): boolean {
    if (run === undefined) return false;
    if (isLate) this.#cancel(run);
    else setTimeout(() => this.#cancel(run), GRACE);
    return true;
  }

  /** Stops a query in the database, or cuts its connection if that fails. */
  #cancel(run: Run): void {
    if (run.over) return;
    const cut = (): void => {
      if (!run.over) run.connection.destroy();
    };
    setTimeout(cut, STOP_WITHIN);
    run.stopping ??= this.#canceller.cancel(run.connection.id).catch(cut);
  }

  #lose(connection: Connection): void {
    this.#connections.delete(connection);
    this.#idle = this.#idle.filter((idle) => idle.connection !== connection);
    this.#occupy();
    this.#grow();
    this.#closeWhenQuiet();
  }

  /** Ends connections that have had nothing to do for a while, but for one. */
  #watchShrink(): void {
    if (this.#shrink !== undefined || this.#calls.closing) return;
    this.#shrink = setTimeout(() => {
      this.#shrink = undefined;
      const before = performance.now() - this.#options.idleTimeout;
      const surplus = this.#idle.slice(0, -1).filter(({ since }) => since <= before);
      this.#idle = this.#idle.filter((idle) => !surplus.includes(idle));
      for (const { connection } of surplus) void connection.close();
      if (this.#idle.length > 1) this.#watchShrink();
    }, this.#options.idleTimeout);
    this.#shrink.unref();
  }

  #closeWhenQuiet(): void {
    if (!this.#calls.closing || this.#calls.waiting + this.#running.size + this.#opening > 0) return;
    clearTimeout(this.#shrink);
    this.#idle = [];
    const connections = [...this.#connections].map((connection) => connection.close());
    void Promise.all([...connections, this.#canceller.close()]).then(() => this.#calls.closed());
  }
}

const silent = (): Error => new Error('the database does not answer');

/** Runs one statement on a connection after a stop, so that a late stop can't hit the next query. */
async function confirm(connection: Connection): Promise<void> {
  if (connection.lost) return;
  const answer = connection.ping().catch(() => connection.ping());
  try {
    await withinTime(answer, PING_WITHIN, silent);
  } catch {
    connection.destroy();
  }
}

/**
 * Stops statements of other connections. Its own connection is made with the first of them and kept, so that it is available
 * when all others are taken.
 */
class Canceller {
  readonly #driver: Driver;
  #connection: Promise<Connection> | undefined;

  constructor(driver: Driver) {
    this.#driver = driver;
  }

  /** Makes the connection if there is none; {@link cancel} reports that it can't be made. */
  prepare(): void {
    this.#open().catch(() => {});
  }

  /** Stops what runs on a connection now, if anything does. @throws errors of the database and of the connection */
  async cancel(id: number): Promise<void> {
    const connection = await this.#open();
    try {
      await withinTime(connection.cancel(id), STOP_WITHIN, silent);
    } catch (error) {
      connection.destroy();
      throw error;
    }
  }

  async close(): Promise<void> {
    const connection = await this.#connection?.catch(() => undefined);
    this.#connection = undefined;
    await connection?.close();
  }

  #open(): Promise<Connection> {
    this.#connection ??= this.#driver.connect().then(
      (connection) => {
        connection.whenLost(() => {
          this.#connection = undefined;
        });
        return connection;
      },
      (error: unknown) => {
        this.#connection = undefined;
        throw error;
      },
    );
    return this.#connection;
  }
}
