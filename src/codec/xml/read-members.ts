import { contentField, type Document } from '../../model/document.ts';
import type { Field } from '../../model/field.ts';
import { elementsIn } from '../../model/particles.ts';
import type { Value } from '../../model/value.ts';
import { takesNamespace } from '../../model/wildcard.ts';
import { isWhite } from '../../wire/white-space.ts';
import { quote } from '../../wire/words.ts';
import { XSI } from '../../wire/xml/namespaces.ts';
import type { XmlAttribute, XmlElement } from '../../wire/xml/tree.ts';
import { addError, CodecError, refuse, stepOf, within } from '../error.ts';
import { checkDepth, compileEntryCount, type Foreign, setMember, unknownField } from '../value.ts';
import type { Resolve } from './binary-content.ts';
import { isCommon, isNil, onlyText } from './content.ts';

/**
 * What is read for a field: the text of an attribute, an element, all elements of a flat list, or the element of the document
 * itself if the field is its text. For a map of attributes: those that no other field takes. For documents without an element
 * of their own: the elements of one, or of each.
 */
export type Given = string | XmlElement | XmlElement[] | XmlAttribute[] | Sorted | Sorted[];

/** The field that takes an element or attribute of some name. */
interface Slot {
  /** The name of the field. */
  readonly name: string;
  /** The field's position in its document. */
  readonly index: number;
  readonly namespace: string;
  readonly flat: boolean;
  /** Another field with the same local name, in another namespace. */
  readonly next: Slot | undefined;
}

/** The content of an element, sorted by the fields of its document. */
export interface Sorted {
  /** By the field's position in its document. */
  readonly given: (Given | undefined)[];
  /** Attributes and elements that belong to no field. */
  attributes: XmlAttribute[] | undefined;
  elements: XmlElement[] | undefined;
  errors: CodecError | undefined;
}

/**
 * Sorts an element's attributes and content by their fields. These are errors: a second element for a single field, text
 * between elements, and the name of a field in another namespace than the field's.
 */
export type Sort = (element: XmlElement) => Sorted;

/** Stands for any namespace, or none. */
export const ANY = '*';

export function isIn(namespace: string, { namespace: found }: { readonly namespace: string }): boolean {
  return found === namespace || namespace === ANY;
}

/** Compiles the sorting of an element's attributes and content by the fields of a document. */
export function compileSort(document: Document, namespace: string, foreign: Foreign): Sort {
  if (contentField(document) !== undefined) return compileContentSort(document, namespace, foreign);
  const misplaced = foreign === 'refuse' ? checkedPlace : passedOver;
  const elementSlots = slotsOf(document, false, namespace);
  return compileElementSort(compileAttributeSort(document, namespace, foreign), (each, sorted) => {
    const slot = slotOf(elementSlots, each);
    if (slot !== undefined) put(sorted.given, slot, each);
    else {
      const other = misplaced(elementSlots, each);
      sorted.elements ??= [];
      sorted.elements.push(other);
    }
  });
}

/**
 * Compiles the sorting of an element's content; its attributes are sorted separately.
 * @param place sorts one element
 */
export function compileElementSort<S extends Sorted>(
  sortAttributes: (element: XmlElement) => S,
  place: (each: XmlElement, sorted: S) => void,
): (element: XmlElement) => S {
  return (element) => {
    const sorted = sortAttributes(element);
    const { content } = element;
    let text = false;
    for (let i = 0; i < content.length; ) {
      try {
        for (; i < content.length; i++) {
          const each = content[i]!;
          if (typeof each !== 'string') place(each, sorted);
          else if (!text && !isWhite(each)) {
            text = true;
            refuse('holds text outside of its elements');
          }
        }
      } catch (error) {
        i++;
        sorted.errors = addError(sorted.errors, error);
      }
    }
    return sorted;
  };
}

