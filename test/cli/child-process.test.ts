import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Backoff, Questions } from '../../src/cli/child-process.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A process that notes the questions that it is asked. */
function other() {
  const asked: number[] = [];
  return { asked, send: (question: number) => void asked.push(question) };
}

test('a question is answered by the reply with its number, in whatever order replies come', async () => {
  const questions = new Questions<string>();
  const { asked, send } = other();
  const [first, second] = [questions.ask(send), questions.ask(send)];
  questions.answered(asked[1] as number, 'second');
  questions.answered(asked[0] as number, 'first');
  expect(await Promise.all([first, second])).toEqual(['first', 'second']);
});

test('a process that ends is not waited for, one that is busy for as long as the limit says', async () => {
  const questions = new Questions<string>();
  const { asked, send } = other();
  const dropped = questions.ask(send);
  questions.drop();
  expect(await dropped).toBeUndefined();

  const late = questions.ask(send, 1_000);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await late).toBeUndefined();
  // A reply to a question that is over changes nothing, nor does a number that was never asked.
  questions.answered(asked[1] as number, 'late');
  questions.answered(99, 'unasked');
  const next = questions.ask(send, 1_000);
  questions.answered(asked[2] as number, 'in time');
  expect(await next).toBe('in time');
  expect(vi.getTimerCount()).toBe(0);
});

test('the pause is doubled up to its limit, and short again after a process has served for 10 s', () => {
  const backoff = new Backoff(500);
  expect([0, 0, 0, 9_999].map((served) => backoff.next(served))).toEqual([100, 200, 400, 500]);
  expect([10_000, 0].map((served) => backoff.next(served))).toEqual([100, 200]);
  backoff.reset();
  expect(backoff.next(0)).toBe(100);
});
