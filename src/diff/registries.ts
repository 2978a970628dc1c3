import type { ConsumerOperation } from '../model/consumer.ts';
import type { Position } from '../model/definition.ts';
import type { Gateway } from '../model/gateway.ts';
import type { Registry } from '../model/registry.ts';
import { type Operation, type Service, serviceNamespace } from '../model/service.ts';
import { compareSchemes } from './access.ts';
import { accessRules } from './catalogue/access.ts';
import {
  type Change,
  Changes,
  type Comparison,
  compareAll,
  type Pair,
  type Scope,
  type Sides,
  unseen,
  whenDifferent,
} from './changes.ts';
import { calledLanguages, compareConsumers } from './consumer.ts';
import { compareGateways, compareNamed } from './gateway.ts';
import { compareOperations, isServed, languagesOf } from './operation.ts';
import type { WireLanguage } from './verdict.ts';

const ALL: readonly WireLanguage[] = ['json', 'xml'];

/** Compares two registries: every change that callers, or systems that are called, may notice. */
export function compareRegistries(before: Registry, after: Registry): readonly Change[] {
  const changes = new Changes();
  const gateways = { before: before.gateway, after: after.gateway };
  const gateway: Scope = { changes, role: 'callers', languages: ALL, at: 'gateway', what: 'the gateway' };
  compareGateways(gateways, gateway);
  const schemes = ({ schemes, gateway }: Registry) => ({ schemes, at: gateway.at });
  compareSchemes({ before: schemes(before), after: schemes(after) }, gateway);
  compareNamed({ before, after }, gateway);
  const pairs = pairServices([...before.services.values()], [...after.services.values()]);
  const comparison = { changes, gateways };
  compareServices(pairs, comparison);
  const [old, now] = [new Set(pairs.map((each) => each.before)), new Set(pairs.map((each) => each.after))];
  for (const service of before.services.values()) if (!old.has(service)) addWhole(service, 'removed', comparison);
  for (const service of after.services.values()) if (!now.has(service)) addWhole(service, 'added', comparison);
  compareDefaults(before, after, comparison);
  return changes.list;
}

/** Compares two versions of a service, or two services, of one registry: what callers of the first must change for the second. */
export function compareVersions(before: Service, after: Service, gateway: Gateway): readonly Change[] {
  const changes = new Changes();
  compareServices([{ before, after }], { changes, gateways: { before: gateway, after: gateway } });
  return changes.list;
}

/** Rules about what contracts do not state: versions of services, who is permitted, and how a system is reached. */
const NOT_IN_CONTRACTS: ReadonlySet<string> = new Set([
  ...Object.keys(accessRules),
  'service-renamed',
  'target-changed',
  'credential-changed',
  'call-timeout-lowered',
  'call-timeout-raised',
  'call-lenient',
  'call-strict',
]);

/** Compares services of definitions with those of a contract, by what contracts state. */
export function compareWithContract(pairs: readonly Pair<Service>[], gateways: Pair<Gateway>): readonly Change[] {
  const changes = new Changes();
  compareServices(pairs, { changes, gateways });
  return changes.list.filter(({ rule }) => !NOT_IN_CONTRACTS.has(rule));
}

/** What comparisons of services share. */
interface Work {
  readonly changes: Changes;
  readonly gateways: Pair<Gateway>;
}

interface ServiceScope extends Scope {
  readonly gateways: Pair<Gateway>;
}

function sidesOf({ before, after }: Pair<{ readonly at: Position } | undefined>, old = '', now = ''): Sides {
  return {
    before: before && { text: old, at: before.at },
    after: after && { text: now, at: after.at },
  };
}

/** The scope of a service. One that only calls another system has no callers. */
function serviceScope({ changes, gateways }: Work, { id, operations }: Service): ServiceScope {
  const role = operations.length > 0 ? 'callers' : 'called';
  return { changes, gateways, role, languages: ALL, service: id, at: id, what: 'the service' };
}

/** Services with the same id; of the others, those with the same operations. */
function pairServices(before: readonly Service[], after: readonly Service[]): readonly Pair<Service>[] {
  const byId = new Map(after.map((service) => [service.id, service]));
  const known = new Set(before.map(({ id }) => id));
  const names = ({ operations, consumers }: Service): string =>
    [...operations, ...consumers]
      .map(({ name }) => name)
      .sort()
      .join();
  const free = Map.groupBy(
    after.filter(({ id }) => !known.has(id)),
    names,
  );
  return before.flatMap((service) => {
    const same = byId.get(service.id) ?? free.get(names(service))?.shift();
    return same === undefined ? [] : [{ before: service, after: same }];
  });
}

function addWhole(service: Service, change: 'added' | 'removed', work: Work): void {
  const scope = serviceScope(work, service);
  const sides =
    change === 'added'
      ? { after: { text: service.id, at: service.at } }
      : { before: { text: service.id, at: service.at } };
  if (service.operations.length > 0 && service.active) work.changes.add(`service-${change}`, scope, sides);
  for (const call of service.consumers) addCall(call, change, scope);
}

