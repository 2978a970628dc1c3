import { expect, it } from 'vitest';
import { Versions, type VersionsOptions } from '../../src/security/database.ts';

/** A database whose version is looked up by hand, and a clock that is moved by hand. */
function versionsOf(look: () => Promise<number>, options: Partial<VersionsOptions> = {}) {
  const state = { now: 0, away: 0, looks: 0 };
  const counted = (): Promise<number> => {
    state.looks++;
    return look();
  };
  const onAway = (): void => void state.away++;
  const versions = new Versions({ look: counted, every: 2000, patience: 10, now: () => state.now, onAway, ...options });
  return { state, versions };
}

it('asks the database once for all who come at the same time, and not again while the answer holds', async () => {
  const { state, versions } = versionsOf(async () => 7);
  const [first, second] = await Promise.all([versions.current(), versions.current()]);
  expect([state.looks, second]).toEqual([1, first]);
  state.now = 999;
  expect([versions.current(), versions.asked(), state.looks]).toEqual([first, first, 1]);
});

it('looks ahead where calls come without a pause, so that none of them waits', async () => {
  let version = 1;
  const { state, versions } = versionsOf(async () => version);
  const before = await versions.current();
  version = 2;
  state.now = 1000;
  expect([versions.current(), state.looks]).toEqual([before, 2]);
  await expect.poll(() => versions.current()).toBeGreaterThan(before);
  state.now = 2999;
  expect(versions.current()).toBeTypeOf('number');
  state.now = 5000;
  expect(versions.current(), 'what is older than that is no answer').toBeInstanceOf(Promise);
});

it('lets nobody wait for a database that hangs, but who needs it, and counts its going and coming as changes', async () => {
  let answer: Promise<number> = Promise.resolve(1);
  const { state, versions } = versionsOf(() => answer);
  const before = await versions.current();
  answer = new Promise(() => {});
  state.now = 5000;
  const during = await versions.current();
  expect(during).toBeGreaterThan(before);
  expect([versions.isAway, state.away]).toEqual([true, 1]);
  state.now = 10_000;
  expect(versions.current(), 'answered at once, though a look is under way').toBe(during);
  answer = Promise.resolve(1);
  await versions.asked();
  state.now = 20_000;
  const after = await versions.asked();
  expect(after).toBeGreaterThan(during);
  expect([versions.isAway, state.away, versions.noticed]).toEqual([false, 1, after]);
});
