import type { ConsumerOperation } from '../model/consumer.ts';
import { indexByName, type OperationIdentity } from '../model/operation-names.ts';
import type { Operation, Service } from '../model/service.ts';
import { isDate } from '../wire/lexical.ts';
import { type CommittedOperation, committedName, type readCommitted } from './committed.ts';
import { linkConsumer } from './consumer/consumer.ts';
import type { ConsumerContext } from './consumer/facts.ts';
import { checkServiceValues } from './consumer/values.ts';
import { type Place, placeText, positionOf } from './diagnostic/diagnostic.ts';
import type { Calls } from './flow/calls.ts';
import { linkFlows } from './flow/flows.ts';
import { declarationsOf, type Linking, refuseKey } from './linking.ts';
import { given, type Mutable } from './object.ts';
import { linkOperation, type OperationContext } from './operation/operation.ts';
import { soapName } from './operation/soap-form.ts';
import { checkServiceKeys, type OperationSpot, operationSpot } from './operation/spot.ts';
import { type Provided, reportService } from './operation/version-answer.ts';
import type { Declaration } from './read/declaration.ts';
import { linkOverrides, type RoutingOverride } from './routing.ts';
import type { OperationDeclared } from './schema/operation.ts';
import type { ServiceDeclared, WsdlDeclared } from './schema/service.ts';
import { operationsByList } from './security/grants.ts';
import { requirementOf } from './security/requirements.ts';

/** Every service with its operations. */
interface LinkedServices {
  readonly services: readonly Service[];
  /** A routing may still disable them. */
  readonly operations: ReadonlyMap<string, Mutable<Operation>>;
  readonly consumers: ReadonlyMap<string, ConsumerOperation>;
  /** What `call:` may refer to, the flows among it. */
  readonly calls: Calls;
  /** Routings that override those of operations, by operation id. */
  readonly overrides: ReadonlyMap<string, RoutingOverride>;
}

/** Links services and operations. */
export function linkServices(sources: ServiceSources): LinkedServices {
  const { linking } = sources.documents;
  const declarations = declarationsOf<ServiceDeclared>(linking, 'service').toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const own = ownOperations(linking, declarations);
  const ids = operationIds(own, typeof sources.committed === 'object' ? sources.committed : []);
  const namesOf = new Map(own.map((each) => [each.service, each.operations]));
  const defaults = defaultVersions(linking, declarations);
  const begun = declarations.map((declaration): BegunService => {
    const { id, value } = declaration;
    // A service with calls only does not use it, but unknown schemes are reported.
    requirementOf(linking, sources.callers.schemes, value);
    const service = linkService(sources.documents, declaration);
    service.default = defaults.get(nameOf(id)) === id;
    const called: OperationSpot[] = [];
    const answered: OperationSpot[] = [];
    for (const name of namesOf.get(id) ?? []) {
      const idOf = (each: string): string => ids.get(`${id}.${each}`) ?? each;
      const twin = soapName(name, value.operations[name] as OperationDeclared) ?? name;
      const spot = operationSpot(linking, value, { id: idOf(name), name, soapId: idOf(twin) });
      const target = spot.declared.target ?? value.target;
      (target === undefined ? answered : called).push(spot);
    }
    return { declaration, service, called, answered };
  });
  const identities = begun.flatMap(({ service, called, answered }) =>
    [...called, ...answered].map(({ id, name }): OperationIdentity => ({ id, name, service })),
  );
  const names = indexByName(identities);
  const added = operationsByList(linking, sources.lists, {
    services: begun.map(({ service }) => service),
    identities,
    names,
  });
  const overrides = linkOverrides(linking, names);
  const context: ConsumerContext = { ...sources, added, overrides };
  // Calls are linked first, because flows consist of them and both may answer operations.
  for (const each of begun) each.service.consumers = linkConsumers(context, each);
  const consumers = new Map(begun.flatMap(({ service }) => service.consumers.map((each) => [each.id, each])));
  const calls = linkFlows(sources.documents, begun, { consumers, names });
  for (const { service, declaration } of begun) {
    const names = Object.keys(declaration.value.flows ?? {});
    service.flows = names.flatMap((name) => calls.flows.get(`${service.id}.${name}`) ?? []);
  }
  const operations = linkProvided({ ...sources, added, calls }, begun);
  for (const each of begun) {
    each.service.operations = each.answered.map(({ id }) => operations.get(id) as Operation);
    checkServiceCall(linking, each);
    checkDescribed(linking, each);
  }
  return { services: begun.map(({ service }) => service), operations, consumers, calls, overrides };
}

