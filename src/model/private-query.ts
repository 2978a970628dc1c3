/** Keys of a private query's definition: whose it is and what it reads from is not its author's to say. */
export const PRIVATE_QUERY_KEYS = ['query', 'description', 'prompts', 'columns', 'sql', 'rows', 'timeout'] as const;
export type PrivateQueryKey = (typeof PRIVATE_QUERY_KEYS)[number];
