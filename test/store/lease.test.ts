import { expect, it } from 'vitest';
import { openLease } from '../../src/store/index.ts';
import { eventually } from '../support/project.ts';
import { describeEngines } from './engines.ts';

const LONG = 60_000;

describeEngines('a lease', ({ kind, place }) => {
  it('stays with its gateway as long as that asks again, and goes to another where that gives it up', async () => {
    const store = await (await place()).migrated();
    const [one, same, other] = ['a', 'a', 'b'].map((holder) => openLease(store, 'work', holder)) as [
      ReturnType<typeof openLease>,
      ReturnType<typeof openLease>,
      ReturnType<typeof openLease>,
    ];
    expect(await one.hold(LONG)).toBe(true);
    expect(await same.hold(LONG)).toBe(true);
    // A gateway on SQLite is alone.
    if (kind === 'sqlite') return;
    expect(await other.hold(LONG)).toBe(false);
    await other.release();
    expect(await other.hold(LONG)).toBe(false);
    expect(await openLease(store, 'another', 'b').hold(LONG)).toBe(true);
    await one.release();
    expect(await other.hold(LONG)).toBe(true);
    expect(await one.hold(LONG)).toBe(false);
  });

  it('is taken over from a gateway that asks no more, and by one only', async () => {
    if (kind === 'sqlite') return;
    const store = await (await place()).migrated();
    expect(await openLease(store, 'work', 'dead').hold(50)).toBe(true);
    const others = ['b', 'c', 'd'].map((holder) => openLease(store, 'work', holder));
    const holders = await eventually('a new holder', async () => {
      const held = await Promise.all(others.map((each) => each.hold(LONG)));
      return held.includes(true) ? held : undefined;
    });
    expect(holders.filter((each) => each)).toHaveLength(1);
  });
});
