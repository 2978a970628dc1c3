import { appendFileSync } from 'node:fs';

/** One end of an interval in which something ran. */
export interface Mark {
  /** What ran, and in which installation: of one thing no two intervals may overlap. */
  readonly what: string;
  /** One run of it. */
  readonly run: string;
  readonly end: 'begin' | 'end';
  readonly pid: number;
  /** Milliseconds since 1970; all gateways are on one machine. */
  readonly at: number;
}

/**
 * Does the work and notes when it began and when it ended: a line each, written at once, so that what was noted outlives the
 * process.
 */
export async function marked<T>(what: string, run: string, work: () => Promise<T>): Promise<T> {
  mark(what, run, 'begin');
  try {
    return await work();
  } finally {
    mark(what, run, 'end');
  }
}

function mark(what: string, run: string, end: Mark['end']): void {
  const line: Mark = { what: `${process.env.FLEET_INSTALLATION}: ${what}`, run, end, pid: process.pid, at: Date.now() };
  appendFileSync(process.env.FLEET_MARKS ?? '', `${JSON.stringify(line)}\n`);
}
