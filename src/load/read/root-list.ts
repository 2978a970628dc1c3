import { type Linking, noteRefused } from '../linking.ts';
import type { Declaration } from './declaration.ts';
import type { TreeMap, TreeValue } from './tree.ts';

/** Documents whose root is declared as a list get a diagnostic of their own, in place of one about an unknown key. */
export function refuseRootLists(declaration: Declaration, linking: Linking): void {
  const { kind, value } = declaration;
  if (kind === 'document') {
    const key = 'list' in value ? 'list' : 'type' in value && isListText(value.type) ? 'type' : undefined;
    if (key !== undefined && !('fields' in value)) {
      refuse(value, key, `document ${declaration.id}`, linking);
      value.fields = Object.create(null) as TreeMap;
      linking.places.alias(value.fields, value);
      declaration.incomplete = true;
    }
    return;
  }
  if (kind !== 'service') return;
  refuseIn(value, linking);
  const { operations } = value;
  if (isMap(operations))
    for (const operation of Object.values(operations)) if (isMap(operation)) refuseIn(operation, linking);
}

function refuseIn(container: TreeMap, linking: Linking): void {
  for (const key of ['request', 'response', 'fault', 'template']) {
    const value = container[key];
    if (!isMap(value) || 'fields' in value || !('list' in value)) continue;
    refuse(value, 'list', `the ${key}`, linking);
    delete container[key];
    noteRefused(linking, container, [key]);
  }
}

function refuse(container: TreeMap, key: string, what: string, { report, places }: Linking): void {
  report.raise('root-list', { what }, places.key(container, key));
  delete container[key];
}

const isListText = (value: TreeValue | undefined): boolean => typeof value === 'string' && /^list\s+of\s/.test(value);

function isMap(value: TreeValue | undefined): value is TreeMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
