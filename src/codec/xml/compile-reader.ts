import { type Document, itemName, namespaceOf, type Patch } from '../../model/document.ts';
import {
  entryField,
  type Field,
  isCollection,
  type ListType,
  MAP_ENTRY,
  type MapType,
  type ScalarType,
} from '../../model/field.ts';
import { inlineDocument, orderDecides } from '../../model/particles.ts';
import { holdsNull, primitiveOf } from '../../model/scalar.ts';
import type { DocumentValue, Value } from '../../model/value.ts';
import { isWhite } from '../../wire/white-space.ts';
import { quote } from '../../wire/words.ts';
import { attributeOf, type XmlAttribute, type XmlElement } from '../../wire/xml/tree.ts';
import { writeXml } from '../../wire/xml/write-xml.ts';
import { addError, type CodecError, isAbout, refuse, stepOf, within } from '../error.ts';
import { isKinded } from '../kind.ts';
import { initialValue } from '../scalar.ts';
import { compileSpaced } from '../spaced.ts';
import { checkChosen, checkDepth, compileEntryCount, countIgnored, type Foreign, named, setMember } from '../value.ts';
import { attributesReader } from './attributes.ts';
import { type Resolve, readBinary } from './binary-content.ts';
import { checkAttributes, isNil, onlyText } from './content.ts';
import { compileIsBlankXml } from './element.ts';
import { compileKindsRead } from './kinds.ts';
import { isMarkup, markupIn } from './markup.ts';
import {
  ANY,
  compileEntryReader,
  compileSort,
  compileUndeclaredXmlRead,
  type Given,
  isIn,
  type Sorted,
  wrongNamespace,
} from './read-members.ts';
import { compileGroup, compileGroupSort, emptyGroup } from './sort-groups.ts';
import { scalarReader, textReader } from './text.ts';

/** Reads an element; `undefined` when the element has no value. `depth` counts from the root, which is level 1. */
type Read = (element: XmlElement, depth: number, resolve: Resolve | undefined) => Value;

/** Reads the attributes and elements of a document, sorted to its fields. */
type ReadSorted = (sorted: Sorted, depth: number, resolve: Resolve | undefined) => Value;

/** Readers for a document: for its own element, and for its elements inside the element of another document. */
interface DocumentReader {
  read: Read;
  readSorted: ReadSorted;
}

type ReadGiven = (given: Given, depth: number, resolve: Resolve | undefined) => Value;

interface FieldReader {
  readonly name: string;
  readonly read: ReadGiven;
  readonly required: boolean;
  readonly initial: Value;
  /** The value to read when the element or attribute is missing. */
  readonly missing: Given | undefined;
}

/** State shared by the readers of one root document. */
interface Shared {
  /** Namespace of documents that declare none. */
  readonly service: string;
  readonly foreign: Foreign;
  /** By document and its namespace, so that a document may contain itself. */
  readonly readers: Map<Document, Map<string, DocumentReader>>;
}

/**
 * Compiles the reading of a document from its element, the inverse of the writer. Elements and attributes are matched
 * by namespace and local name; the order of elements is significant only inside a list, as for the members in JSON. An
 * element that is nil (`xsi:nil`) is absent, or null in a `json` field and in a change of a record; in a change with a
 * list of fields to clear it is rejected. For a field with `absent: blank` the text that the writer puts in place of an
 * absent value is read as absent; so is any empty text for a type that has no empty value.
 * If foreign content is ignored, undeclared elements and attributes are skipped. Only the namespaces that the documents
 * declare are then checked: for documents without one, a local name matches in any namespace.
 * @param service namespace of documents that declare none; may be empty
 */
export function compileXmlReader(
  document: Document,
  service: string,
  foreign: Foreign = 'refuse',
): (element: XmlElement, resolve?: Resolve) => DocumentValue {
  const known = foreign === 'pass' || (foreign !== 'refuse' && foreign.anyNamespace) ? ANY : service;
  const namespace = namespaceOf(document, known, known);
  const { read } = documentReader(document, namespace, { service: known, foreign, readers: new Map() });
  // Some clients send a message without content that way, if its element is nillable.
  const mayBeEmpty = document.choice === undefined && document.fields.every(({ required }) => !required);
  return (element, resolve) => {
    try {
      if (isNil(element) && !mayBeEmpty) refuse('is nil');
      return read(element, 1, resolve) as DocumentValue;
    } catch (error) {
      throw named(error, document);
    }
  };
}

