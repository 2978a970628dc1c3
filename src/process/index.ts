export { openScheduler } from './open.ts';
export type {
  ProcessRequest,
  RequestAction,
  RequestFilter,
  ScheduleRequest,
  Scheduler,
} from './port.ts';
export { requestJobs } from './steps.ts';
