import type { Declaration } from './declaration.ts';
import type { GatewayDeclared } from './declared.ts';
import { declarationsOf, type Linking } from './linking.ts';

/** The package's services that a project switches on. */
export interface Delivered {
  /** Their ids, each once, in the order of the gateway definition. */
  readonly ids: readonly string[];
  /** Everything that their files declare. */
  readonly declarations: readonly Declaration[];
}

/** Picks what `delivered:` of the gateway names; `packaged` are the declarations of each file of the package. */
export function resolveDelivered(linking: Linking, packaged: readonly (readonly Declaration[])[]): Delivered {
  const { report, places } = linking;
  const [gateway] = declarationsOf<GatewayDeclared>(linking, 'gateway');
  const names = gateway?.value.delivered ?? [];
  const offered = new Map<string, readonly Declaration[]>();
  for (const file of packaged) {
    for (const { kind, id } of file) if (kind === 'service') offered.set(id, file);
  }
  const ids: string[] = [];
  const used = new Set<readonly Declaration[]>();
  for (const [index, name] of names.entries()) {
    const id = offered.has(name) ? name : lowestVersion(name, offered.keys());
    const file = id === undefined ? undefined : offered.get(id);
    if (id === undefined || file === undefined) {
      const at = places.value(names, index);
      report.raise('unknown-reference', { what: 'delivered service', id: name, known: [...offered.keys()] }, at);
    } else {
      ids.push(id);
      used.add(file);
    }
  }
  return { ids: [...new Set(ids)], declarations: [...used].flat() };
}

/** A reference without a version means the default one. */
function lowestVersion(name: string, ids: Iterable<string>): string | undefined {
  const number = (id: string): number => Number(id.slice(id.lastIndexOf('.') + 2));
  return [...ids].filter((id) => id.slice(0, id.lastIndexOf('.')) === name).sort((a, b) => number(a) - number(b))[0];
}
