import { readdir, readFile, stat } from 'node:fs/promises';
import { relative, resolve, sep } from 'node:path';
import { CliFailure } from '../failure.ts';
import { STDIN } from './read-source.ts';

const DESCRIPTION = /\.(?:json|ya?ml)$/i;
/** The version of OpenAPI, at the begin of a line or as a member of JSON. No part of it spans lines, of which a file may have millions. */
const VERSION = /(?:^\uFEFF?|[{,])[ \t{]*["']?(?:openapi|swagger)["']?[ \t]*:[ \t]*["']?[23]\./m;
/** Files with parts of contracts, which are contracts if a folder has nothing else. */
const PARTS: readonly RegExp[] = [DESCRIPTION, /\.xsd$/i];

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
  const contracts: string[] = [];
  for (const file of files) if (/\.(?:wsdl|wadl)$/i.test(file) || (await isDescription(file))) contracts.push(file);
  if (contracts.length > 0) return contracts;
  for (const part of PARTS) {
    const matching = files.filter((file) => part.test(file));
    if (matching.length > 0) return matching;
  }
  throw new CliFailure(`${argument} contains no contract`, {
    hint: 'Contracts are files that end with .wsdl, .wadl, .json, .yaml or .xsd.',
  });
}

/** Whether a file describes an API, rather than schemas or examples that such a description refers to. */
async function isDescription(file: string): Promise<boolean> {
  return DESCRIPTION.test(file) && VERSION.test(await readFile(file, 'utf8'));
}