/** Compiles the sorting of an element's attributes alone. @param target namespace of the document */
export function compileAttributeSort(document: Document, target: string, foreign: Foreign): Sort {
  const misplaced = foreign === 'refuse' ? checkedPlace : passedOver;
  const slots = slotsOf(document, true, '');
  const isOthers = compileIsOthers(document, target, slots);
  const rest = document.fields.findIndex(({ attribute, any }) => attribute && any !== undefined);
  const any = document.fields[rest]?.any;
  const place = (attribute: XmlAttribute, sorted: Sorted): void => {
    const slot = slotOf(slots, attribute);
    if (slot !== undefined) sorted.given[slot.index] = attribute.value;
    else if (any !== undefined && attribute.namespace !== XSI && takesNamespace(any, attribute.namespace, target)) {
      const before = sorted.given[rest] as XmlAttribute[] | undefined;
      if (before === undefined) sorted.given[rest] = [attribute];
      else before.push(attribute);
    } else if (!isCommon(attribute) && !isOthers(attribute)) {
      const other = misplaced(slots, attribute);
      sorted.attributes ??= [];
      sorted.attributes.push(other);
    }
  };
  const { length } = document.fields;
  return ({ attributes }) => {
    const given = new Array<Given | undefined>(length);
    const sorted: Sorted = { given, attributes: undefined, elements: undefined, errors: undefined };
    for (let i = 0; i < attributes.length; ) {
      try {
        for (; i < attributes.length; i++) place(attributes[i]!, sorted);
      } catch (error) {
        i++;
        sorted.errors = addError(sorted.errors, error);
      }
    }
    return sorted;
  };
}

/**
 * Compiles the test whether an attribute is for other readers of the message (`wsu:Id`, `soapenv:encodingStyle`): the document
 * declares no attribute in its namespace and no attribute of its name in another one, and does not keep undeclared attributes.
 */
function compileIsOthers({ open }: Document, target: string, slots: Slots): (attribute: XmlAttribute) => boolean {
  if (open) return () => false;
  const own = new Set(['', target]);
  const qualified = new Set<string>();
  for (const [local, first] of slots) {
    for (let slot: Slot | undefined = first; slot !== undefined; slot = slot.next) {
      own.add(slot.namespace);
      if (slot.namespace !== '') qualified.add(local);
    }
  }
  return ({ local, namespace }) => !own.has(namespace) && !qualified.has(local);
}

/** Compiles the sorting for a document whose own element has the value of a field, besides attributes. */
function compileContentSort(document: Document, namespace: string, foreign: Foreign): Sort {
  const sortAttributes = compileAttributeSort(document, namespace, foreign);
  const index = document.fields.findIndex(({ content }) => content);
  return (element) => {
    const sorted = sortAttributes(element);
    sorted.given[index] = element;
    return sorted;
  };
}

type Slots = ReadonlyMap<string, Slot>;

function slotsOf(document: Document, attribute: boolean, otherwise: string): Slots {
  const slots = new Map<string, Slot>();
  for (const [index, field] of document.fields.entries()) {
    if (field.attribute !== attribute || field.any !== undefined) continue;
    const { name, xmlName, type, namespace = otherwise } = field;
    slots.set(xmlName, { name, index, namespace, flat: type.kind === 'list' && type.flat, next: slots.get(xmlName) });
  }
  return slots;
}

function slotOf(slots: Slots, { local, namespace }: XmlElement | XmlAttribute): Slot | undefined {
  let any: Slot | undefined;
  for (let slot = slots.get(local); slot !== undefined; slot = slot.next) {
    if (slot.namespace === namespace) return slot;
    if (slot.namespace === ANY) any = slot;
  }
  return any;
}

function put(given: (Given | undefined)[], { index, flat, name }: Slot, element: XmlElement): void {
  const before = given[index];
  if (before === undefined) given[index] = flat ? [element] : element;
  else if (flat) (before as XmlElement[]).push(element);
  else throw new CodecError(name, 'is given more than once');
}

const passedOver = <T>(_slots: Slots, found: T): T => found;

