import { Worker } from 'node:worker_threads';
import { counted } from '../wire/words.ts';
import { sibling } from './package-info.ts';
import { writeAtOnce } from './terminal.ts';

/** States of the one cell that the command and the thread which draws its progress share. */
export const progressState = { idle: 0, drawing: 1, ended: 2 } as const;

/** What the drawing thread is started with. */
export interface ProgressStart {
  /** Of each step of the work. */
  readonly labels: readonly string[];
  /** When the work began, in `Date.now()`, which is the same in every thread. */
  readonly began: number;
  /** The state, whether anything was drawn, and which step is under way. */
  readonly cells: Int32Array;
  /** Bytes of the step that are done, and those it has; 0 where that is not known. */
  readonly bytes: Float64Array;
}

/** Told by the work how far it is. */
export interface Meter {
  /** Begins a step, from 0. */
  step(index: number): void;
  /** Bytes of the step that are done, and those it has, where that is known. */
  bytes(done: number, total?: number): void;
}

/**
 * Does the work; where it takes longer than a second and standard error is a terminal, says so there, with the time it has
 * taken, and with a bar where the work tells its bytes. The line is drawn by a thread of its own, since much of our work
 * keeps this one busy.
 * @param label or one of each step
 */
export async function withProgress<T>(
  label: string | readonly string[],
  work: (meter: Meter) => Promise<T>,
): Promise<T> {
  if (process.stderr.isTTY !== true) return await work(UNSEEN);
  const cells = new Int32Array(new SharedArrayBuffer(3 * Int32Array.BYTES_PER_ELEMENT));
  const bytes = new Float64Array(new SharedArrayBuffer(2 * Float64Array.BYTES_PER_ELEMENT));
  const labels = typeof label === 'string' ? [label] : label;
  const start: ProgressStart = { labels, began: Date.now(), cells, bytes };
  const thread = new Worker(sibling('progress-thread', import.meta.url), { workerData: start, execArgv: [] });
  thread.unref();
  // Progress is a courtesy: what goes wrong with it is not worth a word.
  thread.on('error', () => undefined);
  try {
    return await work(meterOn(cells, bytes));
  } finally {
    while (Atomics.compareExchange(cells, 0, progressState.idle, progressState.ended) === progressState.drawing) {
      Atomics.wait(cells, 0, progressState.drawing, 20);
    }
    if (Atomics.load(cells, 1) === 1) writeAtOnce(2, '\r\x1b[2K');
    await thread.terminate();
  }
}

const UNSEEN: Meter = { step: () => undefined, bytes: () => undefined };

function meterOn(cells: Int32Array, bytes: Float64Array): Meter {
  return {
    step(index) {
      bytes.fill(0);
      Atomics.store(cells, 2, index);
    },
    bytes(done, total = 0) {
      bytes[0] = done;
      bytes[1] = total;
    },
  };
}

const WIDTH = 20;

/** How far a transfer is, in front of its time: a bar where its length is known, nothing where it has not begun. */
export function renderBytes(done: number, total: number): string {
  if (total > 0) {
    const share = Math.min(1, done / total);
    const full = Math.floor(share * WIDTH);
    const percent = `${Math.floor(share * 100)} %`.padStart(5);
    return `${'█'.repeat(full)}${'░'.repeat(WIDTH - full)} ${percent} of ${size(total)}, `;
  }
  return done > 0 ? `${size(done)}, ` : '';
}

const UNITS = ['KB', 'MB', 'GB', 'TB'] as const;

/** `512 bytes`, `1.4 MB`: decimal, as the sizes of files on most screens. */
export function size(bytes: number): string {
  if (bytes < 1000) return counted(bytes, 'byte');
  let value = bytes / 1000;
  let unit = 0;
  for (; value >= 999.5 && unit < UNITS.length - 1; unit++) value /= 1000;
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${UNITS[unit]}`;
}
