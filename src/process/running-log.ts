import type { Db, Store } from '../store/index.ts';
import { instantText } from './clock.ts';
import { addLines, cut, type LogLine, MOST_LINES } from './log.ts';

/** Milliseconds for which what a process says is gathered before it is written. */
const GATHER = 250;

interface Progress {
  readonly percent: number;
  readonly progress: string | null;
}

/** Which attempt of which request, and what it writes to. */
interface LogOwner {
  readonly store: Store;
  readonly instance: number;
  readonly run: string;
  readonly now: () => number;
  /** The request is not this attempt's any more. */
  readonly onLost: () => void;
}

/** What a process says while it runs: gathered, and written a few times a second, never in a transaction of others. */
export class RunningLog {
  readonly #owner: LogOwner;
  #lines: LogLine[] = [];
  #said = 0;
  #progress: Progress | undefined;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  #paused = false;

  constructor(owner: LogOwner) {
    this.#owner = owner;
  }

  add(level: LogLine['level'], text: string): void {
    // One line more than there is room for, which says that others were left out.
    if (this.#said > MOST_LINES) return;
    this.#said += 1;
    this.#lines.push({ level, text: cut(text), said: instantText(this.#owner.now()) });
    this.#plan();
  }

  progress(percent: number, text: string | undefined): void {
    this.#progress = { percent: Math.round(percent), progress: text === undefined ? null : cut(text) };
    this.#plan();
  }

  /** Writes all that was said so far. @throws errors of the database; what was not written is kept */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const write = this.#writing.then(() => this.#write());
    this.#writing = write.catch(() => undefined);
    return write;
  }

  /** From now on nothing is written but through {@link RunningLog.writeIn}. */
  async pause(): Promise<void> {
    await this.flush();
    this.close();
  }

  /** After a pause: writes again, what was said meanwhile too. */
  resume(): void {
    this.#paused = false;
    if (this.#lines.length > 0 || this.#progress !== undefined) this.#plan();
  }

  /** Writes what was said since as part of a transaction. */
  async writeIn(tx: Db): Promise<void> {
    await this.#put(tx, this.#lines, this.#progress);
  }

  /** Writes nothing more. */
  close(): void {
    this.#paused = true;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #plan(): void {
    if (this.#paused || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      // Where the database is away it is tried again with what is said next, and at the end.
      this.flush().catch(() => undefined);
    }, GATHER).unref();
  }

  async #write(): Promise<void> {
    const lines = this.#lines;
    const progress = this.#progress;
    if (this.#paused || (lines.length === 0 && progress === undefined)) return;
    this.#lines = [];
    this.#progress = undefined;
    try {
      await this.#owner.store.transaction((tx) => this.#put(tx, lines, progress));
    } catch (error) {
      this.#lines = [...lines, ...this.#lines];
      this.#progress ??= progress;
      throw error;
    }
  }

  async #put(tx: Db, lines: readonly LogLine[], progress: Progress | undefined): Promise<void> {
    const { instance, run, onLost } = this.#owner;
    let isOurs = true;
    if (progress !== undefined) {
      const { numUpdatedRows } = await tx
        .updateTable('signalbox_process_request')
        .set(progress)
        .where('instance', '=', instance)
        .where('run', '=', run)
        .executeTakeFirstOrThrow();
      isOurs = numUpdatedRows > 0n;
    }
    if (isOurs && lines.length > 0) isOurs = await addLines(tx, instance, lines, run);
    if (!isOurs) onLost();
  }
}
