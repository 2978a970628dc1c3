import { type CommittedOperation, committedName } from '../committed.ts';
import { versionNumber } from './service.ts';

/** The names that a service gives to its operations: theirs, and those of their SOAP twins. */
export interface NamesOfService {
  /** Id of the service. */
  readonly service: string;
  readonly operations: readonly string[];
  readonly twins: readonly string[];
}

/**
 * The id of every operation and SOAP twin, by its qualified name. It is the name alone for the operation that had it first,
 * and the qualified name for every other. The committed registry says who was first, so that an id never changes; among
 * operations that it does not know, the lowest version is first, then the service whose id comes first.
 */
export function operationIds(
  services: readonly NamesOfService[],
  committed: readonly CommittedOperation[],
): ReadonlyMap<string, string> {
  const before = new Map(committed.map((each) => [committedName(each), each.id]));
  const names = inOrder(services);
  const ids = new Map<string, string>();
  const taken = new Set<string>();
  const claim = ({ name, qualified }: QualifiedName): void => {
    // Files are named after ids, and some file systems know no letter case.
    const key = name.toLowerCase();
    ids.set(qualified, taken.has(key) ? qualified : name);
    taken.add(key);
  };
  for (const each of names) {
    if (before.get(each.qualified) === each.qualified) ids.set(each.qualified, each.qualified);
    if (before.get(each.qualified) === each.name) claim(each);
  }
  for (const each of names) if (!ids.has(each.qualified)) claim(each);
  return ids;
}

interface QualifiedName {
  readonly name: string;
  readonly qualified: string;
}

function inOrder(services: readonly NamesOfService[]): QualifiedName[] {
  const sorted = services.toSorted(
    (a, b) => versionNumber(a.service) - versionNumber(b.service) || (a.service < b.service ? -1 : 1),
  );
  const qualify = (service: string, names: readonly string[]): QualifiedName[] =>
    names.map((name) => ({ name, qualified: `${service}.${name}` }));
  return [
    ...sorted.flatMap(({ service, operations }) => qualify(service, operations)),
    ...sorted.flatMap(({ service, twins }) => qualify(service, twins)),
  ];
}
