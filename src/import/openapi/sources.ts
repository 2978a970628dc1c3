import type { SourceLanguage, SourceReference } from '../source.ts';
import { textOf } from '../text.ts';
import { readJson } from './json.ts';
import { eachReference, joined, ownAddresses } from './references.ts';
import type { Node, Tree } from './tree.ts';
import { readYaml } from './yaml.ts';

/** OpenAPI, and files of JSON Schema that it refers to: JSON or YAML, whatever their names end in. */
export const OPENAPI_LANGUAGE: SourceLanguage<Tree> = {
  parse(bytes, location, losses) {
    const text = textOf(bytes, location, false, losses);
    return (
      (/^\s*[{[]/.test(text) ? readJson(text, location) : undefined) ??
      readYaml(text.replaceAll('\r\n', '\n'), location)
    );
  },
  referencesOf({ root }) {
    const found: SourceReference[] = [];
    const own = ownAddresses(root);
    const add = (to: string, node: Node, base: string | undefined): void => {
      const isOwn = own.has(joined(to, base).replace(/#.*$/s, ''));
      if (!to.startsWith('#') && to !== '' && !isOwn) found.push({ to, place: node.place });
    };
    eachReference(root, (reference, _, base) => add(reference.text as string, reference, base));
    eachMapping(root, (each) => add(each.text as string, each, undefined));
    return found;
  },
};

/** Visits the values of discriminators that are references to files. */
function eachMapping(root: Node, visit: (value: Node) => void): void {
  if (!root.tree.text.includes('mapping')) return;
  const seen = new Set<unknown>();
  const walk = (node: Node): void => {
    if (typeof node.value !== 'object' || node.value === null || seen.has(node.value)) return;
    seen.add(node.value);
    for (const [, each] of node.get('discriminator')?.get('mapping')?.entries() ?? [])
      if (each.text !== undefined && isReference(each.text)) visit(each);
    for (const [, member] of node.entries()) walk(member);
    for (const item of node.items()) walk(item);
  };
  walk(root);
}

/** Whether a value of a discriminator's mapping is a reference, not the name of a schema. */
export function isReference(text: string): boolean {
  return /[#/]|\.(?:json|ya?ml)$/i.test(text);
}
