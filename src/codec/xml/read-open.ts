import type { Document } from '../../model/document.ts';
import type { Value } from '../../model/value.ts';
import type { XmlAttribute, XmlElement } from '../../wire/xml/tree.ts';
import { checkDepth } from '../depth.ts';
import { CodecError, refuse, stepOf, within } from '../error.ts';
import { setMember, unknownField } from '../names.ts';
import { isNil } from './attributes.ts';
import { isWhite, onlyText } from './content.ts';

/** Takes elements and attributes that a document doesn't declare into its value. */
type TakeUndeclared = (
  elements: readonly XmlElement[],
  attributes: readonly XmlAttribute[],
  target: Record<string, unknown>,
  depth: number,
) => void;

/** Values by local name, one for each time that it is given. */
type Gathered = Map<string, Value[]>;

/**
 * Compiles what becomes of elements and attributes that a document doesn't declare: refused, or, where it is open, kept
 * under their local names. An attribute is a text; an element is a text, or an object of the elements inside it; null where
 * it is nil; and a list where it is repeated. Attributes inside such elements are passed over: a text has no place for them.
 */
export function compileUndeclaredXmlRead(document: Document): TakeUndeclared {
  const names = new Set(document.fields.map((field) => field.name));
  const elementNames = xmlNames(document, false);
  const attributeNames = xmlNames(document, true);
  // A field's own name, where XML has another for it, would pass for the field.
  const isKept = (local: string): boolean => document.open && !names.has(local) && local !== '__proto__';
  return (elements, attributes, target, depth) => {
    const gathered: Gathered = new Map();
    for (const { local, value } of attributes) {
      if (isKept(local)) gather(gathered, local, value);
      else if (elementNames.has(local)) throw new CodecError(local, 'is an element in XML, not an attribute');
      else throw unknownField(document, local, attributeNames);
    }
    for (const element of elements) {
      const { local } = element;
      if (isKept(local)) gather(gathered, local, undeclared(element, depth + 1));
      else if (attributeNames.has(local)) throw new CodecError(local, 'is an attribute in XML, not an element');
      else throw unknownField(document, local, elementNames);
    }
    release(gathered, target);
  };
}

function xmlNames(document: Document, attribute: boolean): ReadonlySet<string> {
  return new Set(document.fields.filter((field) => field.attribute === attribute).map((field) => field.xmlName));
}

function undeclared(element: XmlElement, depth: number): Value {
  try {
    checkDepth(depth);
    if (isNil(element)) return null;
    return element.content.some((each) => typeof each !== 'string') ? members(element, depth) : onlyText(element);
  } catch (error) {
    throw within(error, stepOf(element.local));
  }
}

function members({ content }: XmlElement, depth: number): Value {
  const gathered: Gathered = new Map();
  for (const each of content) {
    if (typeof each !== 'string') {
      if (each.local === '__proto__') refuse('holds an element "__proto__", which is not accepted');
      gather(gathered, each.local, undeclared(each, depth + 1));
    } else if (!isWhite(each)) refuse('holds text outside of its elements');
  }
  return release(gathered, {});
}

function gather(gathered: Gathered, name: string, value: Value): void {
  const before = gathered.get(name);
  if (before === undefined) gathered.set(name, [value]);
  else before.push(value);
}

function release(gathered: Gathered, target: Record<string, unknown>): Value {
  for (const [name, values] of gathered) setMember(target, name, values.length === 1 ? values[0] : values);
  return target as Value;
}
