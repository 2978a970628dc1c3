import type { Service } from '../model/service.ts';
import { isDate } from '../wire/calendar.ts';
import { type CommittedOperation, committedName } from './committed.ts';
import { type Place, placeText, positionOf } from './diagnostic/diagnostic.ts';
import type { Linking } from './linking.ts';
import { given, type Mutable } from './object.ts';
import { soapName } from './operation/message.ts';
import type { Declaration } from './read/declaration.ts';
import type { OperationDeclared } from './schema/operation.ts';
import type { ServiceDeclared } from './schema/service.ts';

/** `Locations` of `Locations.v1`. */
export const nameOf = (id: string): string => id.slice(0, id.lastIndexOf('.'));
const versionOf = (id: string): string => id.slice(id.lastIndexOf('.') + 1);

/** 1 of `Locations.v1`. */
export const versionNumber = (id: string): number => Number(versionOf(id).slice(1));

/** A service whose operations are still to be linked. */
export function linkService(
  linking: Linking,
  { id, value, at, delivered }: Declaration<ServiceDeclared>,
): Mutable<Service> {
  return {
    id,
    name: nameOf(id),
    version: versionOf(id),
    default: false,
    active: value.active ?? true,
    operations: [],
    consumers: [],
    flows: [],
    delivered,
    ...given({
      description: value.description,
      namespace: value.namespace,
      cors: value.cors,
      deprecated: linkDeprecation(linking, value),
    }),
    at: positionOf(at),
  };
}

function linkDeprecation({ report, places }: Linking, { deprecated }: ServiceDeclared): Service['deprecated'] {
  if (deprecated === undefined || deprecated === false) return undefined;
  if (deprecated === true) return {};
  for (const key of ['since', 'sunset'] as const) {
    const date = deprecated[key];
    if (date === undefined || isDate(date)) continue;
    report.raise(
      'bad-date',
      { name: key, reason: `${date} is not a date of the calendar` },
      places.value(deprecated, key),
    );
  }
  const { since, sunset } = deprecated;
  if (since !== undefined && sunset !== undefined && sunset < since) {
    report.raise(
      'bad-date',
      { name: 'sunset', reason: `is before since, ${since}` },
      places.value(deprecated, 'sunset'),
    );
  }
  return given({ since, sunset });
}

/**
 * The names of operations and SOAP twins that each service declares. They are unique in a service of one version, letter
 * case apart; what is called elsewhere has the SOAP name that others give it. A flow has no name of an operation.
 */
export function ownOperations(
  { report, places }: Linking,
  declarations: readonly Declaration<ServiceDeclared>[],
): NamesOfService[] {
  const once = (among: Map<string, Named>, what: string, id: string, at: Place): boolean => {
    const key = id.toLowerCase();
    const other = among.get(key);
    if (other === undefined) among.set(key, { id, first: at });
    else {
      const shown = other.id === id ? `${what} ${id}` : `${what} ${id} (as ${other.id})`;
      report.raise('duplicate-id', { what: shown, first: placeText(other.first) }, at);
    }
    return other === undefined;
  };
  const services = new Map<string, Named>();
  return declarations.map(({ id, value, at }) => {
    once(services, 'service', id, at);
    const seen = new Map<string, Named>();
    const operations = Object.keys(value.operations).filter((each) =>
      once(seen, 'operation', each, places.key(value.operations, each)),
    );
    // After all operations, so that of an operation and a SOAP twin of that name the twin is what is complained of.
    const twins = operations.flatMap((each) => {
      const declared = value.operations[each] as OperationDeclared;
      const twin = (declared.target ?? value.target) === undefined ? soapName(each, declared) : undefined;
      if (twin === undefined || twin === each) return [];
      return once(seen, 'operation', twin, places.value(declared, 'soap')) ? twin : [];
    });
    const flows = value.flows ?? {};
    for (const each of Object.keys(flows)) {
      const other = [...seen.values()].find((named) => named.id === each);
      if (other === undefined) continue;
      report.raise(
        'duplicate-id',
        { what: `${each} of ${id}`, first: placeText(other.first) },
        places.key(flows, each),
      );
    }
    return { service: id, operations, twins };
  });
}

/** What has a name already. */
interface Named {
  readonly id: string;
  readonly first: Place;
}

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

/** The default version of each service name: the one that says so, else the lowest. */
export function defaultVersions(
  { report, places }: Linking,
  declarations: readonly Declaration<ServiceDeclared>[],
): Map<string, string> {
  const chosen = new Map<string, Declaration<ServiceDeclared>>();
  for (const declaration of declarations) {
    const name = nameOf(declaration.id);
    const other = chosen.get(name);
    const says = declaration.value.default === true;
    if (other === undefined) {
      if (declaration.value.default !== false) chosen.set(name, declaration);
    } else if (says && other.value.default === true) {
      report.raise(
        'two-defaults',
        { service: declaration.id, other: other.id },
        places.key(declaration.value, 'default'),
      );
    } else if (
      says ||
      (other.value.default !== true &&
        declaration.value.default !== false &&
        versionNumber(declaration.id) < versionNumber(other.id))
    ) {
      chosen.set(name, declaration);
    }
  }
  return new Map([...chosen].map(([name, { id }]) => [name, id]));
}
