import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { builtOnce } from '../../src/console/built.ts';
import { load } from '../load/linked.ts';

const registry = load('permission-list: ANY\n');

/** Keeps the processor for so many milliseconds. */
function work(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

describe('what pages need of all definitions', () => {
  it('is built in slices, between which other work has its turn', async () => {
    const steps = 20;
    const build = builtOnce(function* () {
      for (let step = 0; step < steps; step += 1) {
        work(6);
        yield;
      }
      return 'built';
    });
    let isBuilt = false;
    const built = build(registry).finally(() => {
      isBuilt = true;
    });
    let turns = 0;
    while (!isBuilt) {
      await turn();
      turns += 1;
    }
    expect(await built).toBe('built');
    expect(turns).toBeGreaterThanOrEqual(steps);
  });

  it('is built once for the definitions of a gateway, however many ask for it', async () => {
    let count = 0;
    const build = builtOnce(function* (): Generator<void, object> {
      count += 1;
      yield;
      return {};
    });
    const [first, second] = await Promise.all([build(registry), build(registry)]);
    expect(first).toBe(second);
    expect(await build(registry)).toBe(first);
    expect(count).toBe(1);
    expect(await build(load('permission-list: ANY\n'))).not.toBe(first);
    expect(count).toBe(2);
  });
});
