import { readdir, stat } from 'node:fs/promises';
import { relative, resolve, sep } from 'node:path';
import { CliFailure } from '../failure.ts';
import { STDIN } from './read-source.ts';

/** Kinds of contracts by the endings of files, in the order in which a folder is searched for them. */
const ENDINGS: readonly RegExp[] = [/\.wsdl$/i, /\.wadl$/i, /\.(?:json|ya?ml)$/i, /\.xsd$/i];

/** The locations that an argument means: a file, an address, standard input, or the contracts in a folder. */
export async function expand(argument: string): Promise<readonly string[]> {
  if (argument === STDIN || /^https?:/i.test(argument)) return [argument];
  const path = relative(process.cwd(), resolve(argument)).split(sep).join('/') || '.';
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) throw new CliFailure(`${argument} does not exist`);
  if (!found.isDirectory()) return [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => relative(process.cwd(), resolve(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort();
  for (const ending of ENDINGS) {
    const matching = files.filter((file) => ending.test(file));
    if (matching.length > 0) return matching;
  }
  throw new CliFailure(`${argument} contains no contract`, {
    hint: 'Contracts are files that end with .wsdl, .wadl, .json, .yaml or .xsd.',
  });
}
