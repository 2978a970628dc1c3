import { expect, it } from 'vitest';
import { readDefinitions, recordDefinitions } from '../../src/store/index.ts';
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
});
