import type { Retry } from '../model/retry.ts';
import type { RetryDeclared } from './declared.ts';

/** Attempts in all where `retry:` names statuses alone. */
const ATTEMPTS = 3;

/** Statuses that say themselves that the same request may succeed later. */
const TEMPORARY = [408, 429, 502, 503, 504];

/** When a call is made again, as a node or an operation says it; the JSON Schema has seen to its bounds. */
export function linkRetry(said: RetryDeclared | undefined): Retry | undefined {
  if (said === undefined) return undefined;
  const { attempts = ATTEMPTS, on = TEMPORARY } = said;
  return { attempts, on: new Set(typeof on === 'number' ? [on] : on), declared: true };
}
