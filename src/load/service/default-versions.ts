import type { Linking } from '../linking.ts';
import type { Declaration } from '../read/declaration.ts';
import type { ServiceDeclared } from '../schema/service.ts';
import { nameOf, versionNumber } from './service.ts';

/** The default version of each service name: the one that says so, else the lowest. */
export function defaultVersions(
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
