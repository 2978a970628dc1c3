import type { Document } from '../model/document.ts';
import { CodecError, kindOf, refuse, stepOf } from './error.ts';
import { nearest } from './nearest.ts';

/**
 * Whether every object inherits something by this name (`constructor`, `toString`), so that it must be looked up among an
 * object's own members. Others are read directly, which is faster.
 */
export function isInherited(name: string): boolean {
  return name in Object.prototype;
}

/** An object's own member by a declared name, {@link isInherited} or not. */
export function ownMember(object: Readonly<Record<string, unknown>>, name: string, inherited: boolean): unknown {
  return !inherited || Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Sets a member; `__proto__` becomes one like any other. */
export function setMember(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') object[name] = value;
  else Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
}

/** What becomes of what a document that is not open doesn't declare: an error, or nothing. */
export type Foreign = 'refuse' | 'pass';

/** The error for a name that a document doesn't declare. */
export function unknownField(document: Document, given: string, declared: Iterable<string>): CodecError {
  const meant = nearest(given, declared);
  const hint = meant === undefined ? '' : ` (did you mean ${meant}?)`;
  return new CodecError(String(stepOf(given)), `is not a field of ${document.id}${hint}`);
}

/** A document's value as its members. */
export function plainObject(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) refuse(`is ${kindOf(value)}, not an object`);
  return value as Record<string, unknown>;
}

/** An error about a document as a whole gets its id for a path. */
export function named(error: unknown, document: Document): unknown {
  return error instanceof CodecError && error.path === '' ? new CodecError(document.id, error.reason) : error;
}
