export { readTags } from './change.ts';
export { checkComponents } from './columns.ts';
export { eventJobs } from './inside.ts';
export { openComponents } from './open.ts';
export type { Components } from './port.ts';
