import type { Db, Store } from '../store/index.ts';
import { instantText } from './clock.ts';
import type { LogEntry, ProcessMessage, RequestTrailLine } from './process-port.ts';
import { updateOwn } from './rows.ts';

/** A line of a message log. */
export interface LogLine {
  readonly level: 'info' | 'warning' | 'error';
  readonly text: string;
  /** UTC, `yyyy-MM-ddTHH:mm:ss.fffZ`. */
  readonly said: string;
}

/** Characters of a line; longer ones are cut. */
const LONGEST_LINE = 2000;
/** Lines of one request. The last one states that more were omitted. */
const MOST_LINES = 10_000;

const LEFT_OUT = 'Further messages are left out.';

/**
 * Adds lines to a request's message log, as part of a transaction.
 * @param run if given, adds them only while that run has the request
 * @returns whether they were added
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
  // Databases limit the number of values in one statement.
  for (let from = 0; from < rows.length; from += 500) {
    await tx
      .insertInto('signalbox_process_message')
      .values(rows.slice(from, from + 500))
      .execute();
  }
  return true;
}

/** What is said of an action. The scheduler writes a message about each action at a job into the log itself. */
const WORDS: Readonly<Record<string, string>> = {
  schedule: 'Scheduled',
  hold: 'Put on hold',
  cancel: 'Cancelled',
  restart: 'Restarted',
  delete: 'Deleted',
};

/**
 * Puts the actions of operators at their places in a part of a message log.
 * @param part `from`: the number of its first line, from 1; `next`: the line that follows the part, `undefined` at the end
 */
export function withTrail(
  messages: readonly ProcessMessage[],
  trail: readonly RequestTrailLine[],
  { from, next }: { readonly from: number; readonly next: ProcessMessage | undefined },
): readonly LogEntry[] {
  const first = from === 1 ? '' : (messages[0]?.at ?? '');
  const actions = trail.flatMap(({ at, actor, action }): LogEntry[] => {
    const words = WORDS[action];
    if (words === undefined || at < first) return [];
    return [{ at, level: 'action', text: `${words} by ${actor}.` }];
  });
  const before = (end: string): LogEntry[] => actions.splice(0, actions.filter(({ at }) => at < end).length);
  const lines = messages.flatMap((line): LogEntry[] => [...before(line.at), line]);
  return [...lines, ...(next === undefined ? actions : before(next.at))];
}

/** A text of limited length without NUL, which PostgreSQL does not accept. */
function cut(text: string): string {
  const sound = text.replaceAll('\0', '').toWellFormed();
  return sound.length > LONGEST_LINE ? `${sound.slice(0, LONGEST_LINE - 3).toWellFormed()}...` : sound;
}

/** Milliseconds for which lines are collected before they are written. */
const GATHER = 250;

interface Progress {
  readonly percent: number;
  readonly progress: string | null;
}

/** The attempt that a log belongs to. */
interface LogOwner {
  readonly store: Store;
  readonly instance: number;
  readonly run: string;
  readonly now: () => number;
  /** Called when another attempt has the request. */
  readonly onLost: () => void;
}

/** The log of a running process: lines and progress are collected and written a few times a second, in own transactions. */
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
    // One more than is kept: it becomes the line that states the omission.
    if (this.#said > MOST_LINES) return;
    this.#said += 1;
    this.#lines.push({ level, text: cut(text), said: instantText(this.#owner.now()) });
    this.#plan();
  }

  progress(percent: number, text: string | undefined): void {
    this.#progress = { percent: Math.round(percent), progress: text === undefined ? null : cut(text) };
    this.#plan();
  }

  /** Writes all lines so far. @throws errors of the database; lines that were not written are kept */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const write = this.#writing.then(() => this.#write());
    this.#writing = write.catch(() => undefined);
    return write;
  }

  /** From now on, only {@link RunningLog.writeIn} writes. */
  async pause(): Promise<void> {
    await this.flush();
    this.close();
  }

  /** Ends a pause, and writes the lines that were added during it. */
  resume(): void {
    this.#paused = false;
    if (this.#lines.length > 0 || this.#progress !== undefined) this.#plan();
  }

  /** Writes the remaining lines as part of a transaction. */
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
      // If the database is not available, the next line tries again, and so does the end of the attempt.
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
