import { defineHandler } from '../../generated/handlers.ts';
import { openJob } from '../open-job.ts';

export default defineHandler('JOB_OPEN', {
  async onRequest(request, context) {
    return { JOB_NO: await openJob(context, request) };
  },
});
