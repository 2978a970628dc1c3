import { Refused } from '../model/security.ts';
import { isNamed } from '../wire/soap/wsse-names.ts';
import { attributeOf, childrenOf, textOf, type XmlElement } from '../wire/xml/tree.ts';

// Strict readers of elements in a security header: nothing in them is ignored.

/** The child elements of an element without text of its own. @throws Refused */
export function elementsOf(element: XmlElement): readonly XmlElement[] {
  if (element.content.some((each) => typeof each === 'string' && /[^ \t\r\n]/.test(each)))
    throw new Refused(`${element.local} contains text`);
  return childrenOf(element);
}

/**
 * The child elements of an element with a fixed sequence.
 * @param names in the element's own namespace; all of them are required, and nothing else is allowed
 * @throws Refused
 */
export function sequenceOf(element: XmlElement, names: readonly string[]): readonly XmlElement[] {
  const found = elementsOf(element);
  const fits = found.length === names.length && found.every((each, n) => isNamed(each, names[n]!, element.namespace));
  if (!fits) throw new Refused(`${element.local} does not contain exactly ${names.join(', ')}`);
  return found;
}

/**
 * The child elements of an element by their names, in any order.
 * @param known names with their namespaces: at most one of each is allowed, and nothing else
 * @throws Refused
 */
export function onesOf<N extends string>(
  element: XmlElement,
  known: Readonly<Record<N, string>>,
): Partial<Record<N, XmlElement>> {
  const found: Partial<Record<string, XmlElement>> = {};
  for (const child of elementsOf(element)) {
    const { local } = child;
    if (!Object.hasOwn(known, local) || child.namespace !== known[local as N])
      throw new Refused(`${element.local} contains an unknown element`);
    if (found[local] !== undefined) throw new Refused(`${element.local} contains more than one ${local}`);
    found[local] = child;
  }
  return found;
}

/** The text of an element without child elements. @throws Refused for elements in it, and more than `limit` characters */
export function contentOf(element: XmlElement, limit: number): string {
  if (childrenOf(element).length > 0) throw new Refused(`${element.local} contains an element`);
  const text = textOf(element);
  if (text.length > limit) throw new Refused(`${element.local} has more than ${limit} characters`);
  return text;
}

/** The bytes that an element contains in base64, with white space anywhere. @throws Refused */
export function bytesOf(element: XmlElement, limit: number): Buffer {
  const text = contentOf(element, limit).replace(/[ \t\r\n]+/g, '');
  if (text === '' || text.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(text))
    throw new Refused(`${element.local} is not base64`);
  return Buffer.from(text, 'base64');
}

/** The attribute `Algorithm`. @throws Refused when it is missing */
export function algorithmOf(element: XmlElement): string {
  const found = attributeOf(element, 'Algorithm');
  if (found === undefined) throw new Refused(`${element.local} has no Algorithm`);
  return found;
}
