import { Worker } from 'node:worker_threads';
import { counted } from '../wire/words.ts';
import { sibling } from './package-info.ts';
import { writeAtOnce } from './terminal.ts';

/** States of the cell that a command shares with the thread that draws its progress. */
export const progressState = { idle: 0, drawing: 1, ended: 2 } as const;

/** What the drawing thread is started with. */
export interface ProgressStart {
  /** One for each step of the work. */
  readonly labels: readonly string[];
  /** When the work began, by `Date.now()`, which is the same in every thread. */
  readonly began: number;
  /** The state, whether anything was drawn, the index of the step, and whether it counts bytes (0) or other things (1). */
  readonly cells: Int32Array;
  /** Bytes, or other things, of the step that are done, and its total; 0 if unknown. */
  readonly amounts: Float64Array;
}

/** The work reports its progress here. */
export interface Meter {
  /** Begins a step, from 0. */
  step(index: number): void;
  /** Bytes of the step that are done, and its total if known. */
  bytes(done: number, total?: number): void;
  /** Things of the step, as rows, that are done, and their number if known. */
  count(done: number, total?: number): void;
}

/**
 * Does the work. If it takes longer than a second and standard error is a terminal, its progress is shown there, with the
 * elapsed time, and with a bar if the work reports bytes or counts. A thread draws the line, since much of the work keeps this one busy.
 * @param label one for all of the work, or one for each step
 */
export async function withProgress<T>(
  label: string | readonly string[],
  work: (meter: Meter) => Promise<T>,
): Promise<T> {
  if (process.stderr.isTTY !== true) return await work(UNSEEN);
  const cells = new Int32Array(new SharedArrayBuffer(4 * Int32Array.BYTES_PER_ELEMENT));
  const amounts = new Float64Array(new SharedArrayBuffer(2 * Float64Array.BYTES_PER_ELEMENT));
  const labels = typeof label === 'string' ? [label] : label;
  const start: ProgressStart = { labels, began: Date.now(), cells, amounts };
  const thread = new Worker(sibling('progress-thread', import.meta.url), { workerData: start, execArgv: [] });
  thread.unref();
  // Progress is a courtesy: its errors are ignored.
  thread.on('error', () => undefined);
  try {
    return await work(meterOn(cells, amounts));
  } finally {
    while (Atomics.compareExchange(cells, 0, progressState.idle, progressState.ended) === progressState.drawing) {
      Atomics.wait(cells, 0, progressState.drawing, 20);
    }
    if (Atomics.load(cells, 1) === 1) writeAtOnce(2, '\r\x1b[2K');
    await thread.terminate();
  }
}

const UNSEEN: Meter = { step: () => undefined, bytes: () => undefined, count: () => undefined };

function meterOn(cells: Int32Array, amounts: Float64Array): Meter {
  const report =
    (unit: 0 | 1) =>
    (done: number, total = 0): void => {
      amounts[0] = done;
      amounts[1] = total;
      Atomics.store(cells, 3, unit);
    };
  return {
    step(index) {
      amounts.fill(0);
      Atomics.store(cells, 2, index);
    },
    bytes: report(0),
    count: report(1),
  };
}

const WIDTH = 20;

/** The progress of a transfer: a bar if its length is known, empty before it begins. */
export function renderBytes(done: number, total: number): string {
  return renderAmount(done, total, size);
}

/** The same of things that are counted. */
export function renderCount(done: number, total: number): string {
  return renderAmount(done, total, (amount) => String(amount));
}

function renderAmount(done: number, total: number, text: (amount: number) => string): string {
  if (total > 0) {
    const share = Math.min(1, done / total);
    const full = Math.floor(share * WIDTH);
    const percent = `${Math.floor(share * 100)} %`.padStart(5);
    return `${'█'.repeat(full)}${'░'.repeat(WIDTH - full)} ${percent} of ${text(total)}, `;
  }
  return done > 0 ? `${text(done)}, ` : '';
}

const UNITS = ['KB', 'MB', 'GB', 'TB'] as const;

/** `512 bytes`, `1.4 MB`, in decimal units. */
export function size(bytes: number): string {
  if (bytes < 1000) return counted(bytes, 'byte');
  let value = bytes / 1000;
  let unit = 0;
  for (; value >= 999.5 && unit < UNITS.length - 1; unit++) value /= 1000;
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${UNITS[unit]}`;
}
