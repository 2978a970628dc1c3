import { defineHandler } from '../../generated/handlers.ts';
import { readJob } from '../jobs.ts';

/** Of both versions. */
export default defineHandler(['JOB_GET', 'Jobs.v2.JOB_GET'], {
  onRequest: ({ JOB_NO }, context) => readJob(context, JOB_NO),
});
