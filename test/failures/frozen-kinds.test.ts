import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Pair, TRANSACTION, UNTOUCHED } from '../support/frozen.ts';
import { KINDS, unknownOf } from '../support/frozen-kinds.ts';
import { hasPostgres } from '../support/postgres.ts';

/** Two pairs of gateways at a time: a row waits for the database most of its time. */
const LANES = 2;

describe.skipIf(!hasPostgres)('a gateway that hangs', () => {
  const pairs: Pair[] = [];
  const found = new Map<string, ReturnType<Pair['freeze']>>();
  beforeAll(async () => {
    for (let lane = 0; lane < LANES; lane += 1) pairs.push(await Pair.start());
    const ends: Promise<unknown>[] = pairs.map(async () => {});
    for (const [index, [name, kind]] of Object.entries(KINDS).entries()) {
      const lane = index % LANES;
      const frozen = (ends[lane] as Promise<unknown>).then(() => (pairs[lane] as Pair).freeze(kind));
      found.set(name, frozen);
      ends[lane] = frozen.catch(() => {});
    }
  });
  afterAll(() => Promise.all(pairs.map((pair) => pair.stop())));

  it.each(Object.keys(KINDS))('in the transaction of %s keeps no other from its work', async (name) => {
    const { answers, ended } = await (found.get(name) as ReturnType<Pair['freeze']>);
    expect(answers).toEqual(UNTOUCHED);
    expect(ended).toBeLessThan(TRANSACTION + 3000);
  });

  it('has begun no transaction that has no row, and no reason for that', () => {
    for (const { wire } of pairs) expect(unknownOf(wire.seen.values())).toEqual([]);
  });

  it('has lost nothing that was accepted, and done nothing twice', async () => {
    for (const pair of pairs) expect(await pair.account()).toEqual([]);
  });
});
