import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { MessageContext } from '../../../../../src/index.ts';
import { marked } from '../intervals.ts';

/** Waits a moment, and writes a row in the transaction that ends the delivery. */
export default {
  async onMessage({ ITEM, PART }: { ITEM: string; PART: string; NUMBER: number }, context: MessageContext) {
    const { subscription, deliveryId } = context;
    const what = subscription === 'FLEET_ORDERED_CODE' ? `partition ${PART}` : `delivery ${deliveryId}`;
    await marked(what, randomUUID(), async () => {
      const values = { SUBSCRIPTION: subscription, ITEM };
      await context.execute('insert into fleet_delivered (subscription, item) values (:SUBSCRIPTION, :ITEM)', values);
      await setTimeout(10, undefined, { signal: context.signal });
    });
  },
};
