import { childrenOf, type XmlElement } from '../../wire/xml/tree.ts';
import type { DraftContract, DraftDocument, DraftOperation, DraftSecurity, DraftService, DraftWsdl } from '../draft.ts';
import { ImportError, type Losses } from '../place.ts';
import type { Sources } from '../source.ts';
import { attribute, childrenNamed, placeOf, qnameKey } from '../xml.ts';
import { SchemaDrafts, type SchemaPart } from '../xsd/drafts.ts';
import { schemasOf } from '../xsd/sources.ts';
import { type Binding, operationsOf, readBinding, tellRequired } from './binding.ts';
import { readHttpOperation } from './http.ts';
import type { MessageSources } from './messages.ts';
import { documentationOf, inside, nameOf, type Part, partsOf, placeIn, WsdlParts } from './model.ts';
import { type OperationParts, readSoapOperation } from './operation.ts';
import { extensionAddressing, Policies, type Requirement, strictest } from './policy.ts';
import { WSDL } from './sources.ts';

/** Reads WSDL 1.1 files with everything that they import. @throws ImportError */
export function readWsdl(sources: Sources<XmlElement>, losses: Losses): DraftContract {
  const files = [...sources.entries()].filter(
    ([, { local, namespace }]) => local === 'definitions' && namespace === WSDL,
  );
  const [[location, root] = ['', undefined]] = [...sources.entries()];
  if (files.length === 0 && root !== undefined)
    throw new ImportError(`<${root.local}> is not the root of a WSDL`, placeOf(root, location));
  const parts = new WsdlParts(files, losses);
  const inTypes = files.flatMap(([at, definitions]) =>
    childrenNamed(definitions, WSDL, 'types').flatMap((types) =>
      schemasOf(types).map((each) => ({ root: each, location: at })),
    ),
  );
  const imported = [...sources.entries()].flatMap(([at, each]): SchemaPart[] =>
    each.local === 'schema' && schemasOf(each)[0] === each ? [{ root: each, location: at }] : [],
  );
  const schemas = new SchemaDrafts([...inTypes, ...importedByWsdl(files, imported, sources)], sources, losses);
  const messages: MessageSources = { parts, schemas, losses };
  const policies = new Policies(files, losses);
  const services = readServices(messages, policies);
  if (services.length === 0) {
    const place = { source: sources.roots[0] ?? location, line: 0, column: 0 };
    losses.add('no service, binding or port type was found', 'only documents are declared', place);
  }
  return { language: 'wsdl', services, documents: unused(schemas, services) };
}

/** Schemas that a wsdl:import refers to, as some tools write it. */
function importedByWsdl(
  files: readonly (readonly [string, XmlElement])[],
  schemas: readonly SchemaPart[],
  sources: Sources<XmlElement>,
): readonly SchemaPart[] {
  const imported = new Set(
    files.flatMap(([location, root]) =>
      childrenNamed(root, WSDL, 'import').map(
        (each) => sources.referred(location, attribute(each, 'location') ?? '')?.content,
      ),
    ),
  );
  return schemas.filter(({ root }) => imported.has(root));
}

/** Documents of elements and types, but for elements that are only around messages. */
function unused(schemas: SchemaDrafts, services: readonly DraftService[]): readonly DraftDocument[] {
  const around = new Set(
    services.flatMap(({ operations }) =>
      operations.flatMap(({ soap }) =>
        soap === undefined || soap.style !== 'wrapped'
          ? []
          : [soap.request, soap.response ?? ''].map((local) => qnameKey({ namespace: soap.namespace ?? '', local })),
      ),
    ),
  );
  return schemas.documents().filter(({ name, options: { namespace = '', xml = name } }) => {
    return !around.has(qnameKey({ namespace, local: xml }));
  });
}

/** A port type as it is offered: by one binding at some addresses. */
interface Offer {
  readonly name: string;
  readonly description?: string;
  /** Absent when it is in a missing part. */
  readonly portType?: Part;
  readonly binding?: Binding;
  /** Further bindings of the port type at its service, over SOAP as well. */
  readonly others?: readonly Binding[];
  readonly addresses: readonly string[];
  /** The service and the port, to which policies may be attached. */
  readonly endpoint?: readonly [service: Part, port: Part];
  /** The ports over SOAP, in their order. */
  readonly ports?: DraftWsdl['ports'];
}

function readServices(messages: MessageSources, policies: Policies): readonly DraftService[] {
  const { parts } = messages;
  const offers = parts.all('service').flatMap((service) => offersOf(service, messages, policies));
  const offered = new Set(offers.flatMap(({ portType, binding }) => [portType, binding?.part]));
  for (const part of parts.all('binding')) {
    const portType = parts.referred('portType', part, 'type');
    if (offered.has(portType ?? part)) continue;
    offered.add(portType ?? part);
    const binding = readBinding(part);
    offers.push({ name: nameOf(portType ?? part), ...givenPortType(portType), binding, addresses: [] });
  }
  for (const portType of parts.all('portType')) {
    if (!offered.has(portType)) offers.push({ name: nameOf(portType), portType, addresses: [] });
  }
  return offers.map((offer) => readOffer(offer, messages, policies));
}

