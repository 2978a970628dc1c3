import { describe, expect, it } from 'vitest';
import { addressKey, openRateLimits, type RateLimits } from '../../src/security/rate-limit.ts';
import { openRateTable, type Store } from '../../src/store/index.ts';
import { postgresPlace, sqlitePlace } from '../store/engines.ts';
import { hasPostgres } from '../support/postgres.ts';

const PER = 60_000;

async function open(store: Store, errors: Error[] = []): Promise<RateLimits> {
  return openRateLimits({ table: await openRateTable(store), onError: (error) => errors.push(error) });
}

describe('addressKey', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0db8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:db8::7', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['64:ff9b::192.0.2.7', '64:ff9b:0:0::/64'],
    [undefined, 'local'],
  ])('of %s is %s', (address, key) => {
    expect(addressKey(address)).toBe(key);
  });
});

describe('a rate on SQLite', () => {
  it('is that of one gateway, counts each name and key by itself, and survives a window longer than timers hold', async () => {
    const limits = await open(await (await sqlitePlace()).migrated());
    const rate = { requests: 1, per: 60 * 86_400_000, by: 'caller' } as const;
    const [one, two] = [limits.limiter('ONE', rate), limits.limiter('TWO', rate)];
    expect(await one.take('user a')).toMatchObject({ exceeded: false, remaining: 0 });
    expect(one.shut('user a')).toBeUndefined();
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await one.take('user a')).toMatchObject({ exceeded: true, remaining: 0 });
    expect(one.shut('user a')).toMatchObject({ exceeded: true });
    expect([await one.take('user b'), await two.take('user a')].map(({ exceeded }) => exceeded)).toEqual([
      false,
      false,
    ]);
  });
});

describe('a rate in memory', () => {
  it('holds no more keys than it may, and forgets that whose window began first', async () => {
    const limits = await openRateLimits({ table: undefined, onError: () => {}, mostKeys: 2 });
    const limiter = limits.limiter('ONE', { requests: 2, per: PER, by: 'address' });
    const left = async (key: string) => (await limiter.take(key)).remaining;
    expect([await left('a'), await left('b'), await left('a'), await left('c')]).toEqual([1, 1, 0, 1]);
    expect([await left('b'), await left('a')]).toEqual([0, 1]);
  });
});

describe.skipIf(!hasPostgres)('a rate on PostgreSQL', () => {
  it('is one count for all gateways of a database, however long a key is', async () => {
    const place = await postgresPlace({ migrated: true });
    const [a, b] = [await open(await place.migrated()), await open(await place.migrated())];
    const rate = { requests: 20, per: PER, by: 'caller' } as const;
    const limiters = [a.limiter('OP', rate), b.limiter('OP', rate)];
    const key = `user ${'x'.repeat(5000)}`;
    const taken = await Promise.all(Array.from({ length: 30 }, (_, index) => limiters[index % 2]!.take(key)));
    expect(taken.filter(({ exceeded }) => exceeded)).toHaveLength(10);
    expect(Math.min(...taken.map(({ reset }) => reset))).toBeGreaterThan(50);
    expect(await place.run('select count(*)::int as n from signalbox_rate')).toEqual([{ n: 1 }]);
    for (const each of [a, b]) each.close();
  });

  it('goes on where the database is away, by what one gateway counts, and says so once', async () => {
    const store = await (await postgresPlace({ migrated: true })).migrated();
    const errors: Error[] = [];
    const limits = await open(store, errors);
    const limiter = limits.limiter('OP', { requests: 2, per: PER, by: 'caller' });
    await store.close();
    const taken = [await limiter.take('k'), await limiter.take('k'), await limiter.take('k')];
    expect(taken.map(({ exceeded }) => exceeded)).toEqual([false, false, true]);
    expect(errors).toHaveLength(1);
    limits.close();
  });
});
