import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DefinitionsCase } from './check.ts';

/** What was found once, and is tried again by a test ever after. */
export type FoundCase =
  | { readonly kind: 'request'; readonly found: string; readonly bytes: string }
  | ({ readonly kind: 'definitions'; readonly found: string } & DefinitionsCase);

const folder = fileURLToPath(new URL('../../test/attacks/cases/', import.meta.url));

/** Keeps a case, named by what it holds. Bytes of requests are kept as Latin-1, which is a character a byte. @returns its path */
export function keepCase(given: FoundCase): string {
  const hash = createHash('sha256').update(JSON.stringify(given)).digest('hex').slice(0, 12);
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${given.kind}-${hash}.json`);
  writeFileSync(path, `${JSON.stringify(given, undefined, 2)}\n`);
  return path;
}

/** All cases, by the names of their files. */
export function readCases(): [string, FoundCase][] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return names.toSorted().map((name) => [name, JSON.parse(readFileSync(join(folder, name), 'utf8')) as FoundCase]);
}