function givenPortType(portType: Part | undefined): { readonly portType?: Part } {
  return portType === undefined ? {} : { portType };
}

/** How much a protocol is preferred, the lowest first: SOAP 1.1 is what every client and server has. */
const PREFERENCE: Readonly<Record<Binding['protocol'], number>> = { '1.1': 0, '1.2': 1, http: 2, other: 3 };

/** The port types of a service, each by the best of its ports: of those with one protocol, that whose policy can be met. */
function offersOf(service: Part, { parts, losses }: MessageSources, policies: Policies): readonly Offer[] {
  const ports = childrenNamed(service.element, WSDL, 'port').flatMap((element) => {
    const port = inside(service, element);
    const part = parts.referred('binding', port, 'binding');
    const portType = part === undefined ? undefined : parts.referred('portType', part, 'type');
    if (part === undefined) return [];
    const lacks = policies.lacks([port, part]);
    return [{ port, portType, key: portType ?? part, binding: readBinding(part), lacks }];
  });
  const portTypes = [...new Set(ports.map(({ key }) => key))];
  const description = documentationOf(service);
  return portTypes.map((key): Offer => {
    const candidates = ports
      .filter((each) => each.key === key)
      .sort((a, b) => PREFERENCE[a.binding.protocol] - PREFERENCE[b.binding.protocol] || a.lacks - b.lacks);
    const [best, ...others] = candidates as [(typeof candidates)[number], ...typeof candidates];
    const named = isSoap(best.binding)
      ? ports.filter((each) => isSoap(each.binding) && candidates.find((first) => isOfOne(first, each)) === each)
      : [];
    for (const { port, binding } of others.filter((each) => !named.includes(each))) {
      losses.add(
        `the port "${nameOf(port)}" offers the same operations (${protocolWords(binding)})`,
        `those of the port "${nameOf(best.port)}" are taken`,
        placeIn(port),
      );
    }
    return {
      name: portTypes.length === 1 ? nameOf(service) : `${nameOf(service)}_${nameOf(key)}`,
      ...(description === undefined ? {} : { description }),
      ...givenPortType(best.portType),
      binding: best.binding,
      others: others.flatMap(({ binding }) => (isSoap(binding) && isSoap(best.binding) ? [binding] : [])),
      addresses: addressOf(best.port),
      endpoint: [service, best.port],
      ports: named.map((each) => portOf(each.binding, each.port, each === best)),
    };
  });
}

function isSoap({ protocol }: Binding): boolean {
  return protocol === '1.1' || protocol === '1.2';
}

/** Whether two ports offer the same port type over one version of SOAP. */
function isOfOne(one: { binding: Binding; key: Part }, other: { binding: Binding; key: Part }): boolean {
  return one.key === other.key && one.binding.protocol === other.binding.protocol;
}

function portOf({ protocol, part }: Binding, port: Part | undefined, taken: boolean): DraftWsdl['ports'][number] {
  return {
    version: protocol === '1.2' ? 'soap12' : 'soap11',
    ...(port && { port: nameOf(port) }),
    binding: nameOf(part),
    taken,
    place: placeIn(port ?? part),
  };
}

function protocolWords({ protocol, foreign }: Binding): string {
  if (protocol === 'other') return foreign ?? 'another protocol';
  return protocol === 'http' ? 'HTTP' : `SOAP ${protocol}`;
}

function addressOf({ element }: Part): readonly string[] {
  return childrenOf(element).flatMap((each) => {
    const location = each.local === 'address' ? attribute(each, 'location') : undefined;
    return location === undefined || location === '' ? [] : [location];
  });
}

function readOffer(offer: Offer, messages: MessageSources, policies: Policies): DraftService {
  const { portType, binding, addresses, endpoint = [] } = offer;
  if (portType === undefined) return readUnknown(offer);
  const abstract = operationsOf(portType);
  const bound = binding === undefined ? [] : operationsOf(binding.part);
  const alsoBound = (offer.others ?? []).map((each) => operationsOf(each.part));
  const shared = sharedElements(messages, portType);
  const subjects = [...endpoint, ...(binding === undefined ? [] : [binding.part]), portType];
  const common = policies.effective(subjects);
  for (const each of subjects) tellRequired(each, messages.losses);
  const addressing = subjects.map(extensionAddressing);
  const assumed = messages.parts.all('binding').length + messages.parts.all('service').length === 0;
  if (assumed)
    messages.losses.add(
      `the binding of the port type "${nameOf(portType)}", which the contract does not have`,
      'its operations are literal, over SOAP 1.1, at an address that is yours to set',
      placeIn(portType),
    );
  const operations = abstract.flatMap(({ name, part }, index): DraftOperation[] => {
    // Overloaded operations are bound in the same order.
    const nth = abstract.slice(0, index).filter((each) => each.name === name).length;
    const boundIn = (operations: ReturnType<typeof operationsOf>): Part | undefined =>
      operations.filter((each) => each.name === name)[nth]?.part;
    const found = boundIn(bound);
    const parts = {
      abstract: part,
      assumed,
      shared,
      others: alsoBound.flatMap((each) => boundIn(each) ?? []),
      ...(found === undefined ? {} : { bound: found }),
      ...(binding === undefined ? {} : { binding }),
    };
    if (binding?.protocol === 'http') return [readHttpOperation(messages, parts)];
    const subjectsOf = policySubjects(messages, parts);
    for (const each of subjectsOf) tellRequired(each, messages.losses);
    const own = policies.effective([...subjects, ...subjectsOf]);
    return [
      withPolicy(readSoapOperation(messages, parts), common, {
        ...own,
        addressing: strictest([...addressing, own.addressing]),
      }),
    ];
  });
  for (const each of bound) {
    if (!abstract.some(({ name }) => name === each.name))
      operations.push(unknownOperation(each.name, each.part, 'its port type does not have it'));
  }
  const description = offer.description ?? documentationOf(portType);
  const namespace = mostFrequent(operations.flatMap(({ soap }) => soap?.namespace || [])) ?? portType.namespace;
  return {
    name: offer.name,
    place: placeIn(portType),
    ...(description === undefined ? {} : { description }),
    ...(namespace === '' || binding?.protocol === 'http' ? {} : { namespace }),
    addresses,
    ...securityOf(common, operations),
    ...(binding !== undefined && isSoap(binding) ? { wsdl: namesOf(offer, portType, binding) } : {}),
    operations,
  };
}

