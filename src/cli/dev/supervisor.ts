import { relative, resolve, sep } from 'node:path';
import { describeChanges, type Fingerprints, shorten } from '../../load/fingerprint.ts';
import type { BrokenEdit } from '../../model/definition.ts';
import { Backoff, post } from '../child-process.ts';
import { envFilePaths, retakeEnvFiles } from '../env-file.ts';
import { type Colors, writeAtOnce } from '../terminal.ts';
import type { FrontDoor } from './front-door.ts';
import { type Keys, readKeys } from './keys.ts';
import { TypeCheck } from './type-check.ts';
import { type Watch, type Watched, watchFiles } from './watch.ts';
import {
  type SupervisorMessage,
  startWorker,
  type WorkerFiles,
  type WorkerHandle,
  type WorkerMessage,
  type WorkerStart,
} from './worker-handle.ts';

const LONGEST_PAUSE_MS = 5_000;
/** How long after a worker took over the spare one is started: until then the processor is left to the worker. */
const SPARE_AFTER_MS = 100;

/** What it is started with. */
interface SupervisorStart extends Omit<WorkerStart, 'spare' | 'first' | 'how'> {
  /** Whether migrations run as they are saved, without being asked for. */
  readonly migrate: boolean;
}

type Heard = Exclude<WorkerMessage, { kind: 'retired' }>;

/**
 * Runs the gateway in a child process and replaces it after every edit by a fresh one, once that is ready. So handlers and
 * the modules they import are loaded again too, and callers don't notice.
 */
export class Supervisor {
  readonly #start: Omit<WorkerStart, 'spare' | 'first'>;
  /** Migrations run as they are saved. */
  readonly #migrates: boolean;
  /** Those that wait were asked for, and the worker that runs them has not come yet. */
  #asked = false;
  readonly #keys: Keys | undefined;
  readonly #report: Reporter;
  readonly #types: TypeCheck;
  readonly #door: FrontDoor;
  readonly #watch: Watch;
  readonly #workers = new Set<WorkerHandle>();
  /** The worker that serves. */
  #current: WorkerHandle | undefined;
  /** The worker that is to take over. */
  #next: WorkerHandle | undefined;
  /** A worker that has warmed up, for the next edit. */
  #spare: WorkerHandle | undefined;
  #spareTimer: NodeJS.Timeout | undefined;
  /** Handlers that the next worker is creating: their appearance is not an edit. */
  readonly #creating = new Set<string>();
  #announced = false;
  #operations: Fingerprints = {};
  #changed = new Set<string>();
  #changedAt = performance.now();
  readonly #backoff = new Backoff(LONGEST_PAUSE_MS);
  #restart: NodeJS.Timeout | undefined;
  #stopping = false;
  /** Why it could not start at all. */
  #failure: Error | undefined;
  readonly #end = Promise.withResolvers<void>();

