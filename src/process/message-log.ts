import type { Db, Store } from '../store/index.ts';
import { instantText } from './clock.ts';
import { updateOwn } from './rows.ts';

/** A line of a message log. */
export interface LogLine {
  readonly level: 'info' | 'warning' | 'error';
  readonly text: string;
  /** UTC, `yyyy-MM-ddTHH:mm:ss.fffZ`. */
  readonly said: string;
}

/** Characters of a line; what is beyond is cut. */
const LONGEST_LINE = 2000;
/** Lines of one request. The last of them says that others were left out. */
const MOST_LINES = 10_000;

const LEFT_OUT = 'Further messages are left out.';

/**
 * Adds lines to a request's message log, as part of a transaction.
 * @param run where it is given, only if that attempt has the request
 * @returns whether it was so
 */
export async function addLines(tx: Db, instance: number, lines: readonly LogLine[], run?: string): Promise<boolean> {
  let update = tx
    .updateTable('signalbox_process_request')
    .set(({ eb }) => ({ messages: eb('messages', '+', lines.length) }))
    .where('instance', '=', instance);
  if (run !== undefined) update = update.where('run', '=', run);
  const updated = await update.returning('messages').executeTakeFirst();
  if (updated === undefined) return false;
  const first = updated.messages - lines.length + 1;
  const kept = lines.slice(0, Math.max(0, MOST_LINES - first + 1));
  const rows = kept.map(({ level, text, said }, index) => {
    const sequence = first + index;
    return { instance, sequence, level, said, text: sequence === MOST_LINES ? LEFT_OUT : cut(text) };
  });
  // Engines bound the values of one statement.
  for (let from = 0; from < rows.length; from += 500) {
    await tx
      .insertInto('signalbox_process_message')
      .values(rows.slice(from, from + 500))
      .execute();
  }
  return true;
}

/** A text of at most so many characters that PostgreSQL takes, which has no NUL. */
function cut(text: string): string {
  const sound = text.replaceAll('\0', '').toWellFormed();
  return sound.length > LONGEST_LINE ? `${sound.slice(0, LONGEST_LINE - 3).toWellFormed()}...` : sound;
}

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
    let isOurs = progress === undefined || (await updateOwn(tx, instance, progress, run));
    if (isOurs && lines.length > 0) isOurs = await addLines(tx, instance, lines, run);
    if (!isOurs) onLost();
  }
}
