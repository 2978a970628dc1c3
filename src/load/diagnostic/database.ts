import { databaseCatalogue } from './catalogue/database.ts';
import type { Entry } from './catalogue/entry.ts';
import { type Diagnostic, diagnosticOf } from './diagnostic.ts';
import { type Place, placeOf } from './place.ts';

type Code = keyof typeof databaseCatalogue;
type ParametersOf<C extends Code> = Parameters<(typeof databaseCatalogue)[C]['message']>[0];

/** What a database says against the definitions, as a diagnostic like those of the loader. */
export function databaseDiagnostic<C extends Code>(code: C, parameters: ParametersOf<C>, at: Place): Diagnostic {
  return diagnosticOf(code, databaseCatalogue[code] as Entry<typeof parameters>, parameters, placeOf(at));
}
