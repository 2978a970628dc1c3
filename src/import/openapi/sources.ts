import { CharsetError, decodeText } from '../../wire/charset.ts';
import { ImportError } from '../place.ts';
import type { SourceLanguage, SourceReference } from '../source.ts';
import { readJson } from './json.ts';
import type { Node, Tree } from './tree.ts';
import { readYaml } from './yaml.ts';

/** OpenAPI, and files of JSON Schema that it refers to: JSON or YAML, whatever their names end in. */
export const OPENAPI_LANGUAGE: SourceLanguage<Tree> = {
  parse(bytes, location) {
    const text = textOf(bytes, location);
    return (/^\s*[{[]/.test(text) ? readJson(text, location) : undefined) ?? readYaml(text, location);
  },
  referencesOf({ root }) {
    const found: SourceReference[] = [];
    const seen = new Set<unknown>();
    collectReferences(root, found, seen);
    return found;
  },
};

function textOf(bytes: Uint8Array, location: string): string {
  try {
    return decodeText(bytes, undefined, false);
  } catch (error) {
    if (!(error instanceof CharsetError)) throw error;
    throw new ImportError(error.message, { source: location, line: 0, column: 0 });
  }
}

/** Members whose values are examples, in which `$ref` means nothing. */
const DATA = new Set(['example', 'examples', 'default', 'enum', 'const', 'value']);

function collectReferences(node: Node, found: SourceReference[], seen: Set<unknown>): void {
  if (typeof node.value !== 'object' || node.value === null || seen.has(node.value)) return;
  seen.add(node.value);
  for (const item of node.items()) collectReferences(item, found, seen);
  for (const [key, member] of node.entries()) {
    const to = key === '$ref' ? member.text : undefined;
    if (to !== undefined && !to.startsWith('#')) found.push({ to, place: member.place });
    if (key === 'mapping') collectMapping(member, found);
    // A property may be named `example` or `value`: a map of schemas is below `properties`.
    if (!DATA.has(key) || isMapOfNamed(member)) collectReferences(member, found, seen);
  }
}

/** Whether a member that is named like data is something else: components named `examples`, a schema of a property. */
function isMapOfNamed(member: Node): boolean {
  return member.has('$ref') || member.entries().some(([, each]) => each.has('$ref'));
}

/** A discriminator's values may be references; what has no slash and no file ending is the name of a schema. */
function collectMapping(mapping: Node, found: SourceReference[]): void {
  for (const [, each] of mapping.entries()) {
    const to = each.text;
    if (to !== undefined && !to.startsWith('#') && isReference(to)) found.push({ to, place: each.place });
  }
}

/** Whether a value of a discriminator's mapping is a reference, not the name of a schema. */
export function isReference(text: string): boolean {
  return /[#/]|\.(?:json|ya?ml)$/i.test(text);
}
