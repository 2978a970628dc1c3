import type { Position } from '../../model/definition.ts';
import { type Code, catalogue, type Entry, type ParametersOf } from './catalogue.ts';

/** A mistake in the definitions, or something that is probably one. Plain data: it serialises as it is. */
export interface Diagnostic {
  /** Of the catalogue; stable. `docs/diagnostics.md` has a paragraph for each. */
  readonly code: string;
  readonly severity: 'error' | 'warning';
  readonly message: string;
  /** How to mend it. */
  readonly hint?: string;
  readonly at: Position;
  /** Columns from `at` that are meant; 1 where unknown. */
  readonly length?: number;
}

/** Collects what is found in one run. */
export interface Report {
  /** Adds a diagnostic of the catalogue. */
  raise<C extends Code>(code: C, parameters: ParametersOf<C>, place: Place): void;
  /** Everything raised so far, by file and position; the same complaint at the same place counts once. */
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

/** A diagnostic of an entry of a catalogue. */
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

/** The order of diagnostics: by file and position. */
export function byPlace(a: Diagnostic, b: Diagnostic): number {
  if (a.at.file !== b.at.file) return a.at.file < b.at.file ? -1 : 1;
  return a.at.line - b.at.line || a.at.column - b.at.column || (a.code < b.code ? -1 : 1);
}

/** A place with its extent: how many columns of its line it covers. */
export interface Place extends Position {
  readonly length?: number;
}

/** A place as text: `definitions/gateway.yaml:3:1`. */
export function placeText({ file, line, column }: Position): string {
  return `${file}:${line}:${column}`;
}

/** A place without its extent, as the registry keeps it. */
export function positionOf({ file, line, column, length }: Place): Position {
  const position = { file, line, column };
  if (length !== undefined) extents.set(position, length);
  return position;
}

/** The place that a position of the registry was made of, extent included. */
export function placeOf(position: Position): Place {
  const length = extents.get(position);
  return length === undefined ? position : { ...position, length };
}

const extents = new WeakMap<Position, number>();
