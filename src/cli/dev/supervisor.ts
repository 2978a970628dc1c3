import { relative, resolve, sep } from 'node:path';
import { followParent } from '../signals.ts';
import { type Colors, writeAtOnce } from '../terminal.ts';
import { describeChanges, type Fingerprints, shorten } from './changes.ts';
import { FrontDoor } from './front-door.ts';
import { type Watch, type Watched, watchFiles } from './watch.ts';
import {
  startWorker,
  tell,
  type WorkerFiles,
  type WorkerHandle,
  type WorkerMessage,
  type WorkerStart,
} from './worker-handle.ts';

/** Back-off after a crash, doubled each time. */
const firstPauseMs = 100;
const longestPauseMs = 5_000;
/** A worker that has served this long has not crashed at its start. */
const steadyMs = 10_000;

/** A spare worker is started so long after the last one took over, to leave it the processor. */
const spareAfterMs = 100;

type Heard = Exclude<WorkerMessage, { kind: 'retired' }>;

/**
 * Runs the gateway in a child process and replaces that by a fresh one after every edit, once the fresh one is ready: so
 * that handlers, and what they import, are new too, and no caller notices.
 */
export class Supervisor {
  readonly #start: Omit<WorkerStart, 'spare' | 'first'>;
  readonly #report: Reporter;
  readonly #door = new FrontDoor();
  readonly #watch: Watch;
  readonly #workers = new Set<WorkerHandle>();
  /** The one that serves. */
  #current: WorkerHandle | undefined;
  /** The one that is to take over. */
  #next: WorkerHandle | undefined;
  /** One that has warmed up, for the next edit. */
  #spare: WorkerHandle | undefined;
  #spareTimer: NodeJS.Timeout | undefined;
  /** Handlers that the next worker is creating: their appearance is no edit. */
  readonly #creating = new Set<string>();
  #announced = false;
  #operations: Fingerprints = {};
  #changed = new Set<string>();
  #changedAt = performance.now();
  #pause = firstPauseMs;
  #restart: NodeJS.Timeout | undefined;
  #stopping = false;
  /** Why it could not even begin. */
  #failure: Error | undefined;
  readonly #end = Promise.withResolvers<void>();

  constructor(start: Omit<WorkerStart, 'spare' | 'first'>, report: Reporter) {
    this.#start = start;
    this.#report = report;
    this.#watch = watchFiles(this.#watched({ handlers: undefined, modules: [] }), (changed) => this.#edited(changed));
    this.#launch();
  }

  /** Resolves when everything has ended after {@link stop}. @throws CliFailure where the port can't be had from the start */
  ended(): Promise<void> {
    return this.#end.promise;
  }

  /** It was told to stop. */
  get stopping(): boolean {
    return this.#stopping;
  }

  /** Takes no more connections and ends the workers: running requests first, or at once when asked a second time. */
  stop(): void {
    clearTimeout(this.#restart);
    clearTimeout(this.#spareTimer);
    this.#watch.close();
    this.#door.close();
    const again = this.#stopping;
    this.#stopping = true;
    for (const worker of this.#workers) {
      if (again || worker === this.#next || worker === this.#spare) worker.kill();
      else worker.end();
    }
    this.#endIfEmpty();
  }

  #endIfEmpty(): void {
    if (this.#workers.size > 0) return;
    if (this.#failure === undefined) this.#end.resolve();
    else this.#end.reject(this.#failure);
  }

  #edited(paths: readonly string[]): void {
    const changed = paths.filter((path) => !this.#creating.has(path));
    if (changed.length === 0) return;
    if (this.#changed.size === 0) this.#changedAt = performance.now();
    for (const path of changed) this.#changed.add(path);
    this.#pause = firstPauseMs;
    this.#launch();
  }

  /** Lets a worker take over; one that is still on its way is out of date by now. */
  #launch(): void {
    clearTimeout(this.#restart);
    clearTimeout(this.#spareTimer);
    this.#creating.clear();
    this.#next?.kill();
    this.#next = this.#spare ?? this.#startWorker(false);
    this.#spare = undefined;
    this.#next.go();
    this.#door.expect(true);
  }

  #startWorker(spare: boolean): WorkerHandle {
    const worker: WorkerHandle = startWorker(
      { ...this.#start, spare, first: !this.#announced },
      {
        message: (message) => this.#heard(worker, message),
        exit: (how) => this.#gone(worker, how),
      },
    );
    this.#workers.add(worker);
    return worker;
  }

  #prepareSpare(): void {
    this.#spareTimer = setTimeout(() => {
      this.#spare ??= this.#startWorker(true);
    }, spareAfterMs);
  }

  #heard(worker: WorkerHandle, message: Heard): void {
    if (message.kind === 'admitted') this.#door.admitted(message.connection);
    else if (worker !== this.#next || this.#stopping) return;
    else if (message.kind === 'creating') this.#announce(message.handlers);
    else if (message.kind === 'created') this.#accept();
    else if (message.kind === 'listen') void this.#open(worker, message.host, message.port);
    else if (message.kind === 'failed') this.#refused(message.text, message);
    else void this.#takeOver(worker, message);
  }

  #announce(handlers: readonly string[]): void {
    for (const path of handlers) {
      this.#creating.add(resolve(this.#start.root, path));
      this.#report.note(`Created ${path}, a typed stub.`);
    }
  }

  #accept(): void {
    this.#watch.accept([...this.#creating]);
    this.#creating.clear();
  }

  async #open(worker: WorkerHandle, host: string, port: number): Promise<void> {
    try {
      const bound = await this.#door.open({ host, port });
      tell(worker.process, { kind: 'listening', ...bound });
    } catch (error) {
      if (this.#announced) {
        tell(worker.process, { kind: 'not-listening', message: (error as Error).message });
        return;
      }
      // Nothing that could be saved would mend this.
      this.#failure = error as Error;
      this.stop();
    }
  }

