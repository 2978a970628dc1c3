import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Sums } from '../../src/cli/workers/primary.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A worker that notes what it is asked. */
function worker() {
  const asked: number[] = [];
  return { asked, ask: (question: number) => void asked.push(question) };
}

test('all have answered: what they counted', async () => {
  const sums = new Sums();
  const [first, second] = [worker(), worker()];
  const counted = sums.gather([first, second]);
  sums.answered(second, second.asked[0] as number, [{ b: 1 }]);
  sums.answered(first, first.asked[0] as number, [{ a: 1 }]);
  expect(await counted).toEqual([[{ b: 1 }], [{ a: 1 }]]);
});

test('there is nobody to ask: nothing, at once', async () => {
  expect(await new Sums().gather([])).toEqual([]);
});

test('one that ends is not waited for, one that is busy for a second', async () => {
  const sums = new Sums();
  const [first, second, third] = [worker(), worker(), worker()];
  const without = sums.gather([first, second]);
  sums.answered(first, first.asked[0] as number, [{ a: 1 }]);
  sums.gone(second);
  expect(await without).toEqual([[{ a: 1 }]]);

  const late = sums.gather([first, third]);
  sums.answered(first, first.asked[1] as number, [{ a: 2 }]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await late).toEqual([[{ a: 2 }]]);
  // An answer to a question that is over, or that was put to another, changes nothing.
  sums.answered(third, third.asked[0] as number, [{ c: 1 }]);
  const next = sums.gather([first]);
  sums.answered(third, first.asked[2] as number, [{ c: 1 }]);
  sums.answered(first, first.asked[2] as number, [{ a: 3 }]);
  expect(await next).toEqual([[{ a: 3 }]]);
});