function documentReader(document: Document, namespace: string, shared: Shared): DocumentReader {
  const ofDocument = shared.readers.get(document) ?? new Map<string, DocumentReader>();
  shared.readers.set(document, ofDocument);
  const known = ofDocument.get(namespace);
  if (known !== undefined) return known;
  let compiled: DocumentReader | undefined;
  ofDocument.set(namespace, {
    read: (element, depth, resolve) => compiled!.read(element, depth, resolve),
    readSorted: (sorted, depth, resolve) => compiled!.readSorted(sorted, depth, resolve),
  });
  const itself = itselfReader(document, namespace, shared);
  const readKind = (kind: Document, of: string): Read =>
    kind === document ? itself.read : itselfReader(kind, of, shared).read;
  compiled = isKinded(document)
    ? { ...itself, read: compileKindsRead(document, namespace, shared.service, readKind) }
    : itself;
  ofDocument.set(namespace, compiled);
  return compiled;
}

/** Reads an element as a document itself, not as one that derives from it. */
function itselfReader(document: Document, namespace: string, shared: Shared): DocumentReader {
  const { foreign } = shared;
  const fields = document.fields.map((field) => fieldReader(field, namespace, shared, document.patch));
  const sort = orderDecides(document, namespace)
    ? compileGroupSort(document, namespace, shared.service, foreign)
    : compileSort(document, namespace, foreign);
  const passes = foreign !== 'refuse' && !document.open;
  const takeUndeclared = passes ? undefined : compileUndeclaredXmlRead(document);
  const readSorted: ReadSorted = (sorted, depth, resolve) => {
    const { given } = sorted;
    const target: Record<string, unknown> = {};
    let i = 0;
    // An error ends the inner loop only: the fields after it are still read.
    while (i < fields.length) {
      try {
        for (; i < fields.length; i++) {
          const { name, read, missing, initial, required } = fields[i]!;
          const found = given[i] ?? missing;
          let value = found === undefined ? undefined : read(found, depth + 1, resolve);
          if (value === undefined) value = initial;
          if (value !== undefined) setMember(target, name, value);
          else if (required && !isAbout(sorted.errors, name)) refuse('is missing');
        }
      } catch (error) {
        sorted.errors = addError(sorted.errors, within(error, fields[i++]!.name));
      }
    }
    const { attributes, elements } = sorted;
    if (attributes !== undefined || elements !== undefined) {
      if (takeUndeclared !== undefined) takeUndeclared(sorted, target, depth);
      else countIgnored(foreign, (attributes?.length ?? 0) + (elements?.length ?? 0));
    }
    if (sorted.errors !== undefined) throw sorted.errors;
    if (document.choice !== undefined) checkChosen(document, Object.keys(target));
    return target as DocumentValue;
  };
  const read: Read = (element, depth, resolve) => {
    checkDepth(depth);
    return readSorted(sort(element), depth, resolve);
  };
  return { read, readSorted };
}

function fieldReader(field: Field, namespace: string, shared: Shared, patch: Patch | undefined): FieldReader {
  const { type } = field;
  const flat = type.kind === 'list' && type.flat;
  const inner = inlineDocument(field);
  if (inner !== undefined) return inlineReader(field, inner, namespace, shared);
  if (field.any !== undefined) return anyReader(field, shared.foreign);
  return {
    name: field.name,
    read: field.attribute
      ? attributeReader(field, type as ScalarType | ListType, shared.foreign)
      : field.content
        ? contentReader(field, type as ScalarType | ListType, shared.foreign)
        : elementReader(field, namespace, shared, patch),
    required: field.required,
    initial: initialValue(field),
    // A required list without an element of its own is empty when it has no entries.
    missing: flat && field.required ? [] : undefined,
  };
}

/** Reads a document, or a list of documents, without an element around it. */
function inlineReader(field: Field, inner: Document, namespace: string, shared: Shared): FieldReader {
  const { name, type, required } = field;
  const own = namespaceOf(inner, namespace, shared.service);
  const { readSorted } = documentReader(inner, own, shared);
  const read: ReadSorted = (sorted, depth, resolve) => {
    checkDepth(depth);
    return readSorted(sorted, depth, resolve);
  };
  if (type.kind === 'list') {
    const readEntries = compileEntryReader(field, read);
    const readList: ReadGiven = (given, depth, resolve) => readEntries(given as Sorted[], depth, resolve);
    return { name, read: readList, required, initial: undefined, missing: required ? [] : undefined };
  }
  const group = compileGroup(inner, own, shared.service);
  // A required document without any of its elements is still present.
  const missing = required ? '' : undefined;
  const readOne: ReadGiven = (given, depth, resolve) =>
    read(given === '' ? emptyGroup(group) : (given as Sorted), depth, resolve);
  return { name, read: readOne, required, initial: undefined, missing };
}

