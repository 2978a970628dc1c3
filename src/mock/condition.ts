import { isAttachment } from '../codec/binary.ts';
import type { Value } from '../model/value.ts';

/**
 * Whether a value has all that is wanted of it: of objects the members that are named, of lists all entries in their order. Null
 * is wanted of what is null or absent.
 */
export function hasValues(value: Value | undefined, wanted: Value | undefined): boolean {
  if (wanted === undefined) return true;
  if (wanted === null) return value === null || value === undefined;
  if (Array.isArray(wanted)) {
    const given: readonly Value[] | undefined = Array.isArray(value) ? value : undefined;
    return given?.length === wanted.length && wanted.every((each: Value, index) => hasValues(given[index], each));
  }
  if (typeof wanted !== 'object') return isSame(value, wanted);
  if (typeof value !== 'object' || value === null || Array.isArray(value) || isAttachment(value)) return false;
  const members = value as Readonly<Record<string, Value>>;
  return Object.entries(wanted).every(([name, each]) => hasValues(members[name], each as Value));
}

/** Integers are numbers or, beyond 2^53 - 1, of type bigint. */
function isSame(value: Value | undefined, wanted: Value): boolean {
  return value === wanted || (isInteger(value) && isInteger(wanted) && BigInt(value) === BigInt(wanted));
}

const isInteger = (value: unknown): value is number | bigint => typeof value === 'bigint' || Number.isInteger(value);