/** Returns an element or attribute that belongs to no field. Reports one that has only the wrong namespace. */
function checkedPlace<T extends XmlElement | XmlAttribute>(slots: Slots, found: T): T {
  const slot = slots.get(found.local);
  if (slot !== undefined) throw new CodecError(slot.name, wrongNamespace(found, slot.namespace));
  return found;
}

/** Maximum number of characters of a namespace in a message. The end is shown: namespaces differ there. */
const SHOWN = 200;

/** The message for an element or attribute in a wrong namespace. */
export function wrongNamespace({ namespace }: { readonly namespace: string }, expected: string): string {
  const wanted = quote(expected, SHOWN);
  if (namespace === '') return `has no namespace, and belongs to ${wanted}`;
  const given = quote(namespace, SHOWN);
  return expected === '' ? `is in namespace ${given}, and belongs to none` : `is in namespace ${given}, not ${wanted}`;
}

/** Adds elements and attributes that a document doesn't declare to its value, and errors to those of the sorting. */
type TakeUndeclared = (sorted: Sorted, target: Record<string, unknown>, depth: number) => void;

/** The values of each local name, in order. */
type Gathered = Map<string, Value[]>;

/**
 * Compiles the handling of elements and attributes that a document doesn't declare: they are refused or, if the document is
 * open, kept under their local names. An attribute is a text. An element is a text, or an object of the elements inside it;
 * null when it is nil; and a list when it is repeated. Attributes of such elements are ignored, because a text has no place for
 * them.
 */
export function compileUndeclaredXmlRead(document: Document): TakeUndeclared {
  const names = new Set(document.fields.map((field) => field.name));
  const elementNames = xmlNames(document, false);
  const attributeNames = xmlNames(document, true);
  // Under its local name it would be mistaken for a field whose name in XML is another one.
  const isKept = (local: string): boolean => document.open && !names.has(local) && local !== '__proto__';
  const takeAttribute = ({ local, value }: XmlAttribute, gathered: Gathered): void => {
    if (isKept(local)) gather(gathered, local, value);
    else if (elementNames.has(local)) throw new CodecError(local, 'is an element in XML, not an attribute');
    else throw unknownField(document, local, attributeNames);
  };
  const takeElement = (element: XmlElement, gathered: Gathered, depth: number): void => {
    const { local } = element;
    if (isKept(local)) gather(gathered, local, undeclared(element, depth + 1));
    else if (attributeNames.has(local)) throw new CodecError(local, 'is an attribute in XML, not an element');
    else throw unknownField(document, local, elementNames);
  };
  return (sorted, target, depth) => {
    const gathered: Gathered = new Map();
    const attempt = (take: () => void): void => {
      try {
        take();
      } catch (error) {
        sorted.errors = addError(sorted.errors, error);
      }
    };
    for (const attribute of sorted.attributes ?? []) attempt(() => takeAttribute(attribute, gathered));
    for (const element of sorted.elements ?? []) attempt(() => takeElement(element, gathered, depth));
    release(gathered, target);
  };
}

function xmlNames(document: Document, attribute: boolean): ReadonlySet<string> {
  const fields = attribute
    ? document.fields.filter((field) => field.attribute)
    : elementsIn(document).map(({ field }) => field);
  return new Set(fields.map((field) => field.xmlName));
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

/** Compiles the reading of a list. Errors of all entries are reported together. */
export function compileEntryReader<T>(
  field: Field,
  read: (entry: T, depth: number, resolve: Resolve | undefined) => Value,
): (given: readonly T[], depth: number, resolve: Resolve | undefined) => Value {
  const checkCount = compileEntryCount(field);
  return (given, depth, resolve) => {
    checkDepth(depth);
    checkCount(given.length);
    const entries = new Array<Value>(given.length);
    let errors: CodecError | undefined;
    let i = 0;
    while (i < given.length) {
      try {
        for (; i < given.length; i++) entries[i] = read(given[i]!, depth + 1, resolve);
      } catch (error) {
        errors = addError(errors, within(error, i++));
      }
    }
    if (errors !== undefined) throw errors;
    return entries;
  };
}
