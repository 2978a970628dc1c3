import { type Document, itemName, namespaceOf } from '../../model/document.ts';
import {
  type CompoundType,
  type Field,
  isSpaced,
  type ListType,
  MAP_ENTRY,
  type ScalarType,
  singleType,
} from '../../model/field.ts';
import { holdsNull, primitiveOf } from '../../model/scalar.ts';
import type { Attachment, DocumentValue, Value } from '../../model/value.ts';
import { ReferredAttachment } from '../binary.ts';
import { kindOf, refuse, stepOf, within } from '../error.ts';
import { isKinded } from '../kind.ts';
import { kinds } from '../kinds.ts';
import { compileScalar, initialValue } from '../scalar.ts';
import { compileSpaced } from '../spaced.ts';
import {
  checkDepth,
  chosenField,
  compileEntryCount,
  holdsPrimitive,
  isInherited,
  mapEntries,
  named,
  ownMember,
  plainObject,
} from '../value.ts';
import { attributesWriter } from './attributes.ts';
import { attributeStart, blankXml, element, type Tag, tagOf, type XmlPlace } from './element.ts';
import { exactAttribute, exactText } from './exact.ts';
import { compileKindsWrite, nilElement } from './kinds.ts';
import { compileAnyElement, isMarkup, writeMarkup } from './markup.ts';
import { compileUndeclaredXml } from './write-undeclared.ts';

/** Writes a value as XML: one or several elements, or one attribute with a space before it. */
type Write = (value: Value, depth: number) => string;

/** Writes a value as the element that `tag` begins and ends. */
type WriteDocument = (tag: Tag, value: Value, depth: number) => string;

/** Writers for a document. */
interface DocumentWriter {
  write: WriteDocument;
  /** Writes the elements inside the element of the document. */
  writeInside: Write;
}

interface FieldWriter {
  readonly name: string;
  /** Whether the field's name is also a name of Object.prototype, so that only own members count. */
  readonly inherited: boolean;
  readonly write: Write;
  readonly required: boolean;
  /** Written when the value is absent. */
  readonly absent: string | undefined;
  /** Whether null is a value rather than absent. */
  readonly holdsNull: boolean;
}

/** The name of a root element; `namespace` is empty for none. */
interface RootElement {
  readonly name: string;
  readonly namespace: string;
}

/** State shared by the writers of one root document. */
interface Shared {
  /** By document and the namespaces around it, so that a document may contain itself. */
  readonly writers: Map<Document, Map<string, DocumentWriter>>;
  /** Replaces the content of a binary element by other XML; without it, the content is base64. */
  readonly hold: ((attachment: Attachment) => string) | undefined;
  /** The namespace of the schema with the types of documents without one. */
  readonly home: string;
}

/**
 * Compiles the writing of a document as XML: attributes first, then elements in declared order. Undefined and null (but in a
 * `json` field) are absent; null of a nullable field is an element that is nil (`xsi:nil`).
 *
 * A list stands inside an element of the field's name, one element an entry: named as the item document's root element, or
 * `item` for single values and for documents written in place without a name of their own; a `flat` list repeats the field's
 * element. Elements are qualified by redeclaring the default namespace. Fields that an open document doesn't declare follow
 * as elements without a namespace.
 *
 * A field with `absent: blank` is written, where its XML Schema type takes the empty string, as an empty element, and a list
 * of documents as one entry of such elements.
 * @param service namespace of documents that name none; empty for none
 * @param root the root element, where it is not the document's own
 * @param hold writes something else for the content of a binary element than base64
 */
export function compileXmlWriter(
  document: Document,
  service: string,
  root?: RootElement,
  hold?: (attachment: Attachment) => string,
): (value: DocumentValue) => string {
  const namespace = namespaceOf(document, service, service);
  const scope = root?.namespace ?? namespace;
  const { write } = documentWriter(
    document,
    { namespace, scope, service },
    {
      writers: new Map(),
      hold,
      // Over SOAP every schema has a namespace (WS-I Basic Profile 1.1, R2105).
      home: root === undefined ? '' : service,
    },
  );
  const tag = tagOf(root?.name ?? document.xmlName, scope, '');
  return (value) => {
    try {
      return write(tag, value, 1);
    } catch (error) {
      throw named(error, document);
    }
  };
}

/** @param place its `namespace` is that of the document, its `scope` that of the element around it */
function documentWriter(document: Document, place: XmlPlace, shared: Shared): DocumentWriter {
  const { writers } = shared;
  const ofDocument = writers.get(document) ?? new Map<string, DocumentWriter>();
  writers.set(document, ofDocument);
  const key = JSON.stringify([place.namespace, place.scope]);
  const known = ofDocument.get(key);
  if (known !== undefined) return known;
  let compiled: DocumentWriter | undefined;
  ofDocument.set(key, {
    write: (tag, value, depth) => compiled!.write(tag, value, depth),
    writeInside: (value, depth) => compiled!.writeInside(value, depth),
  });
  const itself = itselfWriter(document, place, shared);
  const writeKind = (kind: Document, at: XmlPlace): WriteDocument =>
    kind === document ? itself.write : itselfWriter(kind, at, shared).write;
  compiled = isKinded(document)
    ? { ...itself, write: compileKindsWrite(document, place, shared.home, writeKind) }
    : itself;
  ofDocument.set(key, compiled);
  return compiled;
}

