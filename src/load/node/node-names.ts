import type { Service } from '../../model/service.ts';
import type { Place } from '../diagnostic/place.ts';
import { declarationsOf, type Linking } from '../linking.ts';

/** A node and a service stand at the same place of a path, so their names must differ. */
export function checkNodeNames(linking: Linking, services: Iterable<Service>): void {
  const taken = new Map<string, string>();
  for (const service of services) {
    // What is only called elsewhere has no path here.
    if (service.operations.length === 0 && service.consumers.length > 0) continue;
    taken.set(service.name, service.id);
    for (const { pathName, id } of service.operations) if (!taken.has(pathName)) taken.set(pathName, `operation ${id}`);
  }
  const check = (name: string, at: Place): void => {
    const user = taken.get(name);
    if (name.includes('.'))
      linking.report.raise('node-name', { name, reason: 'it holds a dot, as services in a path do' }, at);
    else if (user !== undefined)
      linking.report.raise('node-name', { name, reason: `${user} has that name in a path` }, at);
  };
  for (const { id, at } of declarationsOf(linking, 'gateway')) check(id, at);
  const gateways = linking.declared.of('gateway');
  for (const { id, at } of declarationsOf(linking, 'node')) {
    check(id, at);
    if (gateways.has(id))
      linking.report.raise('node-name', { name: id, reason: 'the gateway itself is called so' }, at);
  }
}
