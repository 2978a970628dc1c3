// The sorting of elements if documents have no element of their own (`inline`), if a field takes elements of any name (`any`),
// or if two fields have the same name: then the order of the elements decides.
import { type Document, namespaceOf } from '../../model/document.ts';
import { type Field, singleType } from '../../model/field.ts';
import { mayBeWithoutElements } from '../../model/particles.ts';
import { takesNamespace } from '../../model/wildcard.ts';
import type { XmlElement } from '../../wire/xml/tree.ts';
import { CodecError } from '../error.ts';
import type { Foreign } from '../value.ts';
import {
  compileAttributeSort,
  compileElementSort,
  type Given,
  isIn,
  type Sort,
  type Sorted,
  wrongNamespace,
} from './read-members.ts';

/** How strictly the order of declaration applies to an element. */
type Order =
  /** The element comes after those found before, and no required element between them is missing. */
  | 'kept'
  /** The element comes after those found before. */
  | 'behind'
  /** The element may be anywhere, but the order still separates the entries of a list. */
  | 'free';

/** One way of finding the field of an element. */
interface Attempt {
  readonly order: Order;
  /** Among the fields of its name, or those that take any name. */
  readonly among: 'named' | 'any' | 'all';
}

/**
 * Tried in this order, so that a valid document is read as its schema defines, and any other as completely as possible. An
 * element that is out of order belongs first to a field of its name.
 */
const ATTEMPTS: readonly Attempt[] = [
  { order: 'kept', among: 'all' },
  { order: 'behind', among: 'named' },
  { order: 'free', among: 'named' },
  { order: 'behind', among: 'any' },
  { order: 'free', among: 'any' },
];

/** A document as a group of fields that its elements belong to. */
export interface Group {
  readonly isChoice: boolean;
  /** Aligned with the fields; `undefined` for attributes. */
  readonly places: readonly (Place | undefined)[];
  /** By local name: the fields that take such an element, in the order of declaration. */
  readonly named: ReadonlyMap<string, readonly Named[]>;
  /** The fields that take elements of any name, in the order of declaration. */
  readonly wild: readonly Wild[];
}

interface Place {
  /** Whether it may have several elements, or several groups. */
  readonly many: boolean;
  /** Maximum number of elements if their order is kept; further ones belong to a later field. */
  readonly maximum: number;
  /** The fields of an inline document; `undefined` for an element. */
  readonly group: Group | undefined;
  /** Whether a valid document must have an element of it. */
  readonly needed: boolean;
}

interface Named {
  readonly index: number;
  readonly name: string;
  readonly namespace: string;
}

interface Wild {
  readonly index: number;
  readonly name: string;
  takes(namespace: string): boolean;
}

/** The elements of one group, sorted. */
export interface SortedGroup extends Sorted {
  /** Index of the last field for which an element was found, -1 before the first. In a choice, the chosen branch. */
  at: number;
}

export function emptyGroup({ places }: Group): SortedGroup {
  const given = new Array<Given | undefined>(places.length);
  return { given, attributes: undefined, elements: undefined, errors: undefined, at: -1 };
}

/**
 * Compiles the fields of a document, with those of the documents that are inline in it.
 * @param namespace of the document
 * @param service namespace of documents that name none
 */
export function compileGroup(document: Document, namespace: string, service: string): Group {
  const named = new Map<string, Named[]>();
  const add = (local: string, each: Named): void => {
    const known = named.get(local) ?? [];
    named.set(local, known);
    if (!known.some((other) => other.index === each.index && other.namespace === each.namespace)) known.push(each);
  };
  const wild: Wild[] = [];
  const places = document.fields.map((field, index): Place | undefined => {
    if (field.attribute) return undefined;
    const { name, type, xmlName, any } = field;
    const group = inlineGroup(field, namespace, service);
    // A field of a base document is in the namespace of that document.
    const target = field.namespace || namespace;
    if (any !== undefined) wild.push({ index, name, takes: (found) => takesNamespace(any, found, target) });
    else if (group === undefined) add(xmlName, { index, name, namespace: field.namespace ?? namespace });
    for (const [local, inner] of group?.named ?? [])
      for (const each of inner) add(local, { index, name, namespace: each.namespace });
    for (const { takes } of group?.wild ?? []) wild.push({ index, name, takes });
    const many = type.kind === 'list' && type.flat;
    const { maximum = Number.POSITIVE_INFINITY } = field;
    return { many, maximum, group, needed: !mayBeWithoutElements(field) };
  });
  return { isChoice: document.choice !== undefined, places, named, wild };
}

function inlineGroup(field: Field, around: string, service: string): Group | undefined {
  const type = singleType(field.type);
  if (!field.inline || type.kind !== 'document') return undefined;
  return compileGroup(type.document, namespaceOf(type.document, around, service), service);
}

