import { type Place, placeText } from '../diagnostic/place.ts';
import type { Linking } from '../linking.ts';
import { soapName } from '../operation/soap.ts';
import type { Declaration } from '../read/declaration.ts';
import type { OperationDeclared } from '../schema/operation.ts';
import type { ServiceDeclared } from '../schema/service.ts';

/**
 * The operations that each service declares, by its id. Ids are unique over all services, letter case apart, and so are the
 * SOAP names of what is answered here; what is called elsewhere is named by others.
 */
export function ownOperations(
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
