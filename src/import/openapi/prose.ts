import type { Node } from './tree.ts';

/**
 * The first text that says something, as one paragraph per blank line: of a title and a description, the title only if it is
 * alone.
 */
export function prose(title: Node | undefined, description: Node | undefined): string | undefined {
  const text = description?.text?.trim() || title?.text?.trim();
  if (text === undefined || text === '') return undefined;
  return text
    .replace(/\r\n?/g, '\n')
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n');
}

/** Texts as paragraphs, with a note on what is deprecated. */
export function withDeprecation(
  texts: readonly (string | undefined)[],
  deprecated: Node | undefined,
): string | undefined {
  const all = [...texts, deprecated?.flag ? 'Deprecated.' : undefined].filter((each) => each !== undefined);
  return all.length === 0 ? undefined : all.join('\n\n');
}
