import { refuse } from './error.ts';

/** Deepest nesting of objects and lists that is read or written; the root is level 1. */
export const MAX_DEPTH = 100;

/** Refuses what is nested too deep. */
export function checkDepth(depth: number): void {
  if (depth > MAX_DEPTH) refuse(`is nested more than ${MAX_DEPTH} levels deep`);
}