function addCall(call: ConsumerOperation, change: 'added' | 'removed', scope: ServiceScope): void {
  if (!call.active || !call.service.active) return;
  const side = { text: call.name, at: call.at };
  scope.changes.add(`call-${change}`, callScope(call, scope), change === 'added' ? { after: side } : { before: side });
}

function compareServices(pairs: readonly Pair<Service>[], work: Work): void {
  const moves = pairOperations(pairs);
  for (const pair of pairs) {
    const scope = serviceScope(work, pair.before.operations.length > 0 ? pair.before : pair.after);
    const within = { ...scope, service: pair.before.id, at: pair.before.id };
    compareAll(SERVICE, pair, within);
    if (pair.before.active && pair.after.active) compareMembers(pair, moves, within);
    compareCalls(pair, within);
  }
}

const SERVICE: Comparison<Service, ServiceScope> = {
  id: whenDifferent('service-renamed', ({ id }) => id),
  // Compared with the id.
  name: unseen,
  version: unseen,
  description: whenDifferent('description-changed', ({ description = '' }) => description),
  namespace: (pair, scope) => {
    const { before, after } = pair;
    const of = (service: Service, id: string, gateway: Gateway): string =>
      service.namespace ?? serviceNamespace({ id }, gateway.namespace);
    const was = of(before, before.id, scope.gateways.before);
    // A namespace that follows from the id of the service changes with it, which is reported to callers.
    const now = of(after, before.id, scope.gateways.after);
    if (was !== now && before.operations.some((each) => languagesOf(each).includes('xml')))
      scope.changes.add('namespace-changed', scope, sidesOf(pair, was, now));
    const called = of(after, after.id, scope.gateways.after);
    if (was !== called && before.consumers.some((each) => calledLanguages(each).includes('xml')))
      scope.changes.add('namespace-changed', { ...scope, role: 'called' }, sidesOf(pair, was, called));
  },
  // Compared for all versions together.
  default: unseen,
  active: ({ before, after }, scope) => {
    if (before.active === after.active || before.operations.length === 0) return;
    scope.changes.add(after.active ? 'service-activated' : 'service-deactivated', scope, sidesOf({ before, after }));
  },
  deprecated: compareDeprecation,
  cors: ({ before, after }, scope) => {
    if (before.operations.length === 0) return;
    const [old, now] = [before.cors ?? scope.gateways.before.cors, after.cors ?? scope.gateways.after.cors];
    for (const each of old)
      if (!now.includes(each) && !now.includes('*'))
        scope.changes.add('origins-fewer', scope, sidesOf({ before, after }, each));
    for (const each of now)
      if (!old.includes(each) && !old.includes('*'))
        scope.changes.add('origins-more', scope, sidesOf({ before, after }, '', each));
  },
  addressing: ({ before, after }, scope) => {
    if (before.addressing === after.addressing || !before.operations.some(({ soap }) => soap !== undefined)) return;
    const [was, is] = [before, after].map(({ addressing = 'not mentioned' }) => addressing) as [string, string];
    const rule = is === 'required' ? 'addressing-required' : 'addressing-stated';
    scope.changes.add(rule, scope, sidesOf({ before, after }, was, is));
  },
  wsdl: ({ before, after }, scope) => {
    if (!before.operations.some(({ soap }) => soap !== undefined)) return;
    const [old, now] = [wsdlNamesOf(before), wsdlNamesOf(after)];
    for (const what of new Set([...old.keys(), ...now.keys()])) {
      const [was, is] = [old, now].map((names) => names.get(what) ?? 'the default') as [string, string];
      if (was !== is) scope.changes.add('wsdl-name-changed', { ...scope, what }, sidesOf({ before, after }, was, is));
    }
  },
  // Compared with those of all services, between which operations may move.
  operations: unseen,
  consumers: unseen,
  // A flow is a sequence of calls, which are compared.
  flows: unseen,
  delivered: unseen,
  at: unseen,
};

/** The names that are declared for a WSDL, by what has them. */
function wsdlNamesOf({ wsdl = {} }: Service): ReadonlyMap<string, string> {
  const { namespace, service, portType, ports = [], faults = new Map() } = wsdl;
  const named = [
    ['The target namespace', namespace],
    ['The name of the service', service],
    ['The name of the port type', portType],
    [
      'The list of ports',
      ports.map(({ version, port = 'default', binding = 'default' }) => `${version} ${port} (${binding})`).join(', '),
    ],
    ...[...faults].map(([{ id }, message]) => [`The name of the message of ${id}`, message]),
  ] as const;
  return new Map(named.flatMap(([what, name]) => (name ? [[what, name] as const] : [])));
}

