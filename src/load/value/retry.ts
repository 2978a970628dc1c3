import { RETRY_DEFAULTS, type Retry } from '../../model/node.ts';
import { type JsonSchema, keys } from '../schema/json-schema.ts';

/** When a call is made again, as a node or an operation says it; the JSON Schema has seen to its bounds. */
export function linkRetry(said: RetryDeclared | undefined): Retry | undefined {
  if (said === undefined) return undefined;
  const { attempts = RETRY_DEFAULTS.attempts, on = [...RETRY_DEFAULTS.on] } = said;
  return { attempts, on: new Set(typeof on === 'number' ? [on] : on), declared: true };
}

export interface RetryDeclared {
  readonly attempts?: number;
  readonly on?: number | readonly number[];
}

const status: JsonSchema = { title: 'a status from 400 to 599', type: 'integer', minimum: 400, maximum: 599 };

/** When a call is made again: of a node, and of an operation with a `target`. */
export const retry: JsonSchema = keys<keyof RetryDeclared>(
  {
    description:
      'When a call is made again, in place of what holds otherwise: three attempts in all, and only of what may be repeated without harm.',
    examples: [{ attempts: 3, on: [429, 503] }],
  },
  {
    attempts: {
      type: 'integer',
      minimum: 1,
      maximum: 10,
      description: 'Times that it is made in all; 1 makes it once.',
      default: 3,
      examples: [5],
    },
    on: {
      ...status,
      title: 'a status from 400 to 599 or a list of them',
      type: ['integer', 'array'],
      items: status,
      minItems: 1,
      uniqueItems: true,
      description:
        'HTTP statuses after which it is made again, as after a connection that failed. 408, 429, 502, 503 and 504 where left out.',
      examples: [[429, 503], 503],
    },
  },
);
