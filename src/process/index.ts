export { openScheduler, readRequests } from './open-processes.ts';
export type {
  LogEntry,
  LogPage,
  ProcessLoad,
  ProcessRequest,
  ProgramDetail,
  RecurrenceTimes,
  RequestAction,
  RequestDetail,
  RequestFilter,
  RequestReader,
  ScheduleRequest,
  Scheduler,
} from './process-port.ts';
export type { RunStatus } from './status.ts';
export { requestJobs } from './steps.ts';
