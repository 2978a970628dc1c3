import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** xmllint's word on documents: `undefined` for a valid one, else its first error. */
export type Verdicts = readonly (string | undefined)[];

/** Validates documents against a schema in one run. `undefined` when the schema itself is refused. @throws Error for that */
export function validate(schema: string, documents: readonly string[], folder: string): Verdicts {
  if (documents.length === 0) return [];
  const paths = documents.map((text, index) => {
    const path = join(folder, `i${index}.xml`);
    writeFileSync(path, text);
    return path;
  });
  const { stderr } = spawnSync('xmllint', ['--nonet', '--noout', '--huge', '--schema', schema, ...paths], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    timeout: 120_000,
  });
  if (/failed to compile/.test(stderr)) throw new SchemaRefused(stderr.split('\n').slice(0, 2).join(' '));
  const errors = new Map<number, string>();
  const judged = new Set<number>();
  for (const line of stderr.split('\n')) {
    const [, index, message = ''] = /\/i(\d+)\.xml(?::\d+)?:? ?(.*)$/.exec(line) ?? [];
    // The schema does not check whether a namespace is a URI.
    if (index === undefined || message.startsWith('namespace warning')) continue;
    if (/^(validates|fails to validate)/.test(message)) judged.add(Number(index));
    else if (!errors.has(Number(index))) errors.set(Number(index), message.replace(/^element [^:]*: /, ''));
    if (/^fails to validate/.test(message) && !errors.has(Number(index))) errors.set(Number(index), 'not valid');
  }
  return documents.map((_, index) => (judged.has(index) ? errors.get(index) : (errors.get(index) ?? 'not judged')));
}

/** xmllint does not take a schema. */
export class SchemaRefused extends Error {}