/** Writes a document itself, not one that derives from it. */
function itselfWriter(document: Document, place: XmlPlace, shared: Shared): DocumentWriter {
  const attributes = document.fields
    .map((field, index) => [field, index] as const)
    .filter(([field]) => field.attribute)
    .map(([field, index]) => {
      const write =
        field.any === undefined ? attributeWriter(field, index) : attributesWriter(field, document, place.namespace);
      return fieldWriter(field, index, write, place);
    });
  const elements = document.fields
    .filter((field) => !field.attribute)
    .map((field, index) => {
      const write = field.content
        ? contentWriter(field, place, shared)
        : field.inline
          ? inlineWriter(field, place, shared)
          : field.any !== undefined
            ? anyWriter(field, place)
            : elementWriter(field, place, shared);
      return fieldWriter(field, index, write, place);
    });
  const declared = new Set(document.fields.map((field) => field.name));
  const writeUndeclared = compileUndeclaredXml(document, place.scope);
  const membersOf = (value: Value, depth: number): Readonly<Record<string, unknown>> => {
    const source = plainObject(value);
    checkDepth(depth);
    if (document.choice !== undefined) chosenField(document, source);
    return source;
  };
  const contentOf = (source: Readonly<Record<string, unknown>>, depth: number): string => {
    let content = writeFields(elements, source, depth);
    for (const name in source) {
      if (declared.has(name)) continue;
      content += writeUndeclared(source, depth);
      break;
    }
    return content;
  };
  return {
    write(tag, value, depth) {
      const source = membersOf(value, depth);
      const written = writeFields(attributes, source, depth);
      return element(tag, written, contentOf(source, depth));
    },
    writeInside: (value, depth) => contentOf(membersOf(value, depth), depth),
  };
}

function writeFields(fields: readonly FieldWriter[], source: Readonly<Record<string, unknown>>, depth: number): string {
  let written = '';
  let i = 0;
  try {
    for (; i < fields.length; i++) {
      const { name, inherited, write, absent, required, holdsNull } = fields[i]!;
      const value = ownMember(source, name, inherited) as Value;
      if (value !== undefined && (value !== null || holdsNull)) written += write(value, depth + 1);
      else if (absent !== undefined) written += absent;
      else if (required) refuse('is missing');
    }
  } catch (error) {
    throw within(error, fields[i]!.name);
  }
  return written;
}

function fieldWriter(field: Field, index: number, write: Write, place: XmlPlace): FieldWriter {
  const initial = initialValue(field);
  const blank = field.absent === 'blank' && initial === undefined ? blankXml(field, index, place) : undefined;
  return {
    name: field.name,
    inherited: isInherited(field.name),
    write,
    // A required field with `absent: blank` is left out if it has no blank in XML.
    required: field.required && field.absent !== 'blank' && !field.asFound,
    absent: initial === undefined ? blank : write(initial, 1),
    holdsNull: holdsNull(field),
  };
}

function attributeWriter(field: Field, index: number): Write {
  const start = attributeStart(field, index);
  const { type } = field;
  const toText =
    type.kind === 'list' ? compileSpaced(field, type, 'refuse').write : compileScalar(field, type as ScalarType).toText;
  return (value) => `${start}${exactAttribute(toText(value))}"`;
}

/** Writes the content of a document's element if its text is a field. */
function contentWriter(field: Field, { scope }: XmlPlace, { hold }: Shared): Write {
  if (isSpaced(field.type)) {
    const spaced = compileSpaced(field, field.type, 'refuse');
    return (value) => exactText(spaced.write(value));
  }
  const type = field.type as ScalarType;
  if (primitiveOf(type) === 'binary' && hold !== undefined) return (value) => hold(heldContent(field, value));
  if (isMarkup(field, type)) return (value) => writeMarkup(kinds.xml.accept(value) as string, scope);
  const { toText } = compileScalar(field, type);
  return (value) => exactText(toText(value));
}

/** Writes elements of any name. */
function anyWriter(field: Field, { namespace, scope }: XmlPlace): Write {
  const writeElement = compileAnyElement(field, field.namespace || namespace, scope);
  const write: Write = (value) => writeElement(kinds.xml.accept(value) as string);
  return field.type.kind === 'list' ? entriesWriter(field, write) : write;
}

/** Writes a document, or a list of documents, without an element around it. */
function inlineWriter(field: Field, place: XmlPlace, shared: Shared): Write {
  const { document } = singleType(field.type) as CompoundType;
  const namespace = namespaceOf(document, place.namespace, place.service);
  const { writeInside } = documentWriter(document, { ...place, namespace }, shared);
  if (field.type.kind !== 'list') return writeInside;
  return entriesWriter(field, (value, depth) => {
    const written = writeInside(value, depth);
    return written === '' ? refuse('has no element, and nothing else would be left of it in XML') : written;
  });
}

