import type { Position } from '../../model/position.ts';

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
