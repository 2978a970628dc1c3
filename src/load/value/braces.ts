/** What is said in braces: a reference to configuration, or a value of the call. */
export const BRACES = /\$\{[^}]*\}|\{([^{}]*)\}/g;

/** What can only be meant as the name of a value; other braces are text, as those of JSON are. */
export const NAME = /^[\p{L}_][\p{L}\p{N}_.-]*$/u;

/** Whether a text names values of a call. */
export function namesValues(source: string): boolean {
  return [...source.matchAll(BRACES)].some(([, inner]) => inner !== undefined && NAME.test(inner));
}

/**
 * Whether a default is made in the call: of values, or of configuration. `{fault.message}` belongs to fault documents, which a
 * request may share.
 */
export function isMade(text: string): boolean {
  const own = text.replace(/\{fault\.\w+\}/g, '');
  return own.includes('${') || namesValues(own);
}
