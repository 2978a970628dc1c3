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

/** The kinds that a definition with these keys is of; one, where nothing is wrong. */
export function kindsAmong(keys: readonly string[]): Kind[] {
  return KINDS.filter((kind) => keys.includes(kind) && !KEYS_OF[kind]?.some((other) => keys.includes(other))).sort(
    (a, b) => keys.indexOf(a) - keys.indexOf(b),
  );
}
