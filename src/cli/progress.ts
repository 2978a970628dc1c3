import { Worker } from 'node:worker_threads';
import { sibling } from './package-info.ts';
import { writeAtOnce } from './terminal.ts';

/** States of the one cell that the command and the thread which draws its progress share. */
export const progressState = { idle: 0, drawing: 1, ended: 2 } as const;

/** What the drawing thread is started with. `cells`: the state, and whether anything was drawn. */
export interface ProgressStart {
  readonly label: string;
  /** When the work began, in `Date.now()`, which is the same in every thread. */
  readonly began: number;
  readonly cells: Int32Array;
}

/**
 * Does the work; where it takes longer than a second and standard error is a terminal, says so there, with the time it has
 * taken. The line is drawn by a thread of its own, since much of our work keeps this one busy.
 */
export async function withProgress<T>(label: string, work: () => Promise<T>): Promise<T> {
  if (process.stderr.isTTY !== true) return await work();
  const cells = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
  const start: ProgressStart = { label, began: Date.now(), cells };
  const thread = new Worker(sibling('progress-thread', import.meta.url), { workerData: start, execArgv: [] });
  thread.unref();
  // Progress is a courtesy: what goes wrong with it is not worth a word.
  thread.on('error', () => undefined);
  try {
    return await work();
  } finally {
    while (Atomics.compareExchange(cells, 0, progressState.idle, progressState.ended) === progressState.drawing) {
      Atomics.wait(cells, 0, progressState.drawing, 20);
    }
    if (Atomics.load(cells, 1) === 1) writeAtOnce(2, '\r\x1b[2K');
    await thread.terminate();
  }
}
