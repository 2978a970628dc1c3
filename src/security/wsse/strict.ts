// Elements of a security header, read so that nothing in them is passed over.

import { isNamed } from '../../wire/soap/wsse-names.ts';
import { attributeOf, childrenOf, textOf, type XmlElement } from '../../wire/xml/tree.ts';
import { Refused } from '../refused.ts';

/** The elements of one that holds elements and white space alone. @throws Refused */
export function elementsOf(element: XmlElement): readonly XmlElement[] {
  if (element.content.some((each) => typeof each === 'string' && /[^ \t\r\n]/.test(each)))
    throw new Refused(`there is text right inside ${element.local}`);
  return childrenOf(element);
}

/**
 * The elements of one in the order in which they must stand.
 * @param names of the element's own namespace; all of them must be there, and nothing else
 * @throws Refused
 */
export function sequenceOf(element: XmlElement, names: readonly string[]): readonly XmlElement[] {
  const found = elementsOf(element);
  const fits = found.length === names.length && found.every((each, n) => isNamed(each, names[n]!, element.namespace));
  if (!fits) throw new Refused(`${element.local} does not hold ${names.join(', ')} and nothing else`);
  return found;
}

/**
 * The elements of one by their names, in any order.
 * @param known names with their namespaces: at most one of each may be there, and nothing else
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
      throw new Refused(`${element.local} holds something that is not known here`);
    if (found[local] !== undefined) throw new Refused(`${element.local} holds more than one ${local}`);
    found[local] = child;
  }
  return found;
}

/** The text of an element that holds nothing else. @throws Refused for elements in it, and more than `limit` characters */
export function contentOf(element: XmlElement, limit: number): string {
  if (childrenOf(element).length > 0) throw new Refused(`${element.local} holds an element`);
  const text = textOf(element);
  if (text.length > limit) throw new Refused(`${element.local} has more than ${limit} characters`);
  return text;
}

/** The bytes that an element holds in base64; white space may stand anywhere in it. @throws Refused */
export function bytesOf(element: XmlElement, limit: number): Buffer {
  const text = contentOf(element, limit).replace(/[ \t\r\n]+/g, '');
  if (text === '' || text.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(text))
    throw new Refused(`${element.local} is no base64`);
  return Buffer.from(text, 'base64');
}

/** The attribute `Algorithm`. @throws Refused where there is none */
export function algorithmOf(element: XmlElement): string {
  const found = attributeOf(element, 'Algorithm');
  if (found === undefined) throw new Refused(`${element.local} has no Algorithm`);
  return found;
}
