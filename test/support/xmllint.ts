import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Whether libxml2's `xmllint` is on this machine. */
export const hasXmllint = spawnSync('xmllint', ['--version']).status === 0;

/** A schema of the corpus; undefined where the corpus is not beside the repository. */
export function corpusSchema(name: string): string | undefined {
  const path = fileURLToPath(new URL(`../../../shared/corpus/schemas/${name}`, import.meta.url));
  return existsSync(path) ? path : undefined;
}

/**
 * Validates documents against a schema with xmllint, all in one run. `files` are what the schema imports by name.
 * @returns its complaints, empty where every document is valid
 */
export function validateXml(
  schema: string | { readonly name: string; readonly files: ReadonlyMap<string, string> },
  documents: readonly string[],
): string {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-xml-'));
  try {
    const write = (name: string, text: string): string => {
      const path = join(folder, name);
      writeFileSync(path, text);
      return path;
    };
    if (typeof schema !== 'string') for (const [name, text] of schema.files) write(name, text);
    const schemaPath = typeof schema === 'string' ? schema : join(folder, schema.name);
    const paths = documents.map((text, index) => write(`${index}.xml`, text));
    execFileSync('xmllint', ['--nonet', '--noout', '--schema', schemaPath, ...paths], { stdio: 'pipe' });
    return '';
  } catch (error) {
    return String((error as { stderr?: Buffer }).stderr ?? error);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
