// Values that are markup: their text is written into a document as XML, without escaping.
import type { Field, ScalarType } from '../../model/field.ts';
import { traitsOf } from '../../model/scalar.ts';
import type { Value } from '../../model/value.ts';
import { ANY_NAMESPACE, takesNamespace } from '../../model/wildcard.ts';
import { quote } from '../../wire/words.ts';
import { readXml, XmlError } from '../../wire/xml/read-xml.ts';
import { escapeText } from '../../wire/xml/text.ts';
import type { XmlElement } from '../../wire/xml/tree.ts';
import { writeXml } from '../../wire/xml/write-xml.ts';
import { refuse } from '../error.ts';

/** Whether values of a field are the markup inside an element. */
export function isMarkup({ content }: Field, type: ScalarType): boolean {
  return content === true && traitsOf(type).xml.markup;
}

/** Whether values of a field are elements of any name. Any other field of the type `xml` is written as escaped text. */
function isAnyElement({ any }: Field, type: ScalarType): boolean {
  return any !== undefined && traitsOf(type).xml.markup;
}

/** The markup inside an element: its text, escaped, and its elements with the namespaces that they need. */
export function markupIn({ content }: XmlElement): string {
  return content.map((each) => (typeof each === 'string' ? escapeText(each) : writeXml(each))).join('');
}

/**
 * Compiles the check of values that are markup. Its errors have no path. It does not know the namespace of the document, to
 * which `##other` and `##targetNamespace` refer.
 * @returns `undefined` for fields with other values
 */
export function compileMarkupCheck(field: Field, type: ScalarType): ((value: Value) => Value) | undefined {
  const check = isMarkup(field, type) ? parse : isAnyElement(field, type) ? elementReader(field, undefined) : undefined;
  return (
    check &&
    ((value) => {
      check(value as string);
      return value;
    })
  );
}

/**
 * Compiles the writing of a value that is an element of any name.
 * @param target namespace of the document
 * @param scope the default namespace where it is put
 */
export function compileAnyElement(field: Field, target: string, scope: string): (text: string) => string {
  const read = elementReader(field, target);
  return (text) => writeXml(read(text), scope);
}

function elementReader({ any = ANY_NAMESPACE }: Field, target: string | undefined): (text: string) => XmlElement {
  const dependsOnTarget = target === undefined && any.includes('##targetNamespace');
  return (text) => {
    const element = parseElement(text);
    const { namespace } = element;
    if (!dependsOnTarget && !takesNamespace(any, namespace, target ?? '')) {
      const found = namespace === '' ? 'has no namespace' : `is in namespace ${quote(namespace)}`;
      refuse(`${found}, and takes elements of ${any}`);
    }
    return element;
  };
}

function parseElement(text: string): XmlElement {
  try {
    return readXml(text);
  } catch (error) {
    if (error instanceof XmlError) return refuse(`is not an XML element: ${error.reason}`);
    throw error;
  }
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
