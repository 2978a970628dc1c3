import type { Service } from '../../model/service.ts';
import { isDate } from '../../wire/calendar.ts';
import { positionOf } from '../diagnostic/place.ts';
import { given, type Mutable } from '../given.ts';
import type { Linking } from '../linking.ts';
import type { Declaration } from '../read/declaration.ts';
import type { ServiceDeclared } from '../schema/service.ts';

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
