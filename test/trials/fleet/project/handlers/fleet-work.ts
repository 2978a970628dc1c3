import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { ProcessContext } from '../../../../../src/index.ts';
import { marked } from '../intervals.ts';

/** Waits a while, and writes a row in the transaction that ends it. */
export default {
  async run({ ITEM, PAUSE }: { ITEM: string; PAUSE: number }, context: ProcessContext) {
    await marked(`process ${context.instance}`, randomUUID(), async () => {
      await setTimeout(PAUSE, undefined, { signal: context.signal });
      await context.complete(async (transaction) => {
        const { instance } = context;
        const values = { ITEM, INSTANCE: instance };
        await transaction.execute('insert into fleet_effect (item, instance) values (:ITEM, :INSTANCE)', values);
      });
    });
  },
};
