// JSON (RFC 8259) with the digits of its numbers: the JSON.parse source text access proposal of ECMAScript.

import { endOfString } from './scan.ts';

declare global {
  interface JSON {
    parse(
      text: string,
      reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
    ): unknown;
    /** A primitive of JSON that JSON.stringify writes as it stands. */
    rawJSON(text: string): object;
  }
}

/** A number of JSON whose digits a JavaScript number does not surely keep: `1.50`, `9007199254740993`, `1e400`. */
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
 * slower than JSON.parse alone where there may be one.
 * @param text of bounded depth: a reviver is called recursively, one level of the stack for one of the text
 */
export function parseWithDigits(text: string): unknown {
  if (isAsWritten(text)) return JSON.parse(text);
  return JSON.parse(text, (_key, value, context) => {
    if (typeof value !== 'number' || context.source === undefined) return value;
    const certain = Number.isSafeInteger(value) || !Number.isInteger(value);
    return certain && context.source === String(value) ? value : new NumberToken(context.source, value);
  });
}

/** Whether JavaScript surely writes each number of a JSON text as it stands; looks through the text without parsing it. */
function isAsWritten(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === 0x22) i = endOfString(text, i);
    else if (isDigit(unit)) {
      const end = endOfPlainNumber(text, i);
      if (end === -1) return false;
      i = end - 1;
    }
  }
  return true;
}

const isDigit = (unit: number): boolean => unit >= 0x30 && unit <= 0x39;

/**
 * The index behind a number whose 15 digits or fewer a JavaScript number keeps, and which needs no exponent; -1 where that
 * is not sure.
 * @param start of its digits
 */
function endOfPlainNumber(text: string, start: number): number {
  let end = endOfDigits(text, start);
  const isNegativeZero = text.charCodeAt(start) === 0x30 && text.charCodeAt(start - 1) === 0x2d;
  if (end - start > 15 || isNegativeZero) return -1;
  if (text.charCodeAt(end) === 0x2e) {
    const point = end;
    end = endOfDigits(text, point + 1);
    if (point - start > 9 || end - point > 7 || text.charCodeAt(end - 1) === 0x30) return -1;
  }
  return (text.charCodeAt(end) | 0x20) === 0x65 ? -1 : end;
}

function endOfDigits(text: string, start: number): number {
  let end = start;
  while (isDigit(text.charCodeAt(end))) end++;
  return end;
}
