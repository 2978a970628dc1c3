import { expect } from 'vitest';

/** Milliseconds of processors that this process has taken: work takes the same on a busy machine. */
export function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * Passes if the work takes less than `limitMs` of processor time at least once in ten attempts. Quadratic work never does;
 * linear work does.
 */
export function expectWithin(limitMs: number, work: () => void): void {
  let took = Infinity;
  for (let round = 0; round < 10 && took >= limitMs; round++) {
    const start = processorMs();
    work();
    took = Math.min(took, processorMs() - start);
  }
  expect(took).toBeLessThan(limitMs);
}
