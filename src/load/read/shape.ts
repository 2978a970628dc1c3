import { nearest } from '../diagnostic/suggest.ts';
import { type Linking, noteRefused } from '../linking.ts';
import type { Declaration } from './declaration.ts';
import { raiseMistake } from './shape-mistakes.ts';
import type { TreeMap, TreeValue } from './tree.ts';
import { type SchemaError, schemaErrors } from './validate.ts';

/**
 * Holds a definition against the JSON Schema. What is wrong is reported and taken out, so that the rest of the definition
 * can still be looked at; it counts as incomplete from then on.
 * @returns false where what is left is no definition of its kind
 */
export function checkShape(declaration: Declaration, linking: Linking): boolean {
  const { kind, value: root } = declaration;
  let errors = schemaErrors(kind, root);
  for (const error of errors) raiseMistake(error, declaration, linking);
  while (errors.length > 0) {
    for (const error of errors) markIncomplete(declaration, error, linking);
    for (const error of errors) if (!takeOut(root, error)) return false;
    errors = schemaErrors(kind, root);
  }
  return true;
}

/** What holds the mistake lacks something from now on, and its operation or definition may have meant a key with it. */
function markIncomplete(declaration: Declaration, { path, params, schema }: SchemaError, linking: Linking): void {
  declaration.incomplete = true;
  const holders = [declaration.value, ...path.map((_, index) => valueAt(declaration.value, path.slice(0, index + 1)))];
  for (const each of holders) if (isContainer(each)) linking.incomplete.add(each);
  const depth = declaration.kind === 'service' && path[0] === 'operations' && path.length > 1 ? 2 : 0;
  const owner = holders[depth];
  if (!isContainer(owner)) return;
  const key = path[depth];
  const extra = params.additionalProperty;
  if (key !== undefined) noteRefused(linking, owner, [key]);
  else if (extra !== undefined) {
    const others = Object.keys(schema.properties ?? {}).filter((each) => !(each in owner));
    const meant = nearest(extra, others);
    noteRefused(linking, owner, meant === undefined ? others : [meant]);
  }
}

/** Removes what an error is about. @returns false where that is the definition itself */
function takeOut(root: TreeMap, { path, params, propertyName }: SchemaError): boolean {
  const extra = params.additionalProperty ?? propertyName;
  let way = extra === undefined ? path : [...path, extra];
  // An entry of a list goes with its list: without it the others would not mean the same.
  while (way.length > 0 && Array.isArray(valueAt(root, way.slice(0, -1)))) way = way.slice(0, -1);
  const key = way.at(-1);
  if (key === undefined) return false;
  const owner = valueAt(root, way.slice(0, -1));
  if (isContainer(owner)) delete (owner as TreeMap)[key];
  return true;
}

/** The value that a path leads to; undefined where it has been taken out. */
function valueAt(root: TreeMap, path: readonly string[]): TreeValue | undefined {
  let value: TreeValue | undefined = root;
  for (const key of path) {
    if (!isContainer(value)) return undefined;
    value = Array.isArray(value) ? value[Number(key)] : value[key];
  }
  return value;
}

function isContainer(value: TreeValue | undefined): value is TreeMap | TreeValue[] {
  return typeof value === 'object' && value !== null;
}
