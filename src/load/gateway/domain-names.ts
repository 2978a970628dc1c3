import type { ConsumerOperation } from '../../model/consumer.ts';
import type { Place } from '../diagnostic/place.ts';
import { declarationsOf, type Linking } from '../linking.ts';
import type { GatewayDeclared } from '../schema/gateway.ts';

const PROPERTY = 'ig.UseDomainName.ExternalOperationNames';

/** The external name of an operation, where it stands. */
interface PlacedName {
  readonly name: string;
  readonly at: Place;
}

/** The names of `ig.UseDomainName.ExternalOperationNames`: a list, or a text with commas. Each once. */
export function domainNames({ places }: Linking, { properties }: GatewayDeclared): readonly PlacedName[] {
  const said = properties?.[PROPERTY];
  if (properties === undefined || said === undefined) return [];
  if (typeof said !== 'string') return said.map((name, index) => ({ name, at: places.value(said, index) }));
  const names = new Map<string, PlacedName>();
  for (const { 0: name, index } of said.matchAll(/[^ ,]+/g)) {
    if (!names.has(name)) names.set(name, { name, at: places.inText(properties, PROPERTY, index, name.length) });
  }
  return [...names.values()];
}

/**
 * Reports names that are those of no call over REST. An operation's external name is its name without the suffix of its
 * method, or with it, and the version of its service (specification 4.3).
 */
export function checkDomainNames(
  linking: Linking,
  consumers: ReadonlyMap<string, ConsumerOperation>,
  lost: ReadonlySet<string>,
): void {
  const { report, declared } = linking;
  const [gateway] = declarationsOf<GatewayDeclared>(linking, 'gateway');
  // What can't be used may be what a name means.
  if (gateway === undefined || lost.size > 0 || declared.anySetAside('service')) return;
  const names = new Set<string>();
  const proposed: string[] = [];
  for (const consumer of consumers.values()) {
    if (consumer.kind !== 'rest') continue;
    const { name, method, service } = consumer;
    const short = name.endsWith(`_${method}`) ? name.slice(0, -method.length - 1) : name;
    proposed.push(`${short}.${service.version}`);
    names.add(`${short}.${service.version}`).add(`${name}.${service.version}`);
  }
  for (const { name, at } of domainNames(linking, gateway.value)) {
    if (names.has(name)) continue;
    report.raise('unknown-reference', { what: 'call over REST', id: name, known: proposed }, at);
  }
}
