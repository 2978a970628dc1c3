// Markup as a value: text that is written into a document as XML, not escaped.
import type { Field, ScalarType } from '../../model/field.ts';
import { traitsOf } from '../../model/scalar.ts';
import { readXml, XmlError } from '../../wire/xml/read.ts';
import { escapeText } from '../../wire/xml/text.ts';
import { writeXml, type XmlElement } from '../../wire/xml/tree.ts';
import { refuse } from '../error.ts';

/** Whether values of a field are markup. Any other field of the type `xml` is written as escaped text. */
export function isMarkup({ content }: Field, type: ScalarType): boolean {
  return content === true && traitsOf(type).xml.markup;
}

/** The markup inside an element: its text, escaped, and its elements with the namespaces that they need. */
export function markupIn({ content }: XmlElement): string {
  return content.map((each) => (typeof each === 'string' ? escapeText(each) : writeXml(each))).join('');
}

/** Refuses a value that is not markup. @throws CodecError without a path */
export function checkMarkup(text: string): void {
  parse(text);
}

/**
 * Markup as it is written into a document. Comments and processing instructions are dropped, as they are by readers.
 * @param scope the default namespace where it is put
 * @throws CodecError without a path
 */
export function writeMarkup(text: string, scope: string): string {
  return parse(text)
    .content.map((each) => (typeof each === 'string' ? escapeText(each) : writeXml(each, scope)))
    .join('');
}

function parse(text: string): XmlElement {
  try {
    return readXml(`<x>${text}</x>`);
  } catch (error) {
    if (error instanceof XmlError) return refuse(`is not XML markup: ${error.reason}`);
    throw error;
  }
}
