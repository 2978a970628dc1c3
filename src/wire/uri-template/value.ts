// Values of a matched URI Template, decoded one variable at a time (RFC 3986 section 2.4: cut first, then decode).

import { percentDecode } from '../percent.ts';
import type { RawValue } from './match.ts';
import type { ValueShape } from './program.ts';
import type { TemplateVariable } from './uri-template.ts';

/** A value of the wrong form. `reason` completes a sentence that begins with the variable's name. */
export class UriValueError extends Error {
  override readonly name = 'UriValueError';
  readonly reason: string;

  constructor(reason: string) {
    super(reason);
    this.reason = reason;
  }
}

/** What a raw value says. */
export type DecodedValue = string | string[] | Record<string, string> | undefined;

/**
 * Decodes what a matcher took for a variable, by the shape that the matcher was compiled with. `+` is a space in a
 * query, except for `{+x}`.
 * @throws PercentError where it can't be decoded
 * @throws UriValueError where a text stands twice or is longer than its `{x:3}`, or a map is uneven or repeats a name
 */
export function decodeRaw(raw: RawValue, variable: TemplateVariable, shape: ValueShape): DecodedValue {
  if (raw === undefined) return undefined;
  const plusIsSpace = variable.place === 'query' && variable.operator !== '+';
  if (shape === 'string') {
    if (typeof raw !== 'string') throw new UriValueError('is given more than once');
    const text = percentDecode(raw, plusIsSpace);
    if (variable.prefix !== undefined && longerThan(text, variable.prefix)) {
      throw new UriValueError(
        `is longer than ${variable.prefix} ${variable.prefix === 1 ? 'character' : 'characters'}`,
      );
    }
    return text;
  }
  const pieces = typeof raw === 'string' ? [raw] : raw;
  if (shape === 'list') return pieces.map((piece) => percentDecode(piece, plusIsSpace));
  return decodeMap(pieces, variable.explode, plusIsSpace);
}

/** Counts code points, as RFC 6570 section 2.4.1 does. */
function longerThan(text: string, limit: number): boolean {
  if (text.length <= limit) return false;
  let count = 0;
  for (const _ of text) {
    count += 1;
    if (count > limit) return true;
  }
  return false;
}

function decodeMap(pieces: readonly string[], exploded: boolean, plusIsSpace: boolean): Record<string, string> {
  const found = new Map<string, string>();
  for (let i = 0; i < pieces.length; i += exploded ? 1 : 2) {
    const piece = pieces[i] ?? '';
    const equals = piece.indexOf('=');
    const name = exploded && equals !== -1 ? piece.slice(0, equals) : piece;
    const value = exploded ? (equals === -1 ? '' : piece.slice(equals + 1)) : pieces[i + 1];
    if (value === undefined) throw new UriValueError('ends with a name that has no value');
    const key = percentDecode(name, plusIsSpace);
    if (found.has(key)) throw new UriValueError(`gives ${key} more than once`);
    found.set(key, percentDecode(value, plusIsSpace));
  }
  // Object.fromEntries defines properties, so that a name such as __proto__ is a name like any other.
  return Object.fromEntries(found);
}
