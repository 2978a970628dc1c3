import { expect, it } from 'vitest';
import { readDefinitions, recordDefinitions, type Store } from '../../src/store/index.ts';
import { describeEngines } from './engines.ts';

describeEngines('the definitions that were loaded', ({ place }) => {
  it('are kept with what has changed, once each, the newest first', async () => {
    const store = await (await place()).migrated();
    let asked = 0;
    const record = (hash: string, parts: Record<string, string>) =>
      recordDefinitions(store, { hash, gateway: 'a', loaded: '2026-01-01T00:00:00.000Z' }, () => {
        asked += 1;
        return parts;
      });
    await record('1', { 'operation A': 'x', 'operation B': 'x' });
    await record('1', {});
    await Promise.all([
      record('2', { 'operation A': 'y', 'node N': 'x' }),
      record('2', { 'operation A': 'y', 'node N': 'x' }),
    ]);
    expect(await readDefinitions(store, 5)).toMatchObject([
      { hash: '2', added: ['node N'], changed: ['operation A'], removed: ['operation B'] },
      { hash: '1', added: [], changed: [], removed: [] },
    ]);
    expect(asked).toBeLessThanOrEqual(3);
    for (let hash = 3; hash < 70; hash++) await record(String(hash), { 'operation A': String(hash) });
    expect(await readDefinitions(store, 100)).toHaveLength(51);
  });

  it('are recorded once by gateways that start at the same time, and follow each other', async () => {
    const at = await place();
    const first = await at.migrated();
    // Each has connections of its own, as another process has.
    const stores = [first, await at.open(), await at.open(), await at.open()];
    const record = (store: Store, hash: string, gateway: string) =>
      recordDefinitions(store, { hash, gateway, loaded: '2026-01-01T00:00:00.000Z' }, () => ({
        [`node ${hash}`]: 'x',
      }));
    for (let round = 0; round < 10; round++)
      await Promise.all(stores.map((store, index) => record(store, `same ${round}`, String(index))));
    const rows = (await readDefinitions(first, 50)).toReversed();
    expect(rows.map(({ hash }) => hash)).toEqual(Array.from({ length: 10 }, (_, round) => `same ${round}`));
    let before = 'same 9';
    for (let round = 0; round < 10; round++) {
      await Promise.all(stores.map((store, index) => record(store, `own ${round} ${index}`, String(index))));
      const own = (await readDefinitions(first, 4)).toReversed();
      expect(own.map(({ hash }) => hash).sort()).toEqual([0, 1, 2, 3].map((index) => `own ${round} ${index}`));
      // What is removed is what was loaded before, so that the changes add up.
      const names = [before, ...own.map(({ hash }) => hash)].map((hash) => `node ${hash}`);
      expect(own.map(({ removed }) => removed)).toEqual(names.slice(0, 4).map((name) => [name]));
      before = own[3]?.hash as string;
    }
  });

  it('of gateways of an older version are recorded beside those of this one', async () => {
    const at = await place();
    const store = await at.migrated();
    const insert = (hash: string) =>
      at.run(
        `insert into signalbox_definitions (loaded, hash, gateway, changes) values ('2026-01-01T00:00:00.000Z', '${hash}', 'old', '{"added":[],"changed":[],"removed":[]}')`,
      );
    await insert('1');
    await insert('2');
    const facts = { hash: '3', gateway: 'new', loaded: '2026-01-01T00:00:00.000Z' };
    await recordDefinitions(store, facts, () => ({}));
    expect((await readDefinitions(store, 5)).map(({ hash }) => hash)).toEqual(['3', '2', '1']);
  });
});
