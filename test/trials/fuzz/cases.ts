import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DefinitionsCase } from './check.ts';
import type { ImportCase } from './contracts.ts';

/** A finding, which a test replays from then on. */
export type FoundCase =
  | { readonly kind: 'request'; readonly found: string; readonly bytes: string }
  | ({ readonly kind: 'definitions'; readonly found: string } & DefinitionsCase)
  | ({ readonly kind: 'import'; readonly found: string } & ImportCase);

const folder = fileURLToPath(new URL('../../attacks/cases/', import.meta.url));

/**
 * Stores a case under a name derived from its content. Bytes of requests and contracts are stored as Latin-1, one character per byte.
 * @returns its path
 */
export function keepCase(given: FoundCase): string {
  const hash = createHash('sha256').update(JSON.stringify(given)).digest('hex').slice(0, 12);
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${given.kind}-${hash}.json`);
  writeFileSync(path, `${JSON.stringify(given, undefined, 2)}\n`);
  return path;
}

/** All cases, by file name. */
export function readCases(): [string, FoundCase][] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return names.toSorted().map((name) => [name, JSON.parse(readFileSync(join(folder, name), 'utf8')) as FoundCase]);
}
