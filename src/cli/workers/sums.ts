import type { Counted } from '../../serve/log/counters.ts';

/** Milliseconds that a worker has to say what it has counted; one that is too busy is left out of that page. */
const WITHIN_MS = 1_000;

/** One that can be asked what it has counted. */
interface Asked {
  ask(question: number): void;
}

/** What is still to come of an answer. */
interface Open {
  readonly missing: Set<Asked>;
  readonly counted: Counted[];
  readonly done: (counted: readonly Counted[]) => void;
  readonly limit: NodeJS.Timeout;
}

/** Asks workers what they have counted, and gathers their answers. */
export class Sums {
  readonly #open = new Map<number, Open>();
  #questions = 0;

  /** What these have counted: of those that answer in time. */
  gather(workers: readonly Asked[]): Promise<readonly Counted[]> {
    const question = ++this.#questions;
    return new Promise((done) => {
      const limit = setTimeout(() => this.#end(question), WITHIN_MS);
      this.#open.set(question, { missing: new Set(workers), counted: [], done, limit });
      for (const worker of workers) worker.ask(question);
      this.#endIfComplete(question);
    });
  }

  answered(worker: Asked, question: number, counted: Counted): void {
    const open = this.#open.get(question);
    if (open?.missing.delete(worker) !== true) return;
    open.counted.push(counted);
    this.#endIfComplete(question);
  }

  /** It answers nothing any more. */
  gone(worker: Asked): void {
    for (const [question, { missing }] of this.#open) if (missing.delete(worker)) this.#endIfComplete(question);
  }

  #endIfComplete(question: number): void {
    if (this.#open.get(question)?.missing.size === 0) this.#end(question);
  }

  #end(question: number): void {
    const open = this.#open.get(question);
    if (open === undefined) return;
    this.#open.delete(question);
    clearTimeout(open.limit);
    open.done(open.counted);
  }
}
