import { isDeepStrictEqual } from 'node:util';
import { Fault } from '../../model/fault.ts';
import { MASK } from '../../model/redactor.ts';
import type { JsonValue } from '../../model/value.ts';
import { isRecord } from './mask.ts';

/**
 * The payload that an operator means who edited what is shown of another: what is as it was shown keeps its original value, which
 * may be masked there, or be the description of an attachment.
 * @param shown the original as it is shown, with the same structure @throws Fault BAD_BODY for a masked value that is not at its place
 */
export function restoreEdited(edited: JsonValue, shown: JsonValue | undefined, original: JsonValue): JsonValue {
  return restore(edited, shown, original, '');
}

function restore(edited: JsonValue, shown: JsonValue | undefined, original: JsonValue, at: string): JsonValue {
  if (isDeepStrictEqual(edited, shown)) return original;
  if (Array.isArray(edited)) {
    const [before, values] = Array.isArray(shown) && Array.isArray(original) ? [shown, original] : [[], []];
    return edited.map((each: JsonValue, n) => restoreEntry(each, n, before, values, `${at}/${n}`));
  }
  if (isRecord(edited)) {
    const [before, values] = isRecord(shown) && isRecord(original) ? [shown, original] : [{}, {}];
    const entries = Object.entries(edited).map(([name, value]): [string, JsonValue] => {
      const pointer = `${at}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      return [
        name,
        Object.hasOwn(before, name)
          ? restore(value, before[name], values[name] as JsonValue, pointer)
          : unmasked(value, pointer),
      ];
    });
    return Object.fromEntries(entries);
  }
  return unmasked(edited, at);
}

/**
 * An entry keeps its original value where it is shown as one of the list was. Masked parts of others are refused: by its number
 * alone, an entry of a list that was changed could get the secret of another.
 */
function restoreEntry(
  edited: JsonValue,
  number: number,
  shown: readonly JsonValue[],
  original: readonly JsonValue[],
  at: string,
): JsonValue {
  const same = [...shown.keys()].filter((n) => isDeepStrictEqual(edited, shown[n]));
  const [first, ...others] = same.map((n) => original[n] as JsonValue);
  if (first === undefined) return unmasked(edited, at);
  if (others.every((each) => isDeepStrictEqual(each, first))) return first;
  // They differ only in what is not shown.
  return same.includes(number) ? (original[number] as JsonValue) : unmasked(edited, at);
}

/** A value that is new. @throws Fault BAD_BODY */
function unmasked(value: JsonValue, at: string): JsonValue {
  if (typeof value === 'string' && value.includes(MASK)) throw stillMasked(at);
  return typeof value === 'object' && value !== null ? restore(value, undefined, value, at) : value;
}

/** @param at the place as a JSON pointer (RFC 6901) */
export function stillMasked(at: string): Fault {
  const reason = `the value at ${at} contains ${MASK}, which stands for a value that is not shown; give the value itself`;
  return Fault.of('BAD_BODY', { reason }, { at: { pointer: `#${at}` } });
}
