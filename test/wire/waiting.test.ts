import { MessageChannel } from 'node:worker_threads';
import { describe, expect, test } from 'vitest';
import { afterSilence } from '../../src/wire/waiting.ts';

const block = (ms: number): unknown => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

describe('the silence of another side', () => {
  test('is over when it is ended', async () => {
    let silent = false;
    const end = afterSilence(20, () => {
      silent = true;
    });
    end();
    await new Promise<void>((resolve) => void afterSilence(60, resolve));
    expect(silent).toBe(false);
  });

  test('does not include the time in which this process could not hear it', async () => {
    const heard = new Promise<string>((resolve) => {
      afterSilence(200, () => resolve('silent'));
      // Comes from outside, as soon as this process reads again.
      const { port1, port2 } = new MessageChannel();
      port1.once('message', () => {
        port1.close();
        resolve('heard');
      });
      port2.postMessage('');
    });
    block(400);
    expect(await heard).toBe('heard');
  });

  test('has its whole time, and an end', async () => {
    const since = performance.now();
    await new Promise<void>((resolve) => void afterSilence(100, resolve));
    expect(performance.now() - since).toBeGreaterThan(95);
  });
});