/** Links the operations that are answered here: one that answers another is linked before that one. */
function linkProvided(
  context: Omit<OperationContext, 'provided'>,
  begun: readonly BegunService[],
): ReadonlyMap<string, Mutable<Operation>> {
  const operations = new Map<string, Mutable<Operation>>();
  const spots = new Map(
    begun.flatMap(({ service, answered }) => answered.map((spot) => [spot.id, { spot, service }] as const)),
  );
  const open = new Set<string>();
  const link = (id: string): Operation | readonly string[] | undefined => {
    const found = spots.get(id);
    const known = operations.get(id);
    if (known !== undefined || found === undefined) return known;
    if (open.has(id)) return [...open].slice([...open].indexOf(id));
    open.add(id);
    const operation = linkOperation({ ...context, provided }, found.spot, found.service);
    open.delete(id);
    operations.set(id, operation);
    return operation;
  };
  const names = new Map(
    begun.map(({ service, called, answered }) => [
      service.id,
      new Map([...called, ...answered].map((spot) => [spot.name, spot.id])),
    ]),
  );
  const provided: Provided = { link, namesOf: (service) => names.get(service) };
  for (const id of spots.keys()) link(id);
  return new Map([...spots.keys()].map((id) => [id, operations.get(id) as Mutable<Operation>]));
}

/** A service whose operations all have answers of their own does not use its `call`. */
function checkServiceCall(linking: Linking, { declaration: { id, value }, service, answered }: BegunService): void {
  if (value.call === undefined) return;
  if (!linking.declared.of('service').has(value.call)) {
    reportService(linking, value.call, linking.places.value(value, 'call'));
    return;
  }
  if (linking.doubt.about(value)) return;
  const isUsed = answered.some(({ declared, name }) => {
    const { answer } = service.operations.find((each) => each.name === name) as Operation;
    return (
      declared.call === undefined &&
      (answer.kind === 'version' || answer.kind === 'call' || linking.doubt.about(answer))
    );
  });
  if (!isUsed) refuseKey(linking, value, 'call', id, 'each of its operations has an answer of its own');
}

/** What is about the WSDL, which describes operations over SOAP. */
function checkDescribed(linking: Linking, { declaration: { id, value }, service, answered }: BegunService): void {
  if (linking.doubt.about(value) || service.operations.some(({ soap }) => soap !== undefined)) return;
  const reasons = {
    addressing: 'it is about requests that are served; a call has `soap: { addressing: true }`',
    wsdl: 'it names what is in the WSDL of a service that is served, and calls have none',
  };
  for (const key of ['addressing', 'wsdl'] as const) {
    const why = answered.length === 0 ? reasons[key] : 'none of its operations is offered over SOAP';
    refuseKey(linking, value, key, id, why);
  }
}

/** The definitions that services refer to. */
interface ServiceSources
  extends Omit<OperationContext & ConsumerContext, 'added' | 'overrides' | 'calls' | 'provided'> {
  /** The committed registry. */
  readonly committed: ReturnType<typeof readCommitted>;
}

/** A service while its parts are linked. */
interface BegunService {
  readonly declaration: Declaration<ServiceDeclared>;
  readonly service: Mutable<Service>;
  /** The operations with a target. */
  readonly called: readonly OperationSpot[];
  readonly answered: readonly OperationSpot[];
}

/** Links the operations of one service that call other systems. */
function linkConsumers(
  context: ConsumerContext,
  { declaration: { id, value }, service, called }: BegunService,
): ConsumerOperation[] {
  const { linking } = context.documents;
  const consumers = called.map((spot) => {
    const override = context.overrides.get(spot.id);
    return linkConsumer(context, { ...spot, ...given({ override }) }, service);
  });
  if (!linking.doubt.about(value)) {
    if (consumers.length === 0) checkServiceKeys(linking, id, value);
    else checkServiceValues(linking, id, value, consumers);
  }
  return consumers;
}

