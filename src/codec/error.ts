import { quote } from '../wire/words.ts';

/**
 * A value that its document doesn't allow: a caller's mistake when reading, a handler's when writing. `path` locates it
 * (`LOC_DATA[3].EFFDT`), or is empty for a single value; `reason` completes the sentence `${path} ${reason}.` and
 * contains no value of a sensitive field.
 */
export class CodecError extends Error {
  override readonly name = 'CodecError';
  readonly path: string;
  readonly reason: string;

  constructor(path: string, reason: string) {
    super(path === '' ? reason : `${path} ${reason}`);
    this.path = path;
    this.reason = reason;
  }
}

/** Rejects a value; the enclosing code adds the path with {@link within}. */
export function refuse(reason: string): never {
  throw new CodecError('', reason);
}

/** The same error one level further out: below a field's name, or below an entry's index (from 0). */
export function within(error: unknown, step: string | number): unknown {
  if (!(error instanceof CodecError)) return error;
  const own = typeof step === 'number' ? `[${step}]` : step;
  const separator = error.path === '' || error.path.startsWith('[') ? '' : '.';
  return new CodecError(`${own}${separator}${error.path}`, error.reason);
}

/** A caller's own key as a step of a path. */
export function stepOf(key: string | number): string | number {
  return typeof key === 'number' || /^[\w.:=-]{1,64}$/.test(key) ? key : quote(key);
}

/** The kind of a value for messages: `is a number, not a string`. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  switch (typeof value) {
    case 'string':
      return 'a string';
    case 'number':
    case 'bigint':
      return 'a number';
    case 'boolean':
      return 'a boolean';
    case 'object':
      return 'an object';
    default:
      return `a ${typeof value}`;
  }
}
