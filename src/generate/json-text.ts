/** What {@link jsonText} writes: JSON values, and Maps, whose keys are names of the project's own, not words of a format. */
export type JsonTree = string | number | boolean | null | undefined | object;

const WIDTH = 120;

/**
 * JSON made for reading and for diffs: each entry of a Map has a line of its own, an object or an array stands on one
 * line where it fits. Members that are undefined are left out. Ends with a newline.
 */
export function jsonText(tree: JsonTree): string {
  return `${write(tree, '', 0)}\n`;
}

/** `before`: columns taken on the line by what stands before the value; `indent`: that of the line. */
function write(tree: JsonTree, indent: string, before: number): string {
  if (typeof tree !== 'object' || tree === null) return JSON.stringify(tree ?? null);
  const members = membersOf(tree);
  const [open, close] = Array.isArray(tree) ? ['[', ']'] : ['{', '}'];
  if (members.length === 0) return open + close;
  const flat = flatten(tree);
  if (flat !== undefined && indent.length + before + flat.length < WIDTH) return flat;
  const inner = `${indent}  `;
  const lines = members.map(([key, value]) => {
    const label = key === undefined ? '' : `${JSON.stringify(key)}: `;
    return `${inner}${label}${write(value, inner, label.length)}`;
  });
  return `${open}\n${lines.join(',\n')}\n${indent}${close}`;
}

/** On one line; undefined where a Map inside wants lines of its own. */
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
