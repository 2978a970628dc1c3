import type { ConsumerOperation } from '../model/consumer.ts';
import type { Flow } from '../model/flow.ts';
import { indexByName, type OperationIdentity } from '../model/operation-names.ts';
import type { Operation, Service } from '../model/service.ts';
import type { readCommitted } from './committed.ts';
import { linkConsumer } from './consumer/consumer.ts';
import type { ConsumerContext } from './consumer/facts.ts';
import { checkServiceValues } from './consumer/values.ts';
import { linkFlows } from './flow/flows.ts';
import { declarationsOf } from './linking.ts';
import { given, type Mutable } from './object.ts';
import { soapName } from './operation/message.ts';
import { linkOperation, type OperationContext } from './operation/operation.ts';
import { checkServiceKeys, type OperationSpot, operationSpot } from './operation/spot.ts';
import type { Declaration } from './read/declaration.ts';
import { linkOverrides, type RoutingOverride } from './routing.ts';
import type { OperationDeclared } from './schema/operation.ts';
import type { ServiceDeclared } from './schema/service.ts';
import { operationsByList } from './security/grants.ts';
import { requirementOf } from './security/schemes.ts';
import { defaultVersions, linkService, nameOf, operationIds, ownOperations } from './service.ts';

/** Every service with its operations. */
export interface LinkedServices {
  readonly services: readonly Service[];
  /** Routings may still switch them off. */
  readonly operations: ReadonlyMap<string, Mutable<Operation>>;
  readonly consumers: ReadonlyMap<string, ConsumerOperation>;
  readonly flows: ReadonlyMap<string, Flow>;
  /** What overrides the routing of operations, by their ids. */
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
    // One that only calls has no use for it, and yet it names what there must be.
    requirementOf(linking, sources.callers.schemes, value);
    const service = linkService(linking, declaration);
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
  // What is called first: flows are made of that, and operations may be answered by both.
  for (const each of begun) each.service.consumers = linkConsumers(context, each);
  const consumers = new Map(begun.flatMap(({ service }) => service.consumers.map((each) => [each.id, each])));
  const calls = linkFlows(sources.documents, begun, { consumers, names });
  for (const { service, declaration } of begun) {
    const names = Object.keys(declaration.value.flows ?? {});
    service.flows = names.flatMap((name) => calls.flows.get(`${service.id}.${name}`) ?? []);
  }
  const provided: OperationContext = { ...sources, added, calls };
  const operations = new Map<string, Mutable<Operation>>();
  for (const { service, answered: spots } of begun) {
    const linked = spots.map((spot) => linkOperation(provided, spot, service));
    for (const operation of linked) operations.set(operation.id, operation);
    service.operations = linked;
  }
  return { services: begun.map(({ service }) => service), operations, consumers, flows: calls.flows, overrides };
}

/** What services are linked against. */
interface ServiceSources extends Omit<OperationContext & ConsumerContext, 'added' | 'overrides' | 'calls'> {
  /** What the registry said when it was last generated. */
  readonly committed: ReturnType<typeof readCommitted>;
}

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
  if (!linking.doubt.about(value)) {
    if (consumers.length === 0) checkServiceKeys(linking, id, value);
    else checkServiceValues(linking, id, value, consumers);
  }
  return consumers;
}
