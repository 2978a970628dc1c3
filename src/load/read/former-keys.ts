/** A key of an earlier version of the language. */
export interface FormerKey {
  readonly key: string;
  /** What replaces it. */
  readonly now: string;
  /** A key of the maps that had it; `now` by default. */
  readonly beside?: string;
  /** What else the key is written for, in addition to what replaces it. */
  readonly meant?: string;
}

/** They are refused, with the key that replaces them. A map that has several of the keys is meant by the first. */
export const FORMER_KEYS: readonly FormerKey[] = [
  { key: 'keep', now: 'retention.results', beside: 'temporary' },
  {
    key: 'reply',
    now: 'reply-of',
    meant: 'The document of the reply is `response`.',
  },
  { key: 'reply', now: 'awaits-reply' },
  { key: 'reply', now: 'reply-element' },
  { key: 'replies', now: 'gives-reply' },
  { key: 'requests', now: 'process-requests' },
  {
    key: 'messages',
    now: 'process-logs',
    meant: 'How long messages of queues are kept is in `retention` of their queue.',
  },
  { key: 'dead', now: 'failed-jobs' },
  { key: 'template', now: 'variables', meant: 'A URI template follows its method, as in `get: orders/{ID}`.' },
];

/** What replaces a key in a map with these keys. */
export function successorOf(key: string, keys: readonly string[]): FormerKey | undefined {
  return FORMER_KEYS.find((each) => each.key === key && keys.includes(each.beside ?? each.now));
}
