import { html as escaping, raw } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';

/** Markup whose values are escaped. */
export type Html = HtmlEscapedString;

/** A value in markup. `false`, `null` and `undefined` are left out; the items of a list are written one after the other. */
export type Part = Html | string | number | bigint | false | null | undefined | readonly Part[];

/**
 * A template of markup. Every value that is not markup itself is text: it is escaped, and its control and direction characters
 * are made visible, so that a name from a definition, a payload or a caller can neither add elements nor rearrange the text
 * around it. Attributes must be in double quotes.
 */
export function html(template: TemplateStringsArray, ...parts: readonly Part[]): Html {
  // It is a promise only when a part is one.
  return escaping(template, ...parts.map(shown)) as Html;
}

function shown(part: Part): unknown {
  if (typeof part === 'string') return visible(part);
  if (Array.isArray(part)) return part.map(shown);
  return part === false ? '' : typeof part === 'bigint' ? String(part) : part;
}

/** A text as the value of a form field that is sent back: escaped, and otherwise unchanged. */
export function exact(text: string): Html {
  return escaping`${text}` as Html;
}

/** Markup that is written in the source code, never a value. */
export const markup = (text: string): Html => raw(text) as Html;

export const NOTHING: Html = markup('');

/** Replaces characters that control a terminal or the direction of a text; line ends and tabs stay. */
function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu, (character) => {
    const code = character.codePointAt(0) as number;
    if (character === '\n' || character === '\t') return character;
    // The pictures of control characters begin at U+2400.
    if (code < 0x20) return String.fromCodePoint(0x2400 + code);
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
  });
}
