import { hostname } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Pair, TRANSACTION, UNTOUCHED } from '../support/frozen.ts';
import { KINDS, type KindName, unknownOf } from '../support/frozen-kinds.ts';
import { hasPostgres } from '../support/postgres.ts';
import { eventually } from '../support/project.ts';

/** Those that all gateways begin all the time; `npm run test:interop` has the others. */
const FREQUENT: readonly KindName[] = [
  'a request that is scheduled',
  'a record that is saved',
  'a process that ends',
  'work that recurs',
];

describe.skipIf(!hasPostgres)('a gateway that hangs', () => {
  let pair: Pair;
  beforeAll(async () => {
    pair = await Pair.start();
  }, 40_000);
  afterAll(() => pair?.stop());

  it.each(FREQUENT)('in the transaction of %s keeps no other from its work', async (name) => {
    const { answers, ended } = await pair.freeze(KINDS[name]);
    expect(answers).toEqual(UNTOUCHED);
    expect(ended).toBeLessThan(TRANSACTION + 3000);
  }, 30_000);

  it('answers in time when its database stops answering without closing, and recovers', async () => {
    const { frozen, wire } = pair;
    // The declared bounds, and a second for a machine that is in use.
    const asked = {
      ready: { bound: 3000, ask: async () => (await frozen.call('/health/ready')).status },
      schedule: { bound: 4000, ask: () => pair.schedule(frozen) },
      save: { bound: 4000, ask: () => pair.note(frozen) },
      poll: { bound: 4000, ask: () => pair.poll(frozen) },
      find: { bound: 4000, ask: async () => (await frozen.caller.get('ProcessRequest.v1/requests')).status },
    };
    wire.stall(true);
    try {
      const answers = Object.entries(asked).map(async ([what, { bound, ask }]) => {
        const since = performance.now();
        const status = await ask();
        return { what, status, isLate: performance.now() - since > bound };
      });
      const refused = Object.keys(asked).map((what) => ({ what, status: 503, isLate: false }));
      expect(await Promise.all(answers)).toEqual(refused);
    } finally {
      wire.stall(false);
    }
    await eventually('the gateway', async () =>
      (await frozen.call('/health/ready')).status === 200 ? true : undefined,
    );
    expect(await pair.schedule(frozen)).toBe(201);
    expect(await pair.note(frozen)).toBe(201);
  }, 20_000);

  it('is named by a request that it ran, with its host and its process', async () => {
    const { frozen, other } = pair;
    const instance = await other.caller.scheduled('NAMED', pair.open);
    const { ServerNameRun } = await other.caller.untilProcess(instance, 'Success');
    expect([frozen, other].map(({ child }) => `${hostname()}:${child.pid}`)).toContain(ServerNameRun);
  });

  it('has begun no transaction that has no row, and no reason for that', () => {
    expect(unknownOf(pair.wire.seen.values())).toEqual([]);
  });

  it('has lost nothing that was accepted, and done nothing twice', async () => {
    expect(await pair.account()).toEqual([]);
  });
});
