import type { Query } from '../model/query.ts';
import type { PermissionList } from '../model/security.ts';
import type { Operation, Service } from '../model/service.ts';
import { isDate } from '../wire/calendar.ts';
import type { Declaration } from './declaration.ts';
import type { ServiceDeclared } from './declared.ts';
import { placeText } from './diagnostic.ts';
import type { Documents } from './documents.ts';
import { given, type Mutable } from './given.ts';
import { declarationsOf, type Linking, positionOf } from './linking.ts';
import { linkOperation } from './operation.ts';
import { operationSpot } from './operation-spot.ts';
import { grantsByList } from './security.ts';

/** While it is linked: routings may still switch operations off. */
export type LinkedOperation = Mutable<Operation>;

/** Every service with its operations. */
export interface LinkedServices {
  readonly services: readonly Service[];
  readonly operations: ReadonlyMap<string, LinkedOperation>;
}

/** Links services and operations. */
export function linkServices(
  documents: Documents,
  queries: ReadonlyMap<string, Query>,
  lists: ReadonlyMap<string, PermissionList>,
  lost: ReadonlySet<string>,
): LinkedServices {
  const { linking } = documents;
  const declarations = declarationsOf<ServiceDeclared>(linking, 'service').toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const own = ownOperations(linking, declarations);
  const named = declarations.map(({ id }) => ({ id, name: nameOf(id), operations: own.get(id) ?? [] }));
  const grants = grantsByList(linking, lists, named, lost);
  const defaults = defaultVersions(linking, declarations);
  const operations = new Map<string, LinkedOperation>();
  const services = declarations.map((declaration) => {
    const { id, value } = declaration;
    const service: Mutable<Service> = {
      ...linkService(linking, declaration),
      default: defaults.get(nameOf(id)) === id,
    };
    const context = { documents, queries, lists, grants };
    const ids = own.get(id) ?? [];
    const linked = ids.map((each) => linkOperation(context, operationSpot(linking, value, each), service));
    service.operations = linked;
    for (const operation of linked) operations.set(operation.id, operation);
    return service;
  });
  return { services, operations };
}

const nameOf = (id: string): string => id.slice(0, id.lastIndexOf('.'));
const versionOf = (id: string): string => id.slice(id.lastIndexOf('.') + 1);

function linkService(linking: Linking, { id, value, at, delivered }: Declaration<ServiceDeclared>): Service {
  return {
    id,
    name: nameOf(id),
    version: versionOf(id),
    default: false,
    active: value.active ?? true,
    operations: [],
    delivered,
    ...given({ description: value.description, deprecated: linkDeprecation(linking, value) }),
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

/** The operations that each service declares, by its id; ids are unique over all services, letter case apart. */
function ownOperations(
  { report, places }: Linking,
  declarations: readonly Declaration<ServiceDeclared>[],
): Map<string, string[]> {
  const seen = new Map<string, { readonly id: string; readonly first: string }>();
  const services = new Map<string, { readonly id: string; readonly first: string }>();
  const once = (among: typeof seen, what: string, id: string, at: Parameters<typeof report.raise>[2]): boolean => {
    const other = among.get(id.toLowerCase());
    if (other === undefined) among.set(id.toLowerCase(), { id, first: placeText(at) });
    else {
      const shown = other.id === id ? `${what} ${id}` : `${what} ${id} (as ${other.id})`;
      report.raise('duplicate-id', { what: shown, first: other.first }, at);
    }
    return other === undefined;
  };
  return new Map(
    declarations.map(({ id, value, at }) => {
      once(services, 'service', id, at);
      const ids = Object.keys(value.operations);
      return [id, ids.filter((each) => once(seen, 'operation', each, places.key(value.operations, each)))];
    }),
  );
}

/** The default version of each service name: the one that says so, else the lowest. */
function defaultVersions(
  { report, places }: Linking,
  declarations: readonly Declaration<ServiceDeclared>[],
): Map<string, string> {
  const chosen = new Map<string, Declaration<ServiceDeclared>>();
  const number = (id: string): number => Number(versionOf(id).slice(1));
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
      (other.value.default !== true && declaration.value.default !== false && number(declaration.id) < number(other.id))
    ) {
      chosen.set(name, declaration);
    }
  }
  return new Map([...chosen].map(([name, { id }]) => [name, id]));
}
