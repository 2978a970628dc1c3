import { defineSubscription } from '../../generated/handlers.ts';
import { openJobIn } from '../open-job.ts';

export default defineSubscription('DEFECT_TO_JOB', {
  async onMessage({ PLATE, TITLE }, { tx }) {
    await openJobIn(tx, { PLATE, TITLE });
  },
});
