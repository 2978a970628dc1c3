import type { Rate } from '../../model/rate.ts';
import { duration, type JsonSchema, keys, word } from './json-schema.ts';

/** `100 per 1 min`, or a map. */
export type RateDeclared = string | { readonly requests: number; readonly per: string; readonly by?: Rate['by'] };

export interface CallLimitsDeclared {
  readonly rate?: RateDeclared;
  readonly concurrent?: number;
}

/** How often something may be called. */
const rate: JsonSchema = {
  title: 'a rate, or a map',
  description:
    'How often it may be called: `100 per 1 min`, by caller, or a map with more. A call above it is answered 429, with Retry-After. One count holds for all gateways of a database.',
  examples: ['100 per 1 min', { requests: 100, per: '1 min', by: 'address' }],
  if: { type: 'object' },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: keys<keyof Exclude<RateDeclared, string>>(
    { required: ['requests', 'per'], examples: [{ requests: 100, per: '1 min', by: 'address' }] },
    {
      requests: {
        type: 'integer',
        minimum: 1,
        maximum: 1_000_000_000,
        description: 'How many calls.',
        examples: [100],
      },
      per: { ...duration, description: 'In which time: whole seconds.', examples: ['1 min'] },
      by: word(
        ['caller', 'address', 'all'],
        "Whose calls are counted together: each caller's (those without credentials by their address), each address's, or all.",
        { default: 'caller' },
      ),
    },
  ),
  else: {
    title: 'a rate as in 100 per 1 min',
    type: 'string',
    pattern: '^[1-9][0-9]{0,8} per [0-9]+ ?(ms|s|min|h|d)$',
    examples: ['100 per 1 min'],
  },
};

const concurrent: JsonSchema = {
  type: 'integer',
  minimum: 1,
  description: 'Calls that run at the same time, in one gateway. A further one is answered 503, with Retry-After.',
  examples: [20],
};

/** Bounds of calls; for the gateway as for services and operations. */
export const callLimits = { rate, concurrent } as const;

/** Bounds of the calls of an operation. */
export const limitsKey: JsonSchema = keys<keyof CallLimitsDeclared>(
  {
    description: 'Bounds of its calls. What an operation says stands beside what its service says.',
    minProperties: 1,
    examples: [{ rate: '100 per 1 min', concurrent: 20 }],
  },
  callLimits,
);
