import { defineHandler } from '../../generated/handlers.ts';
import { readJob, readOpenJob } from '../jobs.ts';

export default defineHandler('JOB_CLOSE', {
  onRequest({ JOB_NO, HOURS, ODOMETER_KM, PAYER = {} }, context) {
    return context.transaction(async (tx) => {
      const { PLATE } = await readOpenJob(tx, JOB_NO);
      await tx.execute(
        `update job set closed = :CLOSED, hours = :HOURS, mechanic = :MECHANIC, cost_centre = :COST_CENTRE, insurer = :INSURER,
           claim = :CLAIM
         where job_no = :JOB_NO`,
        {
          JOB_NO,
          HOURS,
          CLOSED: new Date().toISOString(),
          MECHANIC: context.caller.user,
          COST_CENTRE: PAYER?.costCentre?.NUMBER,
          INSURER: PAYER?.insurer?.NAME,
          CLAIM: PAYER?.insurer?.CLAIM,
        },
      );
      await tx.saveComponent('VEHICLE', { PLATE, STATUS: 'ACTIVE', ODOMETER_KM }, { action: 'patch' });
      return readJob(tx, JOB_NO);
    });
  },
});