/** The names that the contract has for what it offers. */
function namesOf({ endpoint, ports = [] }: Offer, portType: Part, binding: Binding): DraftWsdl {
  const [service] = endpoint ?? [];
  const isElsewhere = service !== undefined && service.namespace !== portType.namespace;
  return {
    ...(portType.namespace === '' ? {} : { namespace: portType.namespace }),
    ...(isElsewhere ? { serviceNamespace: service.namespace } : {}),
    ...(service && { service: nameOf(service) }),
    portType: nameOf(portType),
    ports: ports.length > 0 ? ports : [portOf(binding, undefined, true)],
  };
}

/** The parts to which the policies of an operation's messages are attached, besides those of its endpoint. */
function policySubjects({ parts }: MessageSources, { abstract, bound }: OperationParts): Part[] {
  const sides = [abstract, ...(bound === undefined ? [] : [bound])].flatMap((each) => [
    each,
    ...childrenNamed(each.element, WSDL, 'input', 'output').map((side) => inside(each, side)),
  ]);
  const input = childrenNamed(abstract.element, WSDL, 'input')[0];
  const message = input && parts.referred('message', inside(abstract, input), 'message');
  return [...sides, ...(message === undefined ? [] : [message])];
}

function withPolicy(operation: DraftOperation, common: Requirement, own: Requirement): DraftOperation {
  const { soap } = operation;
  if (soap === undefined) return operation;
  const { mtom, addressing, security } = own;
  return {
    ...operation,
    soap: { ...soap, mtom, ...(addressing === undefined ? {} : { addressing }) },
    ...(security.length === common.security.length ? {} : { security }),
  };
}

/** The credentials of calls: those that the endpoint asks for, else those of its operations. */
function securityOf(
  { security }: Requirement,
  operations: readonly DraftOperation[],
): { readonly security?: readonly DraftSecurity[] } {
  const all = security.length > 0 ? security : operations.flatMap((each) => each.security ?? []);
  const kinds = new Map(all.map((each) => [each.kind, each]));
  return kinds.size === 0 ? {} : { security: [...kinds.values()] };
}

/** The operations of a binding whose port type is missing: their messages are not known. */
function readUnknown({ name, description, binding, addresses }: Offer): DraftService {
  const { part } = binding as Binding;
  return {
    name,
    place: placeIn(part),
    ...(description === undefined ? {} : { description }),
    addresses,
    operations: operationsOf(part).map((each) => unknownOperation(each.name, each.part, 'its port type is missing')),
  };
}

/** An operation of a binding, of whose messages nothing is known. */
function unknownOperation(name: string, bound: Part, uncallable: string): DraftOperation {
  return {
    name,
    place: placeIn(bound),
    soap: { style: 'bare', version: '1.1', request: name, oneWay: true, mtom: false },
    request: { kind: 'none' },
    responses: [{ message: { kind: 'none' } }],
    faults: [],
    uncallable,
  };
}

/** Local names of elements that several messages of a port type have. */
function sharedElements({ parts, losses }: MessageSources, portType: Part): ReadonlySet<string> {
  const counts = new Map<string, number>();
  const messages = operationsOf(portType).flatMap(({ part }) =>
    childrenNamed(part.element, WSDL, 'input', 'output').flatMap(
      (side) => parts.referred('message', inside(part, side), 'message') ?? [],
    ),
  );
  for (const each of messages) {
    for (const { element } of partsOf(each, losses)) {
      if (element !== undefined) counts.set(element.local, (counts.get(element.local) ?? 0) + 1);
    }
  }
  return new Set([...counts].flatMap(([local, count]) => (count > 1 ? [local] : [])));
}

function mostFrequent(values: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0];
}