  constructor({ migrate, ...start }: SupervisorStart, door: FrontDoor, paint: Colors) {
    this.#door = door;
    this.#migrates = migrate;
    this.#keys = migrate ? undefined : readKeys((key) => this.#pressed(key));
    const others = 'signalbox dev --migrate runs them as they are saved, signalbox migrate once.';
    const how = this.#keys === undefined ? `Not run: ${others}` : `Press m to run them. ${others}`;
    this.#start = { ...start, how };
    this.#report = createReporter(paint);
    this.#types = new TypeCheck(start.root, paint, (text) => writeAtOnce(2, text));
    this.#watch = watchFiles(this.#watched({ handlers: undefined, migrations: [], modules: [] }), (changed) =>
      this.#edited(changed),
    );
    this.#launch();
  }

  /** Resolves when everything has ended after {@link stop}. @throws CliFailure when the port is not available at the start */
  ended(): Promise<void> {
    return this.#end.promise;
  }

  /** Accepts no more connections and lets the workers finish their requests and end; called again, it ends them at once. */
  stop(): void {
    clearTimeout(this.#restart);
    clearTimeout(this.#spareTimer);
    this.#watch.close();
    this.#keys?.close();
    this.#types.close();
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
    this.#backoff.reset();
    if (envFilePaths().some((path) => changed.includes(path))) this.#renewEnvironment();
    this.#launch();
  }

  #pressed(key: string): void {
    if (key !== 'm' || this.#stopping) return;
    this.#asked = true;
    if (this.#changed.size === 0) this.#changedAt = performance.now();
    this.#launch();
  }

  /** A worker has the environment in which it was started. */
  #renewEnvironment(): void {
    try {
      retakeEnvFiles();
    } catch (error) {
      this.#report.note((error as Error).message);
    }
    this.#spare?.kill();
    this.#spare = undefined;
  }

  /** Lets a worker take over. A worker that is still starting is out of date and is ended. */
  #launch(): void {
    clearTimeout(this.#restart);
    clearTimeout(this.#spareTimer);
    this.#types.cancel();
    this.#creating.clear();
    this.#next?.kill();
    this.#next = this.#spare ?? this.#startWorker(false);
    this.#spare = undefined;
    this.#next.go(this.#migrates || this.#asked);
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
    }, SPARE_AFTER_MS);
  }

  #heard(worker: WorkerHandle, message: Heard): void {
    if (message.kind === 'admitted') this.#door.admitted(message.connection);
    else if (worker !== this.#next || this.#stopping) return;
    else if (message.kind === 'creating') this.#announce(message.handlers);
    else if (message.kind === 'created') this.#accept();
    else if (message.kind === 'listen') void this.#open(worker, message.host, message.port);
    else if (message.kind === 'failed') this.#refused(message.edit, message.text, message);
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
      post<SupervisorMessage>(worker.process, { kind: 'listening', ...bound });
    } catch (error) {
      if (this.#announced) {
        post<SupervisorMessage>(worker.process, { kind: 'not-listening', message: (error as Error).message });
        return;
      }
      // No edit can fix this.
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
    this.#asked = false;
    this.#door.handTo(worker.process);
    this.#operations = ready.operations;
    this.#changed.clear();
    this.#watch.follow(this.#watched(ready));
    this.#prepareSpare();
    // Reported once it holds for every call, on old connections too.
    const { address, screen } = ready;
    await before?.retire(address);
    if (ready.warnings !== '') this.#report.note(ready.warnings.trimEnd());
    if (this.#announced) this.#report.reloaded(took, what);
    else this.#report.ready(address, took, screen);
    this.#announced = true;
    if (!this.#stopping && this.#next === undefined) this.#types.start();
  }

  #changedFiles(): string {
    return shorten([...this.#changed].map((path) => relative(this.#start.root, path).split(sep).join('/')));
  }

  #refused(edit: BrokenEdit, text = edit.text, files?: WorkerFiles): void {
    this.#asked = false;
    this.#next = undefined;
    this.#current?.broken(edit);
    this.#changed.clear();
    // The error may be fixed in any file that was read.
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
    // A gateway that has served before is started again. The very first one waits for the next save.
    if (this.#current === undefined && this.#announced) this.#startAgain(worker, how);
    else this.#refused({ text: `The gateway ended while it started (${how}).`, found: [] });
  }

  #startAgain(worker: WorkerHandle, how: string): void {
    const pause = this.#backoff.next(performance.now() - worker.wentAt);
    this.#report.crashed(how, pause);
    this.#restart = setTimeout(() => this.#launch(), pause);
  }

  /** The definitions, the handlers, the migrations, the project's modules elsewhere, and the files with settings. */
  #watched(files: WorkerFiles): Watched {
    const { root, definitions = 'definitions' } = this.#start;
    return {
      trees: [resolve(root, definitions), files.handlers ?? resolve(root, 'src/handlers'), ...files.migrations],
      files: [...files.modules, ...envFilePaths()],
    };
  }
}

type Reporter = ReturnType<typeof createReporter>;

/** Reports to the user: progress on standard output, failures on standard error. */
function createReporter({ green, red }: Colors) {
  const ms = (time: number): string => `${Math.round(time)} ms`;
  return {
    ready: (address: string, tookMs: number, screen: string): void =>
      writeAtOnce(1, `${green('Signalbox is ready')} on ${address} (${ms(tookMs)})\n${screen}`),
    reloaded: (tookMs: number, what: string): void =>
      writeAtOnce(1, `${green('Reloaded')} in ${ms(tookMs)}${what === '' ? '' : `: ${what}`}\n`),
    note: (line: string): void => writeAtOnce(1, `${line}\n`),
    /** The edit is not applied, for the reason in `text`. */
    failed: (text: string, serving: boolean): void => {
      const state = serving ? 'The last good version keeps serving.' : 'Nothing is being served yet.';
      writeAtOnce(2, `${text.trimEnd()}\n${red('Not applied.')} ${state} Waiting for the next save.\n`);
    },
    crashed: (how: string, pauseMs: number): void =>
      writeAtOnce(2, `${red('The gateway ended')} (${how}); it restarts in ${ms(pauseMs)}.\n`),
  };
}
