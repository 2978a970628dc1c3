// JSON (RFC 8259) with the digits of its numbers: the JSON.parse source text access proposal of ECMAScript.

declare global {
  interface JSON {
    parse(
      text: string,
      reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
    ): unknown;
    /** A primitive of JSON that JSON.stringify writes unchanged. */
    rawJSON(text: string): object;
  }
}

/** A JSON number whose digits a JavaScript number may not preserve: `1.50`, `9007199254740993`, `1e400`. */
export class NumberToken {
  readonly source: string;
  readonly value: number;

  constructor(source: string, value: number) {
    this.source = source;
    this.value = value;
  }
}

/** Thrown by a reader that meets a number too large to be sure of its digits, where they were not kept. */
export const NEEDS_DIGITS = Symbol('the digits of a number are needed');

/**
 * Parses JSON so that each number that is not written as JavaScript would write it is a {@link NumberToken}. Five times
 * slower than JSON.parse alone.
 * @param text of bounded depth: a reviver is called recursively, one level of the stack for one of the text
 */
export function parseWithDigits(text: string): unknown {
  return JSON.parse(text, (_key, value, context) => {
    if (typeof value !== 'number' || context.source === undefined) return value;
    const certain = Number.isSafeInteger(value) || !Number.isInteger(value);
    return certain && context.source === String(value) ? value : new NumberToken(context.source, value);
  });
}
