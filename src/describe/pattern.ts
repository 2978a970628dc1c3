import { type PatternNode, readPattern } from '../wire/pattern-syntax.ts';

/** Reads a pattern that the whole value must match. */
export function readWholePattern(source: string): PatternNode {
  return readPattern(unanchored(source));
}

/** A first `^` and a last `$` say nothing where the whole value must match. */
function unanchored(source: string): string {
  const start = source.startsWith('^') ? 1 : 0;
  const end = /(?<!\\)(?:\\\\)*\$$/.test(source) ? source.length - 1 : source.length;
  return source.slice(start, end);
}
