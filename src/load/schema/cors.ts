import type { JsonSchema } from './json-schema.ts';

/** Origins whose pages may call. */
export const cors: JsonSchema = {
  type: 'array',
  items: {
    title: 'an origin',
    type: 'string',
    pattern: '^(\\*|https?://[^/?#\\s@]+)$',
    examples: ['https://app.example.org', '*'],
  },
  uniqueItems: true,
  description:
    'Origins whose pages may call from a browser. `"*"` lets any, without credentials. Without it no CORS headers are sent.',
  examples: [['https://app.example.org']],
};
