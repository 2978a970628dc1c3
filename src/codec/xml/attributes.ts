import { XML_NAMESPACE } from '../../wire/xml/namespaces.ts';
import type { XmlAttribute, XmlElement } from '../../wire/xml/tree.ts';
import { quote, refuse } from '../error.ts';
import { isWhite, trimmed } from './content.ts';

/** XML Schema 1.1 Part 1, section 2.7: `nil`, `type`, `schemaLocation`, `noNamespaceSchemaLocation`. */
const XSI = 'http://www.w3.org/2001/XMLSchema-instance';
/**
 * Whether an attribute may stand at any element, and says nothing of a document's fields. Of XML itself these are `space`
 * and `lang` (XML 1.0, sections 2.10 and 2.12), `base` and `id`.
 */
export function isCommon({ namespace }: XmlAttribute): boolean {
  return namespace === XSI || namespace === XML_NAMESPACE;
}

/** Refuses attributes at an element whose field has none. */
export function refuseAttributes({ attributes }: XmlElement): void {
  for (const each of attributes)
    if (!isCommon(each)) refuse(`has an attribute ${quote(each.local)}, which it can't have`);
}

/** Whether an element says by `xsi:nil` that there is no value. One that says so and has a value is refused. */
export function isNil(element: XmlElement): boolean {
  let nil = false;
  for (const { local, namespace, value } of element.attributes) {
    if (local === 'nil' && namespace === XSI) nil = truth(trimmed(value));
  }
  if (!nil) return false;
  if (!element.content.every((each) => typeof each === 'string' && isWhite(each)))
    refuse('is nil, and holds something');
  refuseAttributes(element);
  return true;
}

function truth(given: string): boolean {
  if (given === 'true' || given === '1') return true;
  return given === 'false' || given === '0' ? false : refuse('has an xsi:nil that is not true or false');
}