function elementWriter(field: Field, place: XmlPlace, shared: Shared): Write {
  const namespace = field.namespace ?? place.namespace;
  const tag = tagOf(field.xmlName, namespace, place.scope);
  const write = valueWriter(field, tag, namespace, place, shared);
  if (!field.nullable) return write;
  const nil = nilElement(field.type, tag, namespace, place, shared.home);
  return (value, depth) => (value === null ? nil : write(value, depth));
}

function valueWriter(field: Field, tag: Tag, namespace: string, place: XmlPlace, shared: Shared): Write {
  const { type } = field;
  if (isSpaced(type)) {
    const spaced = compileSpaced(field, type, 'refuse');
    return (value) => element(tag, '', exactText(spaced.write(value)));
  }
  const single = singleWriter(field, singleType(type), { ...place, scope: namespace }, shared);
  if (type.kind === 'map') {
    const nil = (of: Tag): string => nilElement(type.item, of, namespace, place, shared.home);
    const write: WriteDocument = (of, value, depth) => (value === null ? nil(of) : single(of, value, depth));
    const entryTag = tagOf(MAP_ENTRY.element, namespace, namespace);
    const entries = mapWriter(field, entryTag, field.entry?.nullable ? write : single);
    return (value, depth) => element(tag, '', entries(value, depth));
  }
  if (type.kind !== 'list') return (value, depth) => single(tag, value, depth);
  const itemTag = type.flat ? tag : tagOf(itemName(type), namespace, namespace);
  const nil = field.entry?.nullable ? nilElement(type.item, itemTag, namespace, place, shared.home) : undefined;
  const entries = entriesWriter(field, (value, depth) =>
    value === null && nil !== undefined ? nil : single(itemTag, value, depth),
  );
  return type.flat ? entries : (value, depth) => element(tag, '', entries(value, depth));
}

function singleWriter(field: Field, type: ListType['item'], place: XmlPlace, shared: Shared): WriteDocument {
  const { hold } = shared;
  if (primitiveOf(type) === 'binary' && hold !== undefined) {
    return (tag, value) => element(tag, '', hold(heldContent(field, value)));
  }
  if (type.kind !== 'document') {
    const { toText } = compileScalar(field, type);
    return (tag, value) => element(tag, '', exactText(toText(value)));
  }
  const { document } = type;
  const namespace = namespaceOf(document, place.namespace, place.service);
  return documentWriter(document, { ...place, namespace }, shared).write;
}

/** Writes the entries of a map: `<entry key="...">`. */
function mapWriter(field: Field, { start, end }: Tag, write: WriteDocument): Write {
  const checkCount = compileEntryCount(field);
  return (value, depth) => {
    checkDepth(depth);
    const entries = mapEntries(value);
    checkCount(entries.length);
    let written = '';
    for (const [key, each] of entries) {
      const tag = { start: `${start} ${MAP_ENTRY.key}="${exactAttribute(key)}"`, end };
      try {
        written += write(tag, each, depth + 1);
      } catch (error) {
        throw within(error, stepOf(key));
      }
    }
    return written;
  };
}

function entriesWriter(field: Field, write: Write): Write {
  const checkCount = compileEntryCount(field);
  return (value, depth) => {
    if (!Array.isArray(value)) return refuse(`is ${kindOf(value)}, not a list`);
    checkDepth(depth);
    checkCount(value.length);
    let written = '';
    let i = 0;
    try {
      for (; i < value.length; i++) written += write(value[i], depth + 1);
    } catch (error) {
      throw within(error, i);
    }
    return written;
  };
}

function heldContent({ attachment }: Field, value: Value): Attachment {
  const content = kinds.binary.accept(value) as Attachment;
  return attachment === 'reference' ? new ReferredAttachment(content) : content;
}

/** Placeholder for an attachment in the text. It can't occur otherwise, because XML does not allow this character. */
const MARK = '\0';

/**
 * Compiles the writing of a document as XML in pieces: texts, with the attachments between them. An attribute can't contain a
 * piece, so a binary attribute is always base64.
 * @returns `undefined` for a document without a binary field, which is one text
 */
export function compileXmlPieces(
  document: Document,
  service: string,
  root: RootElement | undefined,
): ((value: DocumentValue) => readonly (string | Attachment)[]) | undefined {
  if (!holdsPrimitive({ kind: 'document', document }, 'binary')) return undefined;
  // One call writes and splits without interruption, so that all calls can share one list.
  let held: Attachment[] = [];
  const write = compileXmlWriter(document, service, root, (attachment) => {
    held.push(attachment);
    return MARK;
  });
  return (value) => {
    try {
      const texts = write(value).split(MARK);
      return held.length === 0 ? texts : texts.flatMap((text, i) => (i === 0 ? [text] : [held[i - 1]!, text]));
    } finally {
      held = [];
    }
  };
}
