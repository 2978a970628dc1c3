export { checkComponents } from './check.ts';
export { readTags } from './conditions.ts';
export { openComponents } from './open.ts';
export type { Components } from './port.ts';
