import { checkDepth } from './depth.ts';
import { refuse, stepOf, within } from './error.ts';

/** Refuses text that not every store and encoding can hold: with a NUL, or with half of a surrogate pair. */
export function soundText(text: string): string {
  if (!text.isWellFormed()) refuse('holds half of a surrogate pair, which is no character');
  if (text.includes('\0')) refuse('holds a NUL character');
  return text;
}

/**
 * Refuses a JSON text whose strings or keys are not sound. Only an escape can bring a NUL into JSON, and only an escape or
 * a text that is no UTF-16 half of a pair, so that most texts need no second look.
 * @param parsed what the text holds
 */
export function checkSound(text: string, parsed: unknown): void {
  if (text.includes('\\u') || !text.isWellFormed()) checkStrings(parsed, 1);
}

function checkStrings(value: unknown, depth: number): void {
  if (typeof value === 'string') soundText(value);
  if (typeof value !== 'object' || value === null) return;
  checkDepth(depth);
  let step: string | number = 0;
  try {
    if (Array.isArray(value)) {
      for (; step < value.length; step++) checkStrings(value[step], depth + 1);
      return;
    }
    for (const [key, member] of Object.entries(value)) {
      step = stepOf(key);
      soundText(key);
      checkStrings(member, depth + 1);
    }
  } catch (error) {
    throw within(error, step);
  }
}
