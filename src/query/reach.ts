import { readDatabaseUrl } from '../store/url.ts';
import type { QueryDatabase } from './port.ts';

/**
 * How a database is reached that a URL names; nothing is opened yet.
 * @param root folder that a relative path starts from
 * @param password in place of one in the URL
 * @throws StoreError for a URL that is not supported
 */
export async function reachDatabase(url: string, root: string, password?: string): Promise<QueryDatabase> {
  const at = readDatabaseUrl(url, root);
  if (at.kind === 'sqlite') return { kind: 'sqlite', location: at.file, postgres: undefined };
  const address = new URL(at.url);
  // As it is in a URL: the setter itself leaves a percent sign as it stands.
  if (password !== undefined) address.password = encodeURIComponent(password);
  const { readConfig } = await import('../store/postgres/pool.ts');
  const { config, location } = readConfig(address.href);
  return { kind: 'postgres', location, postgres: { config } };
}
