import { expect, it } from 'vitest';
import { openNonces } from '../../src/store/index.ts';
import { describeEngines } from './engines.ts';

describeEngines('nonces', ({ place }) => {
  it('are seen once by all gateways together, until they are too old anyway', async () => {
    const { migrated, run } = await place();
    const store = await migrated();
    let now = Date.parse('2026-01-01T00:00:00Z');
    const one = openNonces(store, () => now);
    const other = openNonces(store, () => now);
    const taken = await Promise.all([one, other, one, other].map((each) => each.take(['a'], now + 1000)));
    expect(taken.filter((each) => each)).toHaveLength(1);
    expect(await other.take(['b'], now + 600_000)).toBe(true);
    now += 61_000;
    expect(await one.take(['b'], now + 1000)).toBe(false);
    expect(await run('select hash from signalbox_nonce order by hash')).toEqual([{ hash: 'b' }]);
    expect(await one.take(['a'], now + 1000)).toBe(true);
  });

  it('are several of one message, which is new if none of them was seen', async () => {
    const { migrated } = await place();
    const nonces = openNonces(await migrated());
    const until = Date.now() + 60_000;
    expect(await nonces.take(['a', 'b'], until)).toBe(true);
    expect(await nonces.take(['a', 'c'], until)).toBe(false);
    expect(await nonces.take(['d', 'b'], until)).toBe(false);
    expect(await nonces.take(['e', 'f'], until)).toBe(true);
  });
});
