import type { Field } from '../../model/field.ts';
import { readXml } from '../../wire/xml/read.ts';
import { attributeOf, childrenOf, type XmlElement } from '../../wire/xml/tree.ts';
import { isCommon } from './attributes.ts';
import { isWhite } from './content.ts';
import { isIn } from './read-sort.ts';
import { blankXml } from './write-blank.ts';

/**
 * Compiles the test whether an element is what is written where a compound or a list with `absent: blank` is not given.
 * @param namespace of the document that declares the field
 * @param service namespace of the service
 * @returns undefined where nothing is written then; and where a required field's blank is an empty element, which is then
 *   taken for an object or a list without anything in it
 */
export function compileIsBlankXml(
  field: Field,
  namespace: string,
  service: string,
): ((element: XmlElement) => boolean) | undefined {
  const written = blankXml(field, 0, { namespace, scope: '', service });
  if (written === undefined) return undefined;
  const blank = readXml(written);
  if (field.required && isEmpty(blank)) return undefined;
  return (element) => isSame(element, blank);
}

function isEmpty({ attributes, content }: XmlElement): boolean {
  return attributes.length === 0 && content.length === 0;
}

/** Whether an element holds the same elements and empty attributes as a blank, in whatever order. */
function isSame(element: XmlElement, blank: XmlElement): boolean {
  if (element.local !== blank.local || !isIn(blank.namespace, element)) return false;
  const attributes = element.attributes.filter((each) => !isCommon(each));
  if (attributes.length !== blank.attributes.length) return false;
  if (!blank.attributes.every((each) => attributeOf(element, each.local, each.namespace) === '')) return false;
  const expected = childrenOf(blank);
  if (expected.length === 0) return element.content.length === 0;
  if (element.content.some((each) => typeof each === 'string' && !isWhite(each))) return false;
  const children = childrenOf(element);
  return children.length === expected.length && expected.every((each) => children.some((child) => isSame(child, each)));
}
