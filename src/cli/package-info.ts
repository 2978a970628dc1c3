import { readFileSync } from 'node:fs';

/** The version of the package, from its package.json. */
export function packageVersion(): string {
  // Two folders up from both src/cli and dist/cli.
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

/** A digest of the code in dist/, which the build puts here. */
const BUILD = '#build#';

/** Identifies the code that runs; `undefined` from the sources, which change without a build. */
export function packageBuild(): string | undefined {
  return BUILD.startsWith('#') ? undefined : BUILD;
}

/** The address of a module next to the calling one, compiled or not as that is: to start processes and threads. */
export function sibling(name: string, from: string): URL {
  return new URL(`./${name}${from.endsWith('.ts') ? '.ts' : '.js'}`, from);
}
