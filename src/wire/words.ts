/** `1 entry`, `2 entries`. */
export function counted(n: number, noun: string, plural = `${noun}s`): string {
  return `${n} ${n === 1 ? noun : plural}`;
}

/** `a`, `a or b`, `a, b or c`. */
export function anyOf(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

/**
 * A caller's text for a message: quoted as JSON does, with invisible characters escaped, and shortened to `most`
 * characters.
 */
export function quote(text: string, most = 80): string {
  // Cut before it is split: the text may be a megabyte long.
  const points = Array.from(text.slice(0, 2 * most + 2));
  const shown = points.length > most ? `${points.slice(0, most).join('')}...` : text;
  return showInvisible(JSON.stringify(shown));
}

/** Writes invisible characters as escapes (`\u202e`), except those in `kept`. */
export function showInvisible(text: string, kept = ''): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (c) =>
    kept.includes(c) ? c : `\\u${c.codePointAt(0)!.toString(16).padStart(4, '0')}`,
  );
}
