import { createHash } from 'node:crypto';

/**
 * What is kept of an API key: `sha256:` and 64 hexadecimal digits. A key is 256 random bits, so that a plain hash of it can
 * neither be guessed nor looked up in a list.
 */
export function apiKeyHash(key: string): string {
  return `sha256:${createHash('sha256').update(key).digest('hex')}`;
}
