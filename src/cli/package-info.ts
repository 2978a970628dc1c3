import { readFileSync } from 'node:fs';

/** The package's own version, from its package.json. */
export function packageVersion(): string {
  // Two folders up from here both in src/cli and in dist/cli.
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

/** A module beside the one that asks, compiled or not as that one is: for processes and threads started by address. */
export function sibling(name: string, from: string): URL {
  return new URL(`./${name}${from.endsWith('.ts') ? '.ts' : '.js'}`, from);
}
