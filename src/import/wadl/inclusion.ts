import type { XmlElement } from '../../wire/xml/tree.ts';
import { attribute } from '../xml.ts';

/** XInclude 1.0 (second edition). */
const XINCLUDE = 'http://www.w3.org/2001/XInclude';

/** What an `xi:include` refers to: a file, empty for its own, and the id of an element in it, empty for its root. */
export interface Inclusion {
  readonly href: string;
  readonly id: string;
}

/** The inclusion that an element is; `undefined` if it is none. */
export function inclusionIn(element: XmlElement): Inclusion | undefined {
  if (element.namespace !== XINCLUDE || element.local !== 'include') return undefined;
  return { href: attribute(element, 'href') ?? '', id: attribute(element, 'xpointer') ?? '' };
}