/** Compiles the sorting of an element's attributes and content to the fields of a document, and of those inline in it. */
export function compileGroupSort(document: Document, namespace: string, service: string, foreign: Foreign): Sort {
  const group = compileGroup(document, namespace, service);
  const sortAttributes = compileAttributeSort(document, namespace, foreign);
  const sort = (element: XmlElement): SortedGroup => Object.assign(sortAttributes(element), { at: -1 });
  return compileElementSort(sort, (each, sorted) => {
    if (placeElement(group, sorted, each)) return;
    const taking = fieldsFor(group, each)[0] ?? group.wild.find(({ takes }) => takes(each.namespace));
    if (taking !== undefined) throw new CodecError(taking.name, 'is given more than once');
    const other = group.named.get(each.local)?.[0];
    if (other !== undefined && foreign === 'refuse')
      throw new CodecError(other.name, wrongNamespace(each, other.namespace));
    sorted.elements ??= [];
    sorted.elements.push(each);
  });
}

/** The fields that take an element by its name, in the order of declaration. */
function fieldsFor({ named }: Group, element: XmlElement): readonly Named[] {
  const found = named.get(element.local);
  if (found === undefined) return NONE;
  return found.every(({ namespace }) => isIn(namespace, element))
    ? found
    : found.filter(({ namespace }) => isIn(namespace, element));
}

const NONE: readonly Named[] = [];

/**
 * Finds the field of an element.
 * @returns false if every field that takes it is full
 */
function placeElement(group: Group, sorted: SortedGroup, element: XmlElement): boolean {
  return ATTEMPTS.some((attempt) => placeIn(group, sorted, element, attempt));
}

function placeIn(group: Group, sorted: SortedGroup, element: XmlElement, attempt: Attempt): boolean {
  for (const index of candidates(group, sorted, element, attempt)) {
    if (!isInOrder(group, sorted, index, attempt.order) || !put(group, sorted, index, element, attempt)) continue;
    sorted.at = group.isChoice ? index : Math.max(sorted.at, index);
    return true;
  }
  return false;
}

/** The fields to try, in the order of declaration. */
function candidates(group: Group, { given }: SortedGroup, element: XmlElement, { among }: Attempt): readonly number[] {
  const named = among === 'any' ? [] : fieldsFor(group, element).map(({ index }) => index);
  if (group.wild.length === 0 || among === 'named') return named;
  // Out of order, the first field of that name that still has room is meant.
  const isTaken = (index: number): boolean =>
    named.some((each) => each < index && (group.places[each]?.many || given[each] === undefined));
  const wild = group.wild.filter(({ index, takes }) => takes(element.namespace) && !isTaken(index));
  return [...new Set([...named, ...wild.map(({ index }) => index)])].sort((a, b) => a - b);
}

function isInOrder({ isChoice, places }: Group, { at, given }: SortedGroup, index: number, order: Order): boolean {
  if (order === 'free') return true;
  if (isChoice) return at === -1 || at === index;
  if (index < at) return false;
  if (order === 'kept')
    for (let i = Math.max(at, 0); i < index; i++) if (places[i]?.needed && given[i] === undefined) return false;
  return true;
}

function put(group: Group, { given }: SortedGroup, index: number, element: XmlElement, attempt: Attempt): boolean {
  const { many, maximum, group: inner } = group.places[index] as Place;
  const before = given[index];
  if (inner !== undefined) {
    if (many) return putEntry(inner, given, index, element, attempt);
    const sorted = (before as SortedGroup | undefined) ?? emptyGroup(inner);
    if (!placeIn(inner, sorted, element, attempt)) return false;
    given[index] = sorted;
    return true;
  }
  if (before === undefined) given[index] = many ? [element] : element;
  else if (!many || (attempt.order === 'kept' && (before as XmlElement[]).length >= maximum)) return false;
  else (before as XmlElement[]).push(element);
  return true;
}

/**
 * An element belongs to the last entry as long as it comes after that entry's other elements; otherwise it begins the next
 * entry.
 */
function putEntry(
  group: Group,
  given: (Given | undefined)[],
  index: number,
  element: XmlElement,
  { order, among }: Attempt,
): boolean {
  const entries = (given[index] as SortedGroup[] | undefined) ?? [];
  const within: Attempt = { order: order === 'free' ? 'behind' : order, among };
  const last = entries.at(-1);
  if (last !== undefined && placeIn(group, last, element, within)) return true;
  const next = emptyGroup(group);
  if (!placeIn(group, next, element, within)) return false;
  entries.push(next);
  given[index] = entries;
  return true;
}
