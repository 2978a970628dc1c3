import type { ChildProcess } from 'node:child_process';

const FIRST_PAUSE_MS = 100;
/** A process that has served this long did not end because of its start. */
const STEADY_MS = 10_000;

/** The pause before a process that ended is started again: doubled each time, and short again once one has served for 10 s. */
export class Backoff {
  readonly #longestMs: number;
  #pause = FIRST_PAUSE_MS;

  constructor(longestMs: number) {
    this.#longestMs = longestMs;
  }

  /** @param servedMs how long the process that ended has served */
  next(servedMs: number): number {
    if (servedMs >= STEADY_MS) this.reset();
    const pause = this.#pause;
    this.#pause = Math.min(pause * 2, this.#longestMs);
    return pause;
  }

  reset(): void {
    this.#pause = FIRST_PAUSE_MS;
  }
}

/** Sends a message to another process. One that is gone gets nothing, which is not an error: its end is an event of its own. */
export function post<Message extends object>(
  to: ChildProcess | NodeJS.Process,
  message: Message,
  onSent: () => void = () => undefined,
): void {
  if (to.connected) to.send?.(message, undefined, undefined, onSent);
}

/** Questions to another process, which replies by messages that bear the number of the question. */
export class Questions<Reply> {
  readonly #open = new Map<number, (reply: Reply | undefined) => void>();
  #last = 0;

  /** Resolves with the reply, or with `undefined` when none has come within the limit or the other process is gone. */
  ask(send: (question: number) => void, limitMs?: number): Promise<Reply | undefined> {
    const question = ++this.#last;
    return new Promise((resolve) => {
      const limit = limitMs === undefined ? undefined : setTimeout(() => this.answered(question, undefined), limitMs);
      this.#open.set(question, (reply) => {
        clearTimeout(limit);
        resolve(reply);
      });
      send(question);
    });
  }

  answered(question: number, reply: Reply | undefined): void {
    const resolve = this.#open.get(question);
    this.#open.delete(question);
    resolve?.(reply);
  }

  /** The other process is gone. */
  drop(): void {
    for (const question of this.#open.keys()) this.answered(question, undefined);
  }
}