function compareDeprecation({ before, after }: Pair<Service>, scope: ServiceScope): void {
  const [old, now] = [before.deprecated, after.deprecated];
  const add = (rule: Parameters<Changes['add']>[0]): void =>
    scope.changes.add(rule, scope, sidesOf({ before, after }, old?.sunset, now?.sunset));
  if (old !== undefined && now !== undefined && old.since !== now.since)
    scope.changes.add(
      'deprecation-date-changed',
      scope,
      sidesOf({ before, after }, old.since ?? 'unknown', now.since ?? 'unknown'),
    );
  if ((old === undefined) !== (now === undefined))
    add(now === undefined ? 'deprecation-withdrawn' : 'service-deprecated');
  if (now?.sunset === undefined || now.sunset === old?.sunset) return;
  add(old?.sunset === undefined ? 'end-announced' : now.sunset < old.sunset ? 'end-earlier' : 'end-later');
}

/** Operations of services, each with what it has become. */
type Moves = ReadonlyMap<Operation, Operation>;

/** Operations with the same name in the same service; of the others, those with the same name elsewhere, or the same address. */
function pairOperations(pairs: readonly Pair<Service>[]): Moves {
  const moves = new Map<Operation, Operation>();
  const free = new Set(pairs.flatMap(({ after }) => after.operations));
  const pair = (before: Iterable<Operation>, among: Iterable<Operation>, keyOf: (each: Operation) => string): void => {
    const left = Map.groupBy(
      [...among].filter((each) => free.has(each)),
      keyOf,
    );
    for (const operation of before) {
      const same = moves.has(operation) ? undefined : left.get(keyOf(operation))?.shift();
      if (same === undefined) continue;
      moves.set(operation, same);
      free.delete(same);
    }
  };
  const nameOf = ({ name }: Operation): string => name;
  for (const { before, after } of pairs) pair(before.operations, after.operations, nameOf);
  for (const { before, after } of pairs) pair(before.operations, after.operations, addressOf);
  pair(
    pairs.flatMap(({ before }) => before.operations),
    free,
    nameOf,
  );
  return moves;
}

function addressOf({ method, uris, soap, name }: Operation): string {
  return uris.length > 0 ? `${method} ${uris.map(({ template }) => template.text).join()}` : (soap?.name ?? name);
}

function operationScope(operation: Operation, scope: ServiceScope): ServiceScope {
  const { name } = operation;
  return {
    ...scope,
    role: 'callers',
    operation: name,
    at: `${scope.at}.${name}`,
    what: 'the operation',
    languages: languagesOf(operation),
  };
}

function compareMembers({ before, after }: Pair<Service>, moves: Moves, scope: ServiceScope): void {
  const come = new Set(moves.values());
  for (const old of before.operations) {
    const within = operationScope(old, scope);
    const now = moves.get(old);
    if (now === undefined) {
      if (isServed(old)) scope.changes.add('operation-removed', within, { before: { text: old.name, at: old.at } });
      continue;
    }
    const sides = (a: string, b: string): Sides => sidesOf({ before: old, after: now }, a, b);
    if (now.service !== after && isServed(old))
      scope.changes.add('operation-moved', within, sides(old.service.id, now.service.id));
    else if (now.name !== old.name && isServed(old))
      scope.changes.add('operation-renamed', within, sides(old.name, now.name));
    compareOperations({ before: old, after: now }, within);
  }
  for (const now of after.operations)
    if (!come.has(now) && isServed(now))
      scope.changes.add('operation-added', operationScope(now, scope), { after: { text: now.name, at: now.at } });
}

function callScope(call: ConsumerOperation, scope: ServiceScope): ServiceScope {
  const { name } = call;
  return {
    ...scope,
    role: 'called',
    operation: name,
    at: `${scope.at}.${name}`,
    what: 'the call',
    languages: calledLanguages(call),
  };
}

function compareCalls({ before, after }: Pair<Service>, scope: ServiceScope): void {
  const now = new Map(after.consumers.map((call) => [call.name, call]));
  for (const call of before.consumers) {
    const same = now.get(call.name);
    now.delete(call.name);
    if (same === undefined) addCall(call, 'removed', scope);
    else compareConsumers({ before: call, after: same }, callScope(call, scope));
  }
  for (const call of now.values()) addCall(call, 'added', scope);
}

/** Compares where paths without a version lead. */
function compareDefaults(before: Registry, after: Registry, work: Work): void {
  const defaults = ({ services }: Registry): ReadonlyMap<string, Service> =>
    new Map(
      [...services.values()]
        .filter((each) => each.default && each.operations.length > 0)
        .map((each) => [each.name, each]),
    );
  const now = defaults(after);
  for (const [name, old] of defaults(before)) {
    const other = now.get(name);
    if (other === undefined || other.id === old.id || !before.services.has(other.id)) continue;
    work.changes.add(
      'default-version-changed',
      serviceScope(work, old),
      sidesOf({ before: old, after: other }, old.id, other.id),
    );
  }
}
