import type { Gateway } from '../model/gateway.ts';
import type { Service } from '../model/service.ts';
import { declarationsOf, type Linking } from './linking.ts';
import { type Declaration, glimpseIds } from './read/declaration.ts';
import type { DefinitionFile } from './read/files.ts';
import type { GatewayDeclared } from './schema/gateway.ts';
import { nameOf, versionNumber } from './service.ts';

/** The package's services that a project switches on. */
export interface Delivered {
  /** Their ids, each once, in the order of the gateway definition. */
  readonly ids: readonly string[];
  /** Everything that their files declare. */
  readonly declarations: readonly Declaration[];
}

/** Picks what `delivered:` of the gateway names among the files of the package, and reads those alone. */
export function resolveDelivered(
  linking: Linking,
  packaged: readonly DefinitionFile[],
  read: (file: DefinitionFile) => readonly Declaration[],
): Delivered {
  const { report, places } = linking;
  const [gateway] = declarationsOf<GatewayDeclared>(linking, 'gateway');
  const names = gateway?.value.delivered ?? [];
  if (names.length === 0) return { ids: [], declarations: [] };
  const offered = new Map<string, DefinitionFile>();
  for (const file of packaged) {
    // Read, it tells why it can't be.
    if (file.kind === 'unreadable') read(file);
    else for (const { kind, id } of glimpseIds(file)) if (kind === 'service') offered.set(id, file);
  }
  const ids: string[] = [];
  const used = new Set<DefinitionFile>();
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
  return { ids: [...new Set(ids)], declarations: [...used].flatMap(read) };
}

/** A reference without a version means the default one. */
function lowestVersion(name: string, ids: Iterable<string>): string | undefined {
  return [...ids].filter((id) => nameOf(id) === name).sort((a, b) => versionNumber(a) - versionNumber(b))[0];
}

/** Warns of services of the package that are switched on and granted to nobody. */
export function checkDeliveredGrants(
  linking: Linking,
  gateway: Gateway | undefined,
  services: Iterable<Service>,
): void {
  const { report, places } = linking;
  const [declared] = declarationsOf<GatewayDeclared>(linking, 'gateway');
  if (gateway === undefined || declared === undefined) return;
  for (const { id, delivered, operations } of services) {
    if (!delivered || operations.some((operation) => operation.public || operation.permissions.length > 0)) continue;
    report.raise('delivered-not-granted', { service: id }, places.key(declared.value, 'delivered'));
  }
}
