import { RETRY_DEFAULTS, type Retry } from '../../model/node.ts';
import { integer, type JsonSchema, keys, statuses } from '../schema/json-schema.ts';

/** The retry settings of a node or an operation, whose bounds the JSON Schema has checked. */
export function linkRetry(said: RetryDeclared | undefined): Retry | undefined {
  if (said === undefined) return undefined;
  const { attempts = RETRY_DEFAULTS.attempts, on = [...RETRY_DEFAULTS.on] } = said;
  return { attempts, on: new Set(typeof on === 'number' ? [on] : on), declared: true };
}

export interface RetryDeclared {
  readonly attempts?: number;
  readonly on?: number | readonly number[];
}

export const retry: JsonSchema = keys<keyof RetryDeclared>(
  {
    description:
      'When to repeat a call, instead of the default: three attempts in total, only of requests that can be repeated safely.',
    examples: [{ attempts: 3, on: [429, 503] }],
  },
  {
    attempts: integer('Total number of attempts; 1 means no retry.', { minimum: 1, maximum: 10, default: 3 }, 5),
    on: statuses(
      'HTTP statuses to retry after, as after a failed connection. The default is 408, 429, 502, 503 and 504.',
      [429, 503],
      503,
    ),
  },
);