/** Reads elements, or attributes, of any name. */
function anyReader(field: Field, foreign: Foreign): FieldReader {
  const { name, type, required } = field;
  const more = { name, required, initial: undefined };
  if (type.kind === 'map') {
    const read = attributesReader(field, textReader(field, type.item as ScalarType, false, foreign));
    return { ...more, read: (given) => read(given as XmlAttribute[]), missing: required ? [] : undefined };
  }
  if (type.kind !== 'list') return { ...more, read: (element) => writeXml(element as XmlElement), missing: undefined };
  const readEntries = compileEntryReader<XmlElement>(field, (element) => writeXml(element));
  const read: ReadGiven = (given, depth, resolve) => readEntries(given as XmlElement[], depth, resolve);
  return { ...more, read, missing: required ? [] : undefined };
}

function attributeReader(field: Field, type: ScalarType | ListType, foreign: Foreign): ReadGiven {
  if (type.kind === 'list') {
    const spaced = compileSpaced(field, type, foreign);
    return (text) => spaced.read(text as string);
  }
  const read = textReader(field, type, field.absent === 'blank', foreign);
  return (text) => read(text as string);
}

/** Reads the text of a document's own element. Its attributes are other fields. */
function contentReader(field: Field, type: ScalarType | ListType, foreign: Foreign): ReadGiven {
  if (type.kind === 'list') {
    const spaced = compileSpaced(field, type, foreign);
    return (element) => spaced.read(onlyText(element as XmlElement));
  }
  if (primitiveOf(type) === 'binary') return (element, _depth, resolve) => readBinary(element as XmlElement, resolve);
  if (isMarkup(field, type)) return (element) => markupIn(element as XmlElement);
  const read = textReader(field, type, initialValue(field) !== undefined, foreign);
  return (element) => read(onlyText(element as XmlElement));
}

function elementReader(field: Field, namespace: string, shared: Shared, patch: Patch | undefined): ReadGiven {
  const { type } = field;
  if (type.kind !== 'document' && !isCollection(type)) {
    const read = scalarReader(field, type, field.absent === 'blank', shared.foreign);
    const nil = nilReader(field, patch);
    return (given, depth, resolve) => {
      const element = given as XmlElement;
      return isNil(element) ? nil() : read(element, depth, resolve);
    };
  }
  const isBlank = field.absent === 'blank' ? compileIsBlankXml(field, namespace, shared.service) : undefined;
  if (type.kind === 'list' && type.flat) {
    const read = entriesReader(field, type, namespace, shared);
    return (given, depth, resolve) => {
      const elements = given as readonly XmlElement[];
      if (elements.length === 1 && isBlank?.(elements[0]!) === true) return undefined;
      return read(elements, depth, resolve);
    };
  }
  const nil = holdsNull(field) ? null : undefined;
  const read =
    type.kind === 'list'
      ? listReader(field, type, namespace, shared)
      : type.kind === 'map'
        ? mapReader(field, type, namespace, shared)
        : singleReader(field, type, namespace, shared);
  return (given, depth, resolve) => {
    const element = given as XmlElement;
    if (isNil(element)) return nil;
    return isBlank?.(element) === true ? undefined : read(element, depth, resolve);
  };
}

/** The value that a nil single value represents. */
function nilReader(field: Field, patch: Patch | undefined): () => Value {
  const clear = patch?.clear;
  if (clear === undefined) {
    const nil = holdsNull(field) || patch !== undefined ? null : undefined;
    return () => nil;
  }
  const isClearable = patch?.clearable.includes(field) === true;
  const remedy = isClearable ? `; to empty it write <${clear.xmlName}>${field.xmlName}</${clear.xmlName}>` : '';
  return () => refuse(`is nil, and a change takes no nil: leave the element out to keep what there is${remedy}`);
}

