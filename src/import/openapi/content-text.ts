import { referred, type SchemaContext } from './shape.ts';
import type { Node } from './tree.ts';

/** Keywords that say nothing about values. */
const ANNOTATIONS =
  /^(?:description|title|summary|example|examples|default|deprecated|externalDocs|\$comment|\$id|x-.*)$/;

/** Most values of one text; what is behind them is not compared. */
const MOST = 5000;

/**
 * A schema as a text that is the same for two contracts if their values are: without annotations, with members in one order, and with
 * what references lead to in their place. Made for a comparison alone; `undefined` otherwise.
 */
export function contentText(node: Node, context: SchemaContext): string | undefined {
  if (context.purpose !== 'comparison') return undefined;
  const open = new Set<unknown>();
  let left = MOST;
  const read = (each: Node): unknown => {
    left -= 1;
    if (left < 0) return '...';
    if (Array.isArray(each.value)) return each.items().map(read);
    if (each.map === undefined) return each.value;
    const target = each.has('$ref') ? referred(each, context).node : each;
    // A schema may contain itself.
    if (open.has(target.value)) return '$ref';
    open.add(target.value);
    const members = target.entries().filter(([key]) => !ANNOTATIONS.test(key));
    const sorted = members.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([key, value]) => [key, read(value)]);
    open.delete(target.value);
    return Object.fromEntries(sorted);
  };
  return JSON.stringify(read(node));
}
