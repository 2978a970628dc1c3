export { type LogEntry, withDeeds } from './message-log.ts';
export { openScheduler, readRequests } from './open.ts';
export type {
  ProcessLoad,
  ProcessMessage,
  ProcessRequest,
  ProgramDetail,
  RecurrenceTimes,
  RequestAction,
  RequestDeed,
  RequestDetail,
  RequestFilter,
  RequestReader,
  ScheduleRequest,
  Scheduler,
} from './port.ts';
export type { RunStatus } from './status.ts';
export { requestJobs } from './steps.ts';
