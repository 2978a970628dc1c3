/** The kinds of definitions, by the word at their top level. */
export const KINDS = [
  'gateway',
  'node',
  'service',
  'document',
  'query',
  'permission-list',
  'role',
  'user',
  'routing',
] as const;
export type Kind = (typeof KINDS)[number];
