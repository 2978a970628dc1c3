import { type Place, placeText } from '../diagnostic/place.ts';
import type { Linking } from '../linking.ts';
import { soapName } from '../operation/soap.ts';
import type { Declaration } from '../read/declaration.ts';
import type { OperationDeclared } from '../schema/operation.ts';
import type { ServiceDeclared } from '../schema/service.ts';
import type { NamesOfService } from './operation-ids.ts';

/**
 * The names of operations and SOAP twins that each service declares. They are unique in a service of one version, letter
 * case apart; what is called elsewhere has the SOAP name that others give it. A flow has no name of an operation.
 */
export function ownOperations(
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
    // After all operations, so that of an operation and a SOAP twin of that name the twin is what is complained of.
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

/** What has a name already. */
interface Named {
  readonly id: string;
  readonly first: Place;
}
