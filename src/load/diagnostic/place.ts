import type { Position } from '../../model/definition.ts';

/** What is ordered by its place. */
interface Placed {
  readonly code: string;
  readonly at: Position;
}

/** Orders diagnostics by file and position. */
export function byPlace(a: Placed, b: Placed): number {
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

/** The extent of a position of the registry, if it has one. */
export function extentOf(position: object): number | undefined {
  return extents.get(position);
}

/** Gives the copy of a position the extent of the original. */
export function setExtent(copy: object, length: number): void {
  extents.set(copy, length);
}

/** Kept beside the positions: they are plain data that is compared and serialised. */
const extents = new WeakMap<object, number>();
