// White space of XML 1.0 (fifth edition), section 2.3, and its handling in XML Schema 1.1 Part 2, section 4.3.6.
import { escapeText } from '../../wire/xml/text.ts';
import type { XmlElement } from '../../wire/xml/tree.ts';
import { writeXml } from '../../wire/xml/write.ts';
import { quote, refuse } from '../error.ts';

/** Whether a text is white space and nothing else. */
export function isWhite(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (!isSpace(text.charCodeAt(i))) return false;
  return true;
}

/** A text without the white space around it. */
export function trimmed(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isSpace(text.charCodeAt(start))) start++;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--;
  return end - start === text.length ? text : text.slice(start, end);
}

function isSpace(unit: number): boolean {
  return unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09;
}

/** What an element of XML holds: that as a text of its own where there are elements, else the text as it is, escaped markup. */
export function markupOrText(element: XmlElement): string {
  if (element.content.every((each) => typeof each === 'string')) return onlyText(element);
  return element.content.map((each) => (typeof each === 'string' ? escapeText(each) : writeXml(each))).join('');
}

/** The text of an element that holds nothing else. */
export function onlyText({ content }: XmlElement): string {
  if (content.length === 0) return '';
  const first = content[0]!;
  if (content.length === 1 && typeof first === 'string') return first;
  for (const each of content) {
    if (typeof each !== 'string') refuse(`holds an element ${quote(each.local)}, and is a single value`);
  }
  return content.join('');
}
