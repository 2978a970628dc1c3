import type { ConfigText } from '../../model/config.ts';
import type { Place } from '../diagnostic/place.ts';
import type { Linking } from '../linking.ts';
import type { OperationSpot } from '../operation/spot.ts';
import type { FlagDeclared, PropertiesDeclared } from '../schema/consumer.ts';
import { linkAddress } from '../value/address.ts';

type Property = keyof PropertiesDeclared;

/** A property, and where it is said. */
interface SaidProperty<K extends Property> {
  readonly value: NonNullable<PropertiesDeclared[K]>;
  readonly at: Place;
  /** Not said by the service for all of its operations. */
  readonly own: boolean;
}

/** A property of a consumer: what overrides its routing says it, or the operation, or else its service. */
export function saidProperty<K extends Property>(
  { places }: Linking,
  { override, declared, above }: OperationSpot,
  key: K,
): SaidProperty<K> | undefined {
  const ofService = above('properties');
  for (const container of [override?.declared.properties, declared.properties, ofService]) {
    const value = container?.[key];
    if (container !== undefined && value !== undefined)
      return { value, at: places.value(container, key), own: container !== ofService };
  }
  return undefined;
}

/** METHOD and Method say again what is known. */
export function checkMethod(linking: Linking, spot: OperationSpot, method: string, why: string): void {
  for (const property of ['METHOD', 'Method'] as const) {
    const said = saidProperty(linking, spot, property);
    if (said === undefined || said.value === method) continue;
    const hint = `Say ${property}: ${method}, or leave it out.`;
    linking.report.raise('bad-property', { property, reason: `is ${said.value}, and ${why}`, hint }, said.at);
  }
}

/** Refuses properties that mean nothing for a consumer; those that its service says for all are passed over. */
export function refuseProperties(
  { report, places }: Linking,
  { id, override, declared }: OperationSpot,
  properties: readonly Property[],
  why: string,
): void {
  for (const container of [override?.declared.properties, declared.properties]) {
    for (const property of properties) {
      if (container?.[property] === undefined) continue;
      const hint = `Take ${property} out, or say it where it has a meaning.`;
      const reason = `means nothing for ${id}: ${why}`;
      report.raise('bad-property', { property, reason, hint }, places.key(container, property));
    }
  }
}

/** The address that takes the place of the node's. `fault` says what is wrong with one that is written out. */
export function linkPrimaryUrl(
  linking: Linking,
  spot: OperationSpot,
  fault: (text: string) => string | undefined,
): ConfigText | undefined {
  const said = saidProperty(linking, spot, 'PRIMARYURL');
  return said && linkAddress(linking, said.value, said.at, { name: 'PRIMARYURL', fault });
}

/** `Y`, `n`, `true`. */
export function isYes(said: FlagDeclared | undefined, otherwise: boolean): boolean {
  return typeof said === 'string' ? said.toUpperCase() === 'Y' : (said ?? otherwise);
}
