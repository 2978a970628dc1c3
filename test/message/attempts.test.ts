import { expect, it } from 'vitest';
import { changeDelivery, MOST_ATTEMPTS } from '../../src/messaging/run/store.ts';
import { describeEngines } from '../store/engines.ts';
import { NOON, write } from './rows.ts';

describeEngines('a delivery', ({ place }) => {
  it('that fails for months keeps its latest attempts', async () => {
    const store = await (await place()).migrated();
    const [message] = await write(store, [{ deliveries: { TO_ERP: 'New' } }]);
    const delivery = message?.deliveries.TO_ERP ?? '';
    const attempt = { began: NOON, ended: NOON + 1, gateway: 'one', reason: 'no' };
    await store.transaction(async (tx) => {
      for (let n = 0; n < MOST_ATTEMPTS + 5; n++) await changeDelivery(tx, delivery, { status: 'Retry' }, attempt);
    });
    const db = await store.tables();
    const rows = await db.selectFrom('signalbox_delivery_attempt').select('number').orderBy('number').execute();
    const numbers = rows.map(({ number }) => Number(number));
    expect([numbers[0], numbers.at(-1)]).toEqual([6, MOST_ATTEMPTS + 5]);
    expect(numbers).toHaveLength(MOST_ATTEMPTS);
  });
});
