import { compilePattern } from '../../wire/pattern.ts';
import { PatternError } from '../../wire/pattern-syntax.ts';
import { inEcmaDialect } from './pattern-dialects.ts';

/** A pattern of JSON Schema as one that the whole value must match, or why it can't be one. */
export type Translated = { readonly pattern: string } | { readonly reason: string };

/**
 * Translates a pattern of JSON Schema (ECMA-262), which a part of a value must match. `^[A-Z]+$` becomes `[A-Z]+`, and
 * `[A-Z]+` becomes `[\s\S]*(?:[A-Z]+)[\s\S]*`.
 */
export function translatePattern(source: string): Translated {
  const found = known.get(source) ?? translated(source);
  known.set(source, found);
  return found;
}

/** Compiling takes long, and many properties share a pattern. */
const known = new Map<string, Translated>();

function translated(source: string): Translated {
  try {
    const text = withoutNeedlessEscapes(inEcmaDialect(source));
    compilePattern(text);
    const pattern = anchored(text);
    compilePattern(pattern);
    return { pattern };
  } catch (error) {
    if (error instanceof PatternError) return { reason: error.message };
    throw error;
  }
}

const ANY = '[\\s\\S]*';

function anchored(text: string): string {
  if (hasChoice(text)) return `${ANY}(?:${text})${ANY}`;
  const isStart = text.startsWith('^');
  const isEnd = /(?:^|[^\\])(?:\\\\)*\$$/.test(text);
  const inner = text.slice(isStart ? 1 : 0, isEnd ? -1 : undefined);
  if (inner === '') return isStart && isEnd ? '(?:)' : ANY;
  return `${isStart ? '' : ANY}${inner}${isEnd ? '' : ANY}`;
}

/** Whether a pattern has alternatives that no group encloses. */
function hasChoice(text: string): boolean {
  let depth = 0;
  let isClass = false;
  for (let at = 0; at < text.length; at++) {
    const c = text[at];
    if (c === '\\') at++;
    else if (isClass) isClass = c !== ']';
    else if (c === '[') isClass = true;
    else if (c === '(') depth++;
    else if (c === ')') depth--;
    else if (c === '|' && depth === 0) return true;
  }
  return false;
}

/** Without escapes of characters that need none (`\-`, `\@`), which patterns with the flag `u` can't have. */
function withoutNeedlessEscapes(text: string): string {
  if (isUnicode(text)) return text;
  let isClass = false;
  return text.replace(/\\?[\s\S]/gu, (part) => {
    if (part === '[' && !isClass) isClass = true;
    else if (part === ']') isClass = false;
    const isNeedless = /^\\[^\w^$\\.*+?()[\]{}|/]$/.test(part) && !(isClass && part === '\\-');
    return isNeedless ? part.slice(1) : part;
  });
}

function isUnicode(text: string): boolean {
  try {
    new RegExp(text, 'u');
    return true;
  } catch {
    return false;
  }
}
