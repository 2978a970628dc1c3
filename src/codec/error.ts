import { MAX_ERRORS } from '../model/fault.ts';
import { quote } from '../wire/words.ts';

/** One step to a place in a document: a field by its name, an entry by its index (from 0), or a key that no field has. */
export type Step = string | number | { readonly key: string };

/**
 * A value that its document doesn't allow: a caller's mistake when reading, a handler's when writing. `path` locates it
 * (`LOC_DATA[3].EFFDT`), or is empty for a single value; `reason` completes the sentence `${path} ${reason}.` and
 * contains no value of a sensitive field. Readers of documents go on after an error: it has the `others` that they found.
 */
export class CodecError extends Error {
  override readonly name = 'CodecError';
  readonly reason: string;
  #path: string;
  #steps: Step[];
  #others: CodecError[] = [];
  #label: string | undefined;

  /** @param at the place, where it is another than a field called `path` */
  constructor(path: string, reason: string, at: readonly Step[] = path === '' ? [] : [path]) {
    super(path === '' ? reason : `${path} ${reason}`);
    this.#path = path;
    this.reason = reason;
    this.#steps = [...at];
  }

  get path(): string {
    return this.#path;
  }

  /** The place, outermost first; none for an error about a value as a whole. */
  get steps(): readonly Step[] {
    return this.#steps;
  }

  /** The errors that were found after this one, at most {@link MAX_ERRORS} with it. */
  get others(): readonly CodecError[] {
    return this.#others;
  }

  /** The root label (`{ "LOCATION": { … } }`) that is around the places of this error in the text, if there is one. */
  get label(): string | undefined {
    return this.#label;
  }

  /** All errors are one level further out from now on. */
  moveBelow(step: Step): void {
    const own = shown(step);
    for (const each of [this, ...this.#others]) {
      each.#steps.unshift(step);
      const separator = each.#path === '' || each.#path.startsWith('[') ? '' : '.';
      each.#rename(`${own}${separator}${each.#path}`);
    }
  }

  /** Errors about the value as a whole get its name for their path. */
  nameWhole(name: string): void {
    for (const each of [this, ...this.#others]) if (each.#path === '') each.#rename(name);
  }

  /** All errors are about content under a root label. */
  setLabel(label: string): void {
    for (const each of [this, ...this.#others]) each.#label = label;
  }

  /** @throws this error, once it has as many others as are reported */
  addOthers(later: CodecError): void {
    this.#others.push(later, ...later.#others);
    later.#others = [];
    this.throwIfFull();
  }

  throwIfFull(): void {
    if (this.#others.length < MAX_ERRORS - 1) return;
    this.#others.length = MAX_ERRORS - 1;
    throw this;
  }

  #rename(path: string): void {
    this.#path = path;
    this.message = `${path} ${this.reason}`;
  }
}

/**
 * Adds what was thrown to the errors found before it, so that a reader can go on.
 * @returns the first error, which has the others
 * @throws what is not a {@link CodecError}; the first error once it has {@link MAX_ERRORS}
 */
export function addError(found: CodecError | undefined, thrown: unknown): CodecError {
  if (!(thrown instanceof CodecError)) throw thrown;
  if (found === undefined) thrown.throwIfFull();
  else found.addOthers(thrown);
  return found ?? thrown;
}

/** Whether one of the errors is about a field, which then is not missing as well. */
export function isAbout(found: CodecError | undefined, name: string): boolean {
  return found !== undefined && [found, ...found.others].some(({ steps }) => steps[0] === name);
}

/** Rejects a value; the enclosing code adds the path with {@link within}. */
export function refuse(reason: string): never {
  throw new CodecError('', reason);
}

/** The same error one level further out: below a field's name, or below an entry's index (from 0). */
export function within(error: unknown, step: Step): unknown {
  if (error instanceof CodecError) error.moveBelow(step);
  return error;
}

/** A caller's own key as a step. */
export function stepOf(key: string | number): Step {
  return typeof key === 'number' ? key : { key };
}

/** A step in a path. Callers' keys are quoted, and cut, unless they are plain names. */
export function shown(step: Step): string {
  if (typeof step === 'number') return `[${step}]`;
  if (typeof step === 'string') return step;
  return /^[\w.:=-]{1,64}$/.test(step.key) ? step.key : quote(step.key);
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
