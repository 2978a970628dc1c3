export { readTags } from './change.ts';
export { checkComponents } from './columns.ts';
export type { Components } from './event-port.ts';
export { eventJobs } from './inside.ts';
export { openComponents } from './open-events.ts';
