import type { Position } from '../../model/definition.ts';
import { type Code, catalogue, type Entry, type ParametersOf } from './catalogue.ts';

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

/** Orders diagnostics by file and position. */
export function byPlace(a: Diagnostic, b: Diagnostic): number {
  return byPosition(a.at, b.at) || (a.code < b.code ? -1 : 1);
}

/** Orders positions by file, line and column. */
export function byPosition(a: Position, b: Position): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return a.line - b.line || a.column - b.column;
}

/** A position with its extent, in columns of its line. */
export interface Place extends Position {
  readonly length?: number;
}

/** A position as text: `definitions/gateway.yaml:3:1`. */
export function placeText({ file, line, column }: Position): string {
  return `${file}:${line}:${column}`;
}

/** A place as the registry keeps it, without its extent. */
export function positionOf({ file, line, column, length }: Place): Position {
  const position = { file, line, column };
  if (length !== undefined) extents.set(position, length);
  return position;
}

/** The place, extent included, that a position of the registry came from. */
export function placeOf(position: Position): Place {
  const length = extents.get(position);
  return length === undefined ? position : { ...position, length };
}

const extents = new WeakMap<Position, number>();
