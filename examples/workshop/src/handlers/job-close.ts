import { defineHandler } from '../../generated/handlers.ts';
import { readJob, readOpenJob } from '../jobs.ts';

export default defineHandler('JOB_CLOSE', {
  onRequest({ JOB_NO, HOURS, ODOMETER_KM }, context) {
    return context.transaction(async (tx) => {
      const { PLATE } = await readOpenJob(tx, JOB_NO);
      await tx.execute('update job set closed = :CLOSED, hours = :HOURS, mechanic = :MECHANIC where job_no = :JOB_NO', {
        JOB_NO,
        HOURS,
        CLOSED: new Date().toISOString(),
        MECHANIC: context.caller.user,
      });
      await tx.saveComponent('VEHICLE', { PLATE, STATUS: 'ACTIVE', ODOMETER_KM }, { action: 'patch' });
      return readJob(tx, JOB_NO);
    });
  },
});
