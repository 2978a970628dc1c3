/** The kinds of definitions, by their key at the top level. */
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
  'queue',
  'subscription',
] as const;
export type Kind = (typeof KINDS)[number];

/** Kinds whose key is also a key of other kinds, where it refers to a definition; with these other kinds. */
export const KEYS_OF: Readonly<Partial<Record<Kind, readonly Kind[]>>> = { datasource: ['query'], query: ['process'] };
