import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Whether libxml2's `xmllint` is installed. */
export const hasXmllint = spawnSync('xmllint', ['--version']).status === 0;

/** A schema of the corpus; `undefined` if the corpus is not next to the repository. */
export function corpusSchema(name: string): string | undefined {
  const path = fileURLToPath(new URL(`../../../shared/corpus/schemas/${name}`, import.meta.url));
  return existsSync(path) ? path : undefined;
}

/**
 * Validates documents against a schema with xmllint, all in one run. `files` are the imports of the schema, by name.
 * @returns the errors; empty if every document is valid
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

/** The schemas of WSDL 1.1 and of its SOAP 1.1 and 1.2 bindings, so that extension elements are validated too. */
export const wsdlSchema = wsdlSchemaOf(
  ['http://schemas.xmlsoap.org/wsdl/', corpusSchema('wsdl.xsd')],
  ['http://schemas.xmlsoap.org/wsdl/soap/', corpusSchema('soap-binding.xsd')],
  ['http://schemas.xmlsoap.org/wsdl/soap12/', corpusSchema('soap12-binding.xsd')],
);

function wsdlSchemaOf(
  ...parts: readonly (readonly [namespace: string, path: string | undefined])[]
): { name: string; files: Map<string, string> } | undefined {
  if (parts.some(([, path]) => path === undefined)) return undefined;
  const imports = parts.map(([namespace, path]) => `<xs:import namespace="${namespace}" schemaLocation="${path}"/>`);
  const text = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">${imports.join('')}</xs:schema>`;
  return { name: 'all.xsd', files: new Map([['all.xsd', text]]) };
}
