import type { HandlerContext } from '../../../../../src/index.ts';

/** Takes the next number of a partition, and publishes a message with it in the same transaction. */
export default {
  onRequest({ ITEM, PART }: { ITEM: string; PART: string }, context: HandlerContext) {
    return context.transaction(async (tx) => {
      // The row is locked until the end of the transaction: the numbers of a partition are in the order of commits.
      const next = 'update fleet_sequence set number = number + 1 where part = :PART returning number';
      const { rows } = await tx.execute(next, { PART });
      const NUMBER = Number(rows[0]?.number);
      await tx.execute('insert into fleet_published (item, part, number) values (:ITEM, :PART, :NUMBER)', {
        ...{ ITEM, PART, NUMBER },
      });
      await tx.publish('FLEET_NUMBERED', { ITEM, PART, NUMBER });
    });
  },
};