/** `Locations` of `Locations.v1`. */
export const nameOf = (id: string): string => id.slice(0, id.lastIndexOf('.'));
const versionOf = (id: string): string => id.slice(id.lastIndexOf('.') + 1);

/** `1` of `Locations.v1`. */
export const versionNumber = (id: string): number => Number(versionOf(id).slice(1));

/** A service without its operations, which are linked later. */
function linkService(
  documents: ServiceSources['documents'],
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
      addressing: value.addressing,
      wsdl: value.wsdl && linkWsdl(documents, value.wsdl),
      deprecated: linkDeprecation(documents.linking, value),
    }),
    at: positionOf(at),
  };
}

/** @returns what is declared, whose ports are in the order in which they are written */
function linkWsdl(documents: ServiceSources['documents'], declared: WsdlDeclared): NonNullable<Service['wsdl']> {
  const { places, report } = documents.linking;
  const bindings = new Map<string, Place>();
  const names = new Map<string, Place>();
  const ports = Object.keys(declared).flatMap((version) => {
    if (version !== 'soap11' && version !== 'soap12') return [];
    const keys = declared[version] ?? {};
    for (const [key, among] of [
      ['port', names],
      ['binding', bindings],
    ] as const) {
      const name = keys[key];
      if (name === undefined) continue;
      const at = places.value(keys, key);
      const first = among.get(name);
      if (first === undefined) among.set(name, at);
      else report.raise('duplicate-id', { what: `${key} ${name}`, first: placeText(first) }, at);
    }
    return [{ version, ...given({ port: keys.port, binding: keys.binding }) } as const];
  });
  const faults = Object.entries(declared.faults ?? {}).map(
    ([message, id]) => [documents.resolve(id, places.value(declared.faults ?? {}, message)), message] as const,
  );
  return given({
    namespace: declared.namespace,
    service: declared.service,
    portType: declared['port-type'],
    ports: ports.length === 0 ? undefined : ports,
    faults: faults.length === 0 ? undefined : new Map(faults),
  });
}

function linkDeprecation({ report, places }: Linking, { deprecated }: ServiceDeclared): Service['deprecated'] {
  if (deprecated === undefined || deprecated === false) return undefined;
  if (deprecated === true) return {};
  for (const key of ['since', 'sunset'] as const) {
    const date = deprecated[key];
    if (date === undefined || isDate(date)) continue;
    report.raise(
      'bad-date',
      { name: key, reason: `${date} does not exist in the calendar` },
      places.value(deprecated, key),
    );
  }
  const { since, sunset } = deprecated;
  if (since !== undefined && sunset !== undefined && sunset < since) {
    report.raise(
      'bad-date',
      { name: 'sunset', reason: `is before since, which is ${since}` },
      places.value(deprecated, 'sunset'),
    );
  }
  return given({ since, sunset });
}

/**
 * The names of operations and SOAP twins of each service. They are unique within one version of a service, regardless of letter
 * case. A call has the SOAP name that the other system uses. A flow can't have the name of an operation.
 */
function ownOperations(
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
    // After all operations, so that a twin with the name of an operation is the one that is reported.
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

/** An existing name. */
interface Named {
  readonly id: string;
  readonly first: Place;
}

/** The names in a service: of its operations and their SOAP twins. */
export interface NamesOfService {
  /** Id of the service. */
  readonly service: string;
  readonly operations: readonly string[];
  readonly twins: readonly string[];
}

/**
 * The id of every operation and SOAP twin, by its qualified name. The id is the short name for the first operation of that
 * name, and the qualified name for all others. The committed registry determines the first one, so that ids never change; among
 * new operations, the lowest version comes first, then the first service id.
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
    // Files are named after ids, and some file systems are not case-sensitive.
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

/** The default version of each service: the one with `default: true`, or else the lowest. */
function defaultVersions(
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
