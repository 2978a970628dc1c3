import { escapeAttribute } from '../../wire/xml/text.ts';

/** Text as HTML, between tags and in attributes. */
export const escapeHtml = escapeAttribute;

/** An address or another piece of code. */
export function code(text: string): string {
  return `<code>${breakable(escapeHtml(text))}</code>`;
}

/** A line for a shell, whose options stay in one piece. */
export function commandLine(text: string): string {
  return breakable(escapeHtml(text)).replace(/(?<= )--?[a-zA-Z-]+(?= )/g, '<span>$&</span>');
}

/** Escaped text that a narrow screen breaks between the parts of an address, and between tags; what is copied from it has no breaks. */
export function breakable(escaped: string): string {
  return escaped
    .replace(/&amp;|[?,]|(?<![:/]|&lt;)\/(?!\/)|&gt;(?=&lt;)/g, '$&<wbr>')
    .replace(/[A-Za-z]{24,}/g, (word) => word.replace(/(?<=[a-z])(?=[A-Z])/g, '<wbr>'));
}

const disjunction = new Intl.ListFormat('en', { type: 'disjunction' });

/** `A, B, or C`. */
export function either(words: readonly string[]): string {
  return disjunction.format(words);
}

/** `1 service`, `2 services`. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
