import { RETRY_DEFAULTS, type Retry } from '../../model/retry.ts';
import type { RetryDeclared } from '../schema/retry.ts';

/** When a call is made again, as a node or an operation says it; the JSON Schema has seen to its bounds. */
export function linkRetry(said: RetryDeclared | undefined): Retry | undefined {
  if (said === undefined) return undefined;
  const { attempts = RETRY_DEFAULTS.attempts, on = [...RETRY_DEFAULTS.on] } = said;
  return { attempts, on: new Set(typeof on === 'number' ? [on] : on), declared: true };
}