/** @param namespace of the document that declares the field */
function singleReader(field: Field, type: ListType['item'], namespace: string, shared: Shared): Read {
  if (type.kind !== 'document') return scalarReader(field, type, false, shared.foreign);
  const { document } = type;
  return documentReader(document, namespaceOf(document, namespace, shared.service), shared).read;
}

/** Reads a list from the element around its entries. */
function listReader(field: Field, type: ListType, namespace: string, shared: Shared): Read {
  if (type.spaced) return spacedReader(field, type, shared.foreign);
  const { entriesOf, check } = compileEntries(itemName(type), field.namespace ?? namespace, shared);
  const read = entriesReader(field, type, namespace, shared, check);
  return (element, depth, resolve) => read(entriesOf(element), depth, resolve);
}

/** Reads a list from the text of its element. */
function spacedReader(field: Field, type: ListType, foreign: Foreign): Read {
  const spaced = compileSpaced(field, type, foreign);
  return (element) => {
    checkAttributes(element, foreign);
    return spaced.read(onlyText(element));
  };
}

/** Reads a map from the element around its entries. */
function mapReader(field: Field, type: MapType, namespace: string, shared: Shared): Read {
  const read = singleReader(field, type.item, namespace, shared);
  const takesNull = holdsNull({ ...entryField(field), type: type.item });
  const { entriesOf, check } = compileEntries(MAP_ENTRY.element, field.namespace ?? namespace, shared);
  const checkCount = compileEntryCount(field);
  const readEntry = (entry: XmlElement, depth: number, resolve: Resolve | undefined): Value => {
    const attributes = entry.attributes.filter(({ local, namespace: of }) => local !== MAP_ENTRY.key || of !== '');
    const element = { ...entry, attributes, namespaceOf: (prefix: string) => entry.namespaceOf(prefix) };
    if (!isNil(element)) return read(element, depth, resolve);
    return takesNull ? null : refuse('is nil, which no entry of its map can be');
  };
  return (element, depth, resolve) => {
    checkDepth(depth);
    const entries = entriesOf(element);
    checkCount(entries.length);
    const keys = new Set<string>();
    const map: Record<string, unknown> = {};
    let errors: CodecError | undefined;
    for (const [index, entry] of entries.entries()) {
      const key = attributeOf(entry, MAP_ENTRY.key);
      try {
        check(entry);
        if (key === undefined) refuse('has no key');
        else if (shared.foreign === 'refuse' && keys.has(key)) refuse('is given more than once');
        else setMember(map, key, readEntry(entry, depth + 1, resolve));
      } catch (error) {
        errors = addError(errors, within(error, stepOf(key ?? index)));
      }
      keys.add(key ?? '');
    }
    if (errors !== undefined) throw errors;
    return map as DocumentValue;
  };
}

/** Compiles the finding of entries in the element around them, and the check of each, which reports it at its place. */
function compileEntries(local: string, namespace: string, { foreign }: Shared) {
  const passes = foreign !== 'refuse';
  const check = (entry: XmlElement): void => {
    if (entry.local !== local) refuse(`holds an element ${quote(entry.local)}, and its entries are ${quote(local)}`);
    if (!isIn(namespace, entry)) refuse(wrongNamespace(entry, namespace));
  };
  const entriesOf = (element: XmlElement): XmlElement[] => {
    checkAttributes(element, foreign);
    const entries: XmlElement[] = [];
    for (const each of element.content) {
      if (typeof each !== 'string') {
        if (!passes || (each.local === local && isIn(namespace, each))) entries.push(each);
        else countIgnored(foreign, 1);
      } else if (!isWhite(each)) refuse('holds text outside of its entries');
    }
    return entries;
  };
  return { entriesOf, check };
}

/** @param check of an entry, by its element */
function entriesReader(
  field: Field,
  type: ListType,
  namespace: string,
  shared: Shared,
  check: (entry: XmlElement) => void = () => undefined,
): (elements: readonly XmlElement[], depth: number, resolve: Resolve | undefined) => Value {
  const read = singleReader(field, type.item, namespace, shared);
  const takesNull = holdsNull({ ...entryField(field), type: type.item });
  return compileEntryReader<XmlElement>(field, (element, depth, resolve) => {
    check(element);
    const nil = isNil(element);
    if (nil && !takesNull) refuse('is nil, which no entry of its list can be');
    return nil ? null : read(element, depth, resolve);
  });
}
