import type { Position } from '../../model/definition.ts';
import { type Code, catalogue, type Entry, type ParametersOf } from './catalogue.ts';
import { byPlace, type Place, placeText } from './place.ts';

export { byPlace, byPosition, type Place, placeOf, placeText, positionOf } from './place.ts';

/** An error or a probable error in the definitions. Plain data, which serialises as it is. */
export interface Diagnostic {
  /** A stable code of the catalogue. `docs/diagnostics.md` describes each. */
  readonly code: string;
  readonly severity: 'error' | 'warning';
  readonly message: string;
  /** How to correct it. */
  readonly hint?: string;
  readonly at: Position;
  /** Number of columns from `at` that it concerns; 1 when unknown. */
  readonly length?: number;
}

/** Collects the diagnostics of one run. */
export interface Report {
  /** Adds a diagnostic. */
  raise<C extends Code>(code: C, parameters: ParametersOf<C>, place: Place): void;
  /** All diagnostics by file and position. The same message for the same place is kept once. */
  sorted(): readonly Diagnostic[];
}

export function createReport(): Report {
  const raised = new Map<string, Diagnostic>();
  return {
    raise(code, parameters, place) {
      const diagnostic = diagnosticOf(code, catalogue[code] as Entry<typeof parameters>, parameters, place);
      raised.set(`${placeText(place)}:${code}:${diagnostic.message}`, diagnostic);
    },
    sorted: () => [...raised.values()].sort(byPlace),
  };
}

/** Builds a diagnostic from an entry of a catalogue. */
export function diagnosticOf<P>(code: string, entry: Entry<P>, parameters: P, place: Place): Diagnostic {
  const hint = entry.hint?.(parameters);
  const { file, line, column, length } = place;
  return {
    code,
    severity: entry.severity,
    message: entry.message(parameters),
    ...(hint === undefined ? {} : { hint }),
    at: { file, line, column },
    ...(length === undefined ? {} : { length }),
  };
}
