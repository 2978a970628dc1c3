/** The kinds of definitions, by the word at their top level. */
export const KINDS = [
  'gateway',
  'node',
  'service',
  'document',
  'datasource',
  'query',
  'component',
  'related-content',
  'process',
  'recurrence',
  'scheme',
  'permission-list',
  'role',
  'user',
  'routing',
] as const;
export type Kind = (typeof KINDS)[number];

/** Kind words that are keys of other kinds too, where they refer to one: by the word, the kinds that have the key. */
export const KEYS_OF: Readonly<Partial<Record<Kind, readonly Kind[]>>> = { datasource: ['query'], query: ['process'] };
