import { pathTo } from './parts.ts';

/** The pages of the registry, by the kinds of definitions. */
const PAGES: Readonly<Record<string, string>> = {
  service: 'services',
  operation: 'operations',
  consumer: 'operations',
  document: 'documents',
  query: 'queries',
  component: 'components',
  process: 'processes',
  node: 'nodes',
  role: 'roles',
  'permission-list': 'lists',
  queue: 'queues',
  subscription: 'subscriptions',
  file: 'files',
};

/** The page of a definition below the console; `undefined` for a kind that has none. */
export function definedPath(kind: string, id: string): string | undefined {
  const pages = PAGES[kind];
  if (pages === undefined) return undefined;
  return pathTo('registry', pages, ...(kind === 'file' ? id.split('/') : [id]));
}
