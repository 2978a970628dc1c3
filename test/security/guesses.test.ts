import { expect, it } from 'vitest';
import { Fault } from '../../src/model/fault.ts';
import { openGuesses } from '../../src/security/sign-in/guesses.ts';
import { describeEngines } from '../store/engines.ts';

const refuse = async (): Promise<never> => {
  throw Fault.of('UNAUTHENTICATED', { scheme: 'basic' });
};

describeEngines('pauses between refused sign-ins', ({ place }) => {
  async function setUp() {
    const store = await (await place()).migrated();
    let moment = Date.parse('2026-05-01T12:00:00Z');
    const now = (): number => moment;
    const guesses = openGuesses({ store, clock: { now, elapsed: now } });
    const attempt = (make: () => Promise<unknown> = refuse): Promise<unknown> =>
      guesses.guarded({ user: 'ada' }, make).then(
        () => 'in',
        (error: Fault) => (error.code === 'TOO_MANY_REQUESTS' ? Number(error.headers['Retry-After']) : error.code),
      );
    return {
      attempt,
      rows: async () =>
        (await (await store.tables()).selectFrom('signalbox_guess').selectAll().execute()).map(({ count }) => count),
      other: () => guesses.guarded({ user: 'bob' }, async () => 'in'),
      pass: (seconds: number) => {
        moment += seconds * 1000;
      },
    };
  }

  it('double, up to a quarter of an hour', async () => {
    const { attempt, pass } = await setUp();
    for (let count = 0; count < 10; count += 1) expect(await attempt()).toBe('UNAUTHENTICATED');
    const pauses: unknown[] = [];
    for (let count = 0; count < 13; count += 1) {
      expect(await attempt()).toBe('UNAUTHENTICATED');
      const pause = (await attempt()) as number;
      pauses.push(pause);
      pass(pause - 0.001);
      expect(await attempt()).toBe(1);
      pass(0.001);
    }
    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900]);
  });

  it('are of none by the clock of another gateway, which goes before', async () => {
    const { attempt, pass } = await setUp();
    for (let count = 0; count < 5; count += 1) expect(await attempt()).toBe('UNAUTHENTICATED');
    // What was written last is later than the time here.
    pass(-1);
    for (let count = 0; count < 5; count += 1) expect(await attempt()).toBe('UNAUTHENTICATED');
    expect(await attempt(async () => 'in')).toBe('in');
  });

  it('are forgotten after an hour without an attempt, and with a sign-in', async () => {
    const { attempt, pass, rows, other } = await setUp();
    for (let count = 0; count < 12; count += 1) {
      await attempt();
      pass(2);
    }
    expect(await rows()).toEqual([12]);
    pass(3600);
    for (let count = 0; count < 10; count += 1) expect(await attempt()).toBe('UNAUTHENTICATED');
    expect(await attempt(async () => 'in')).toBe('in');
    expect(await rows()).toEqual([]);
    await attempt();
    pass(3601);
    await other();
    expect(await rows()).toEqual([]);
  });

  it('do not come from failures of the gateway', async () => {
    const { attempt, rows } = await setUp();
    for (let count = 0; count < 15; count += 1)
      expect(
        await attempt(async () => {
          throw Fault.of('UNAVAILABLE', { reason: 'a test' });
        }),
      ).toBe('UNAVAILABLE');
    expect(await rows()).toEqual([0]);
  });
});
