import { defineHandler } from '../../generated/handlers.ts';
import { openJob } from '../open-job.ts';

export default defineHandler('Jobs.v2.JOB_OPEN', {
  async onRequest({ INSPECTION, ...job }, context) {
    const { JOB_NO, VIN } = await openJob(context, job);
    if (INSPECTION == null) return { JOB_NO, BOOKING: null };
    // After the transaction, which must not wait for a partner.
    const { value } = await context.call('INSPECTION_BOOK', { VIN, DAY: INSPECTION });
    return { JOB_NO, BOOKING: value.BOOKING };
  },
});
