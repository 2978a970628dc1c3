import { nearest } from '../diagnostic/suggest.ts';
import type { Linking } from '../linking.ts';
import type { Declaration } from './declaration.ts';
import { raiseMistake, type SchemaError, schemaErrors } from './mistakes.ts';
import { isTreeMap, type TreeMap, type TreeValue } from './tree.ts';

/**
 * Holds a definition against the JSON Schema. What is wrong is reported and taken out, so that the rest of the definition
 * can still be checked; what may be missing in it from then on is in doubt.
 * @returns false when the rest is not a definition of its kind
 */
export function checkShape(declaration: Declaration, linking: Linking): boolean {
  const { kind, value: root } = declaration;
  let errors = schemaErrors(kind, root);
  for (const error of errors) raiseMistake(error, declaration, linking);
  while (errors.length > 0) {
    for (const error of errors) markDoubt(declaration, error, linking);
    for (const error of errors) if (!takeOut(root, error)) return false;
    errors = schemaErrors(kind, root);
  }
  return true;
}

/** Puts what holds the mistake in doubt, and the keys of its operation or definition that it may have meant. */
function markDoubt(declaration: Declaration, { path, params, schema }: SchemaError, { doubt }: Linking): void {
  const holders = [declaration.value, ...path.map((_, index) => valueAt(declaration.value, path.slice(0, index + 1)))];
  for (const each of holders) if (isContainer(each)) doubt.mark(each);
  const depth = declaration.kind === 'service' && path[0] === 'operations' && path.length > 1 ? 2 : 0;
  const owner = holders[depth];
  if (!isContainer(owner)) return;
  const key = path[depth];
  const extra = params.additionalProperty;
  if (key !== undefined) doubt.mark(owner, key);
  else if (extra !== undefined) {
    const others = Object.keys(schema.properties ?? {}).filter((each) => !(each in owner));
    const meant = nearest(extra, others);
    doubt.mark(owner, ...(meant === undefined ? others : [meant]));
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

/** Documents whose root is declared as a list get a diagnostic of their own, in place of one about an unknown key. */
export function refuseRootLists(declaration: Declaration, linking: Linking): void {
  const { kind, value } = declaration;
  if (kind === 'document') {
    const key = 'list' in value ? 'list' : 'type' in value && isListText(value.type) ? 'type' : undefined;
    if (key !== undefined && !('fields' in value)) {
      refuse(value, key, `document ${declaration.id}`, linking);
      value.fields = Object.create(null) as TreeMap;
      linking.places.alias(value.fields, value);
      linking.doubt.mark(value);
    }
    return;
  }
  if (kind !== 'service') return;
  refuseIn(value, linking);
  const { operations } = value;
  if (isTreeMap(operations))
    for (const operation of Object.values(operations)) if (isTreeMap(operation)) refuseIn(operation, linking);
}

function refuseIn(container: TreeMap, linking: Linking): void {
  for (const key of ['request', 'response', 'fault', 'template']) {
    const value = container[key];
    if (!isTreeMap(value) || 'fields' in value || !('list' in value)) continue;
    refuse(value, 'list', `the ${key}`, linking);
    delete container[key];
    linking.doubt.mark(container, key);
  }
}

function refuse(container: TreeMap, key: string, what: string, { report, places }: Linking): void {
  report.raise('root-list', { what }, places.key(container, key));
  delete container[key];
}

const isListText = (value: TreeValue | undefined): boolean => typeof value === 'string' && /^list\s+of\s/.test(value);
