import { Fault } from 'signalbox';
import { defineHandler } from '../../generated/handlers.ts';
import { readJob, readOpenJob } from '../jobs.ts';

export default defineHandler('JOB_PARTS_POST', {
  onRequest({ JOB_NO, PARTS }, context) {
    return context.transaction(async (tx) => {
      await readOpenJob(tx, JOB_NO);
      for (const { PART_NO, AMOUNT } of PARTS) {
        const taken = await tx.execute(
          'update part set stock = stock - :AMOUNT, revision = revision + 1 where part_no = :PART_NO and stock >= :AMOUNT',
          { PART_NO, AMOUNT },
        );
        // The fault rolls back what was taken before.
        if (taken.changed === 0)
          throw Fault.custom('OUT_OF_STOCK', 409, `There are no ${AMOUNT} pieces of ${PART_NO}.`);
        await tx.execute(
          `insert into job_part (job_no, part_no, amount, price)
           select :JOB_NO, part_no, :AMOUNT, price from part where part_no = :PART_NO
           on conflict (job_no, part_no) do update set amount = job_part.amount + excluded.amount`,
          { JOB_NO, PART_NO, AMOUNT },
        );
      }
      return readJob(tx, JOB_NO);
    });
  },
});