  async #takeOver(worker: WorkerHandle, ready: Extract<Heard, { kind: 'ready' }>): Promise<void> {
    const before = this.#current;
    const took = performance.now() - (this.#changed.size === 0 ? worker.wentAt : this.#changedAt);
    const what = describeChanges(this.#operations, ready.operations) || this.#changedFiles();
    this.#current = worker;
    this.#next = undefined;
    this.#door.handTo(worker.process);
    this.#operations = ready.operations;
    this.#changed.clear();
    this.#watch.follow(this.#watched(ready));
    this.#prepareSpare();
    // Told once it is true of every call, on whatever connection.
    const { address, screen } = ready;
    await before?.retire(address);
    if (ready.warnings !== '') this.#report.note(ready.warnings.trimEnd());
    if (this.#announced) this.#report.reloaded(took, what);
    else this.#report.ready(address, took, screen);
    this.#announced = true;
  }

  #changedFiles(): string {
    return shorten([...this.#changed].map((path) => relative(this.#start.root, path).split(sep).join('/')));
  }

  #refused(text: string, files?: WorkerFiles): void {
    this.#next = undefined;
    this.#changed.clear();
    // Whatever was read on the way to the mistake may be where it is mended.
    if (files !== undefined) this.#watch.follow(this.#watched(files));
    this.#report.failed(text, this.#current !== undefined);
    this.#door.expect(false);
    this.#prepareSpare();
  }

  #gone(worker: WorkerHandle, how: string): void {
    this.#workers.delete(worker);
    if (worker === this.#spare) this.#spare = undefined;
    this.#door.lost(worker.process);
    if (this.#stopping) this.#endIfEmpty();
    else if (worker === this.#current) this.#lost(worker, how);
    else if (worker === this.#next) this.#neverCame(worker, how);
  }

  #lost(worker: WorkerHandle, how: string): void {
    this.#current = undefined;
    if (this.#next === undefined) this.#startAgain(worker, how);
  }

  #neverCame(worker: WorkerHandle, how: string): void {
    this.#next = undefined;
    // One that served before is tried again; the very first has only the user's next save to hope for.
    if (this.#current === undefined && this.#announced) this.#startAgain(worker, how);
    else this.#refused(`The gateway ended while it started (${how}).`);
  }

  #startAgain(worker: WorkerHandle, how: string): void {
    if (performance.now() - worker.wentAt > steadyMs) this.#pause = firstPauseMs;
    this.#report.crashed(how, this.#pause);
    this.#restart = setTimeout(() => this.#launch(), this.#pause);
    this.#pause = Math.min(this.#pause * 2, longestPauseMs);
  }

  /** The definitions, the handlers, and the project's modules outside of both. */
  #watched(files: WorkerFiles): Watched {
    const { root, definitions = 'definitions' } = this.#start;
    return {
      trees: [resolve(root, definitions), files.handlers ?? resolve(root, 'src/handlers')],
      files: files.modules,
    };
  }
}

/** Ends the supervisor by signals: the first lets requests finish, the second does not wait. */
export function stopOnSignals(supervisor: Supervisor): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => supervisor.stop());
  // A terminal's Ctrl-C ends the shell as well: that is not a second request.
  followParent(() => {
    if (!supervisor.stopping) supervisor.stop();
  });
}

/** What the supervisor tells the user. */
interface Reporter {
  /** The gateway is up for the first time. */
  ready(address: string, tookMs: number, screen: string): void;
  reloaded(tookMs: number, what: string): void;
  note(line: string): void;
  /** The edit is not taken over; `text` says why. */
  failed(text: string, serving: boolean): void;
  crashed(how: string, pauseMs: number): void;
}

/** A reporter that writes lines to standard output, and what is wrong to standard error. */
export function lineReporter({ green, red }: Pick<Colors, 'green' | 'red'>): Reporter {
  const ms = (time: number): string => `${Math.round(time)} ms`;
  return {
    ready: (address, took, screen) =>
      writeAtOnce(1, `${green('Signalbox is ready')} on ${address} (${ms(took)})\n${screen}`),
    reloaded: (took, what) => writeAtOnce(1, `${green('Reloaded')} in ${ms(took)}${what === '' ? '' : `: ${what}`}\n`),
    note: (line) => writeAtOnce(1, `${line}\n`),
    failed: (text, serving) => {
      const state = serving ? 'Still serving what was last good.' : 'Nothing is served yet.';
      writeAtOnce(2, `${text.trimEnd()}\n${red('Not taken over.')} ${state} Waiting for the next save.\n`);
    },
    crashed: (how, pause) =>
      writeAtOnce(2, `${red('The gateway ended')} (${how}); it is started again in ${ms(pause)}.\n`),
  };
}
