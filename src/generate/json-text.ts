import { LINE_WIDTH } from './typescript.ts';

/** JSON values, and Maps for objects whose keys are names of the project rather than keys of the format. */
export type JsonTree = string | number | boolean | null | undefined | object;

/**
 * JSON laid out for reading and for diffs: each entry of a Map has a line of its own, an object or an array is on one line if
 * it fits. Undefined members are left out. Ends with a newline.
 */
export function jsonText(tree: JsonTree): string {
  return `${write(tree, '', 0)}\n`;
}

/** @param indent of the line @param before columns that precede the value on its line */
function write(tree: JsonTree, indent: string, before: number): string {
  if (typeof tree !== 'object' || tree === null) return JSON.stringify(tree ?? null);
  const members = membersOf(tree);
  const [open, close] = Array.isArray(tree) ? ['[', ']'] : ['{', '}'];
  if (members.length === 0) return open + close;
  const flat = flatten(tree);
  if (flat !== undefined && indent.length + before + flat.length < LINE_WIDTH) return flat;
  const inner = `${indent}  `;
  const lines = members.map(([key, value]) => {
    const label = key === undefined ? '' : `${JSON.stringify(key)}: `;
    return `${inner}${label}${write(value, inner, label.length)}`;
  });
  return `${open}\n${lines.join(',\n')}\n${indent}${close}`;
}

/** The value on one line; `undefined` when it contains a Map, whose entries need lines of their own. */
function flatten(tree: JsonTree): string | undefined {
  if (typeof tree !== 'object' || tree === null) return JSON.stringify(tree ?? null);
  const members = membersOf(tree);
  if (members.length === 0) return Array.isArray(tree) ? '[]' : '{}';
  if (tree instanceof Map) return undefined;
  const texts: string[] = [];
  for (const [key, value] of members) {
    const text = flatten(value);
    if (text === undefined) return undefined;
    texts.push(key === undefined ? text : `${JSON.stringify(key)}: ${text}`);
  }
  return Array.isArray(tree) ? `[${texts.join(', ')}]` : `{ ${texts.join(', ')} }`;
}

function membersOf(tree: object): (readonly [string | undefined, JsonTree])[] {
  if (Array.isArray(tree)) return tree.map((value: JsonTree) => [undefined, value]);
  const entries: Iterable<[string, JsonTree]> = tree instanceof Map ? tree : Object.entries(tree);
  return [...entries].filter(([, value]) => value !== undefined);
}
