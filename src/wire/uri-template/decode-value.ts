import { WireError } from '../error.ts';
import { percentDecode } from '../percent.ts';
import { counted } from '../words.ts';
import type { RawValue } from './match.ts';
import type { ValueShape } from './program.ts';
import type { TemplateVariable } from './uri-template.ts';

// Values of a matched URI Template, decoded one variable at a time (RFC 3986 section 2.4: cut first, then decode).

/** A value of the wrong form. `reason` completes a sentence that begins with the variable's name. */
export class UriValueError extends WireError {
  override readonly name = 'UriValueError';
}

/** A decoded value. */
export type DecodedValue = string | string[] | undefined;

/**
 * Decodes the raw value of a variable, for the shape that the matcher was compiled with. `+` is a space in a query,
 * except for `{+x}`.
 * @throws PercentError when it can't be decoded
 * @throws UriValueError when a text occurs twice, or is longer than its `{x:3}`
 */
export function decodeRaw(raw: RawValue, variable: TemplateVariable, shape: ValueShape): DecodedValue {
  if (raw === undefined) return undefined;
  const plusIsSpace = variable.place === 'query' && variable.operator !== '+';
  if (shape === 'string') {
    if (typeof raw !== 'string') throw new UriValueError('is given more than once');
    const text = percentDecode(raw, plusIsSpace);
    if (variable.prefix !== undefined && longerThan(text, variable.prefix)) {
      throw new UriValueError(`is longer than ${counted(variable.prefix, 'character')}`);
    }
    return text;
  }
  const pieces = typeof raw === 'string' ? [raw] : raw;
  return pieces.map((piece) => percentDecode(piece, plusIsSpace));
}

/** Counts code points, as in RFC 6570 section 2.4.1. */
function longerThan(text: string, limit: number): boolean {
  if (text.length <= limit) return false;
  let count = 0;
  for (const _ of text) {
    count += 1;
    if (count > limit) return true;
  }
  return false;
}
