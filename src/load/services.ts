import type { ConsumerOperation } from '../model/consumer.ts';
import type { Flow } from '../model/flow.ts';
import type { Operation, Service } from '../model/service.ts';
import { isDate } from '../wire/calendar.ts';
import { linkConsumer } from './consumer/consumer.ts';
import type { ConsumerContext } from './consumer/facts.ts';
import { checkServiceValues } from './consumer/values.ts';
import type { OperationDeclared, ServiceDeclared } from './declared.ts';
import { type Place, placeText } from './diagnostic/diagnostic.ts';
import { linkFlows } from './flow/flows.ts';
import { routingOverrides } from './gateway/routing-overrides.ts';
import { given, type Mutable } from './given.ts';
import { declarationsOf, type Linking, positionOf } from './linking.ts';
import { checkServiceKeys } from './operation/keys.ts';
import { linkOperation, type OperationContext } from './operation/operation.ts';
import { soapName } from './operation/soap.ts';
import { type OperationSpot, operationSpot } from './operation/spot.ts';
import type { Declaration } from './read/declaration.ts';
import { operationsByList } from './security/grants-by-list.ts';
import { requirementOf } from './security/requires.ts';

/** While it is linked: routings may still switch operations off. */
export type LinkedOperation = Mutable<Operation>;

/** Every service with its operations. */
export interface LinkedServices {
  readonly services: readonly Service[];
  readonly operations: ReadonlyMap<string, LinkedOperation>;
  readonly consumers: ReadonlyMap<string, ConsumerOperation>;
  readonly flows: ReadonlyMap<string, Flow>;
}

/** Links services and operations. `lost`: operations that were declared and can't be used. */
export function linkServices(sources: ServiceSources, lost: ReadonlySet<string>): LinkedServices {
  const { linking } = sources.documents;
  const declarations = declarationsOf<ServiceDeclared>(linking, 'service').toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const own = ownOperations(linking, declarations);
  const named = declarations.map(({ id }) => ({ id, name: nameOf(id), operations: own.get(id) ?? [] }));
  const added = operationsByList(linking, sources.lists, named, lost);
  const defaults = defaultVersions(linking, declarations);
  const context: ConsumerContext = { ...sources, added, overrides: routingOverrides(linking) };
  const begun = declarations.map((declaration): BegunService => {
    const { id, value } = declaration;
    // One that only calls has no use for it, and yet it names what there must be.
    requirementOf(linking, sources.callers.schemes, value);
    const service = linkService(linking, declaration);
    service.default = defaults.get(nameOf(id)) === id;
    const called: OperationSpot[] = [];
    const answered: OperationSpot[] = [];
    for (const each of own.get(id) ?? []) {
      const spot = operationSpot(linking, value, each);
      const target = spot.declared.target ?? value.target;
      (target === undefined ? answered : called).push(spot);
    }
    return { declaration, service, called, answered };
  });
  // What is called first: flows are made of that, and operations may be answered by both.
  for (const each of begun) each.service.consumers = linkConsumers(context, each);
  const consumers = new Map(begun.flatMap(({ service }) => service.consumers.map((each) => [each.id, each])));
  const answered = new Set(begun.flatMap((each) => each.answered.map(({ id }) => id)));
  const calls = linkFlows(sources.documents, begun, { consumers, answered, lost });
  for (const { service, declaration } of begun) {
    const names = Object.keys(declaration.value.flows ?? {});
    service.flows = names.flatMap((name) => calls.flows.get(`${service.id}.${name}`) ?? []);
  }
  const provided: OperationContext = { ...sources, added, calls };
  const operations = new Map<string, LinkedOperation>();
  for (const { service, answered: spots } of begun) {
    const linked = spots.map((spot) => linkOperation(provided, spot, service));
    for (const operation of linked) operations.set(operation.id, operation);
    service.operations = linked;
  }
  return { services: begun.map(({ service }) => service), operations, consumers, flows: calls.flows };
}

/** What services are linked against. */
type ServiceSources = Omit<OperationContext & ConsumerContext, 'added' | 'overrides' | 'calls'>;

/** A service while its parts are linked. */
interface BegunService {
  readonly declaration: Declaration<ServiceDeclared>;
  readonly service: Mutable<Service>;
  /** Operations with a target. */
  readonly called: readonly OperationSpot[];
  readonly answered: readonly OperationSpot[];
}

/** The operations of one service that are called elsewhere. */
function linkConsumers(
  context: ConsumerContext,
  { declaration: { id, value }, service, called }: BegunService,
): ConsumerOperation[] {
  const { linking } = context.documents;
  const consumers = called.map((spot) => {
    const override = context.overrides.get(spot.id);
    return linkConsumer(context, { ...spot, ...given({ override }) }, service);
  });
  if (!linking.incomplete.has(value)) {
    if (consumers.length === 0) checkServiceKeys(linking, id, value);
    else checkServiceValues(linking, id, value, consumers);
  }
  return consumers;
}

const nameOf = (id: string): string => id.slice(0, id.lastIndexOf('.'));
const versionOf = (id: string): string => id.slice(id.lastIndexOf('.') + 1);

function linkService(linking: Linking, { id, value, at, delivered }: Declaration<ServiceDeclared>): Mutable<Service> {
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
 * The operations that each service declares, by its id. Ids are unique over all services, letter case apart, and so are the
 * SOAP names of what is answered here; what is called elsewhere is named by others.
 */
function ownOperations(
  { report, places }: Linking,
  declarations: readonly Declaration<ServiceDeclared>[],
): Map<string, string[]> {
  const seen = new Map<string, { readonly id: string; readonly first: Place }>();
  const services = new Map<string, { readonly id: string; readonly first: Place }>();
  const once = (among: typeof seen, what: string, id: string, at: Place): boolean => {
    const key = id.toLowerCase();
    const other = among.get(key);
    if (other === undefined) among.set(key, { id, first: at });
    else {
      const shown = other.id === id ? `${what} ${id}` : `${what} ${id} (as ${other.id})`;
      report.raise('duplicate-id', { what: shown, first: placeText(other.first) }, at);
    }
    return other === undefined;
  };
  const own = new Map(
    declarations.map(({ id, value, at }) => {
      once(services, 'service', id, at);
      const ids = Object.keys(value.operations);
      return [id, ids.filter((each) => once(seen, 'operation', each, places.key(value.operations, each)))];
    }),
  );
  // After all ids, so that of an id and a SOAP twin of that name the twin is what is complained of.
  for (const { id, value } of declarations) {
    for (const each of own.get(id) ?? []) {
      const declared = value.operations[each] as OperationDeclared;
      const twin = (declared.target ?? value.target) === undefined ? soapName(each, declared) : undefined;
      if (twin !== undefined && twin !== each) once(seen, 'operation', twin, places.value(declared, 'soap'));
    }
  }
  return own;
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
