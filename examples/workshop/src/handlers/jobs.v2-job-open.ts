import { defineHandler } from '../../generated/handlers.ts';
import { openJob, readActiveVehicle } from '../open-job.ts';

export default defineHandler('Jobs.v2.JOB_OPEN', {
  async onRequest({ INSPECTION, ...job }, context) {
    const { vehicle } = await readActiveVehicle(context, job.PLATE);
    // Before the transaction, which must not wait for a partner: if the authority refuses, no job is opened.
    const booked =
      INSPECTION == null ? undefined : await context.call('INSPECTION_BOOK', { VIN: vehicle.VIN, DAY: INSPECTION });
    return { JOB_NO: await openJob(context, job), BOOKING: booked?.value.BOOKING ?? null };
  },
});
