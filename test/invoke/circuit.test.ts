import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { deadline } from '../../src/invoke/limits.ts';
import { outgoing, sender } from './sending.ts';
import { deadAddress, listen, node, target, thrown } from './support.ts';

const single = { attempts: 1, first: 1, longest: 1, on: new Set<number>() };
const fragile = { retry: single, circuit: { failures: 2, reset: 30_000 } };

// Only the clock that says when a node is tried again.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a node that calls come to nothing at', () => {
  it.each([502, 503, 504])('is left alone after so many in a row: %d', async (status) => {
    const { url, seen } = await target({ status });
    const made = sender(node('PARTNER', [url], fragile));
    await made.send(outgoing());
    await made.send(outgoing('POST', { text: 'a' }));
    const error = await thrown(made.send(outgoing()));
    expect(error).toMatchObject({
      code: 'CIRCUIT_OPEN',
      responseStatus: 10,
      message: expect.stringMatching(/2 calls to node PARTNER failed in a row.* next trial is at \d{4}-/),
    });
    expect(seen).toHaveLength(2);
  });

  it('is so without a connection', async () => {
    const made = sender(node('PARTNER', [await deadAddress()], fragile));
    const codes = [];
    for (let n = 0; n < 3; n++) codes.push(await thrown(made.send(outgoing())));
    expect(codes).toMatchObject([{ code: 'CONNECTION' }, { code: 'CONNECTION' }, { code: 'CIRCUIT_OPEN' }]);
  });

  it('is not so for what the caller does wrong', async () => {
    const { url, seen } = await target({ status: 404 });
    const made = sender(node('PARTNER', [url], fragile));
    for (let n = 0; n < 4; n++) await made.send(outgoing());
    expect(seen).toHaveLength(4);
  });

  it('is not so for calls that were ended', async () => {
    const { url } = await listen(() => controller.abort());
    const made = sender(node('PARTNER', [url], fragile));
    let controller = new AbortController();
    for (let n = 0; n < 3; n++) {
      controller = new AbortController();
      expect(await thrown(made.send(outgoing(), { signal: controller.signal }))).toMatchObject({ code: 'ABORTED' });
    }
  });

  it('is so for calls that took longer than they may', async () => {
    const { url } = await listen(() => undefined);
    const made = sender(node('PARTNER', [url], fragile));
    const codes = [];
    for (let n = 0; n < 3; n++) {
      const time = deadline(undefined, 20, { operation: 'THING_GET', requestId: 'R-1' });
      codes.push(await thrown(made.send(outgoing(), { signal: time.signal! })));
      time.clear();
    }
    expect(codes).toMatchObject([
      { code: 'TIMEOUT', message: 'THING_GET: the call took longer than 20 ms and was stopped' },
      { code: 'TIMEOUT' },
      { code: 'CIRCUIT_OPEN' },
    ]);
  });

  it('is not so where one between them succeeds', async () => {
    let calls = 0;
    const { url, seen } = await target(() => ({ status: calls++ % 2 === 0 ? 503 : 200 }));
    const made = sender(node('PARTNER', [url], fragile));
    for (let n = 0; n < 5; n++) await made.send(outgoing());
    expect(seen).toHaveLength(5);
  });

  it('is never so with failures: 0', async () => {
    const { url, seen } = await target({ status: 503 });
    const made = sender(node('PARTNER', [url], { retry: single, circuit: { failures: 0, reset: 30_000 } }));
    for (let n = 0; n < 7; n++) await made.send(outgoing());
    expect(seen).toHaveLength(7);
  });
});

describe('after its time', () => {
  it('one call is a trial, and its success lets the others through', async () => {
    let status = 503;
    const { url, seen } = await target(() => ({ status }));
    const made = sender(node('PARTNER', [url], fragile));
    await made.send(outgoing());
    await made.send(outgoing());
    status = 200;
    vi.setSystemTime(Date.now() + 29_000);
    expect(await thrown(made.send(outgoing()))).toMatchObject({ code: 'CIRCUIT_OPEN' });
    vi.setSystemTime(Date.now() + 2000);
    const [trial, other] = await Promise.allSettled([made.send(outgoing()), made.send(outgoing())]);
    expect(trial).toMatchObject({ value: { status: 200 } });
    expect(other).toMatchObject({ reason: { code: 'CIRCUIT_OPEN', message: expect.stringContaining('under way') } });
    expect((await made.send(outgoing())).status).toBe(200);
    expect(seen).toHaveLength(4);
  });

  it('a trial that fails, or is ended, leaves it alone again', async () => {
    const { url, seen } = await target({ status: 503 });
    const made = sender(node('PARTNER', [url], fragile));
    await made.send(outgoing());
    await made.send(outgoing());
    vi.setSystemTime(Date.now() + 31_000);
    await made.send(outgoing());
    expect(await thrown(made.send(outgoing()))).toMatchObject({ code: 'CIRCUIT_OPEN' });
    vi.setSystemTime(Date.now() + 31_000);
    expect(await thrown(made.send(outgoing(), { signal: AbortSignal.abort() }))).toMatchObject({ code: 'ABORTED' });
    expect(await thrown(made.send(outgoing()))).toMatchObject({ code: 'CIRCUIT_OPEN' });
    expect(seen).toHaveLength(3);
  });
});
