import { randomBytes } from 'node:crypto';
import { isAttachment, MemoryAttachment } from '../../codec/binary.ts';
import { compileDocument, compileJsonFieldWriter, initialValue } from '../../codec/index.ts';
import { carryDigits, digitsWritten } from '../../codec/json/digits.ts';
import { compileSecrets } from '../../codec/redact/declared.ts';
import { checkDepth, holdsPrimitive, setMember } from '../../codec/value.ts';
import { everyField, kindName } from '../../model/derivation.ts';
import type { Document } from '../../model/document.ts';
import { type Field, type FieldType, isCollection, singleType } from '../../model/field.ts';
import { MASK } from '../../model/redactor.ts';
import { primitiveOf } from '../../model/scalar.ts';
import type { Attachment, DocumentValue, Value } from '../../model/value.ts';
import { bytesOf, lengthOf, type Pieces } from '../pieces.ts';
import { type CallContent, checkLength, exactBytes, pendingContent, sizeWords, textContent } from './content.ts';
import type { HeldOf } from './values.ts';

/** How a document is written. */
interface DocumentForm {
  readonly contentType: string;
  /** Compiles the writing of it, or of the same in the form in which it may be shown. */
  compile(document: Document): (value: DocumentValue) => string;
}

/** As a body of fields. @param namespace of XML, for documents that name none */
export function documentForm(format: 'json' | 'xml', namespace: string): DocumentForm {
  return {
    contentType: `application/${format}`,
    compile(document) {
      const codec = compileDocument(document, { namespace });
      return format === 'json' ? codec.toJson : codec.toXml;
    },
  };
}

/** The only field of a document as the whole of a body, in JSON. */
export const FIELD_FORM: DocumentForm = {
  contentType: 'application/json',
  compile({ fields }) {
    const [field] = fields as readonly [Field];
    const write = compileJsonFieldWriter(field);
    return (value) => digitsWritten(value, field.name, value[field.name]) ?? write(value[field.name]);
  },
};

/** @param undeclared members of the input that no field is declared for @throws CodecError */
type DocumentWriter = (heldOf: HeldOf, undeclared: DocumentValue) => CallContent;

/**
 * Compiles a body of fields. Content in it that is a stream is encoded as it is sent.
 * @param given the fields of the input that are part of it
 */
export function compileDocumentContent(
  document: Document,
  { contentType, compile }: DocumentForm,
  given: readonly Field[] = document.fields,
): DocumentWriter {
  const write = compile(document);
  const mayHoldContent = holdsPrimitive({ kind: 'document', document }, 'binary');
  return (heldOf, undeclared) => {
    const value: Record<string, Value> = carryDigits(undeclared, { ...undeclared });
    const masks = new Map<string, string>();
    let isPending = false;
    for (const field of given) {
      const held = heldOf(field);
      if (held === undefined) continue;
      if (held.shown !== undefined) masks.set(field.name, held.shown);
      if (held.pending) isPending = true;
      else setMember(value, field.name, held.value);
    }
    const streams = new Map<string, Attachment>();
    const content = (): CallContent => {
      if (isPending) return pendingContent(contentType, '');
      const text = write((mayHoldContent ? withMarks(value, streams, 1) : value) as DocumentValue);
      return streams.size === 0 ? textContent(text, contentType) : streamed(text, contentType, streams);
    };
    const masked = (): Document => ({
      ...document,
      fields: document.fields.map((field) => (masks.has(field.name) ? { ...field, sensitive: true } : field)),
    });
    return {
      ...content(),
      shown() {
        const form = compileShown(masked());
        return compile(form.document)(Object.assign(form.show(value), Object.fromEntries(masks)));
      },
      secrets: () => compileSecrets(everyField(masked()))?.(value) ?? [],
    };
  };
}

/** Bytes of a mark; whole groups of base64, so that it is without padding. */
const MARK = 24;

/** The value with a mark in place of each stream, which is found again in the text by its base64. */
function withMarks(value: Value, streams: Map<string, Attachment>, depth: number): Value {
  if (typeof value !== 'object' || value === null || value instanceof MemoryAttachment) return value;
  checkDepth(depth);
  if (isAttachment(value)) {
    const mark = new MemoryAttachment(randomBytes(MARK));
    checkLength('content of the body', value.length);
    streams.set(Buffer.from(mark.bytes).toString('base64'), value);
    return mark;
  }
  if (Array.isArray(value))
    return carryDigits(
      value,
      value.map((entry: Value) => withMarks(entry, streams, depth + 1)),
    );
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  const copy: Record<string, Value> = {};
  for (const [name, member] of Object.entries(value))
    setMember(copy, name, withMarks(member as Value, streams, depth + 1));
  return carryDigits(value, copy);
}

function streamed(text: string, contentType: string, streams: ReadonlyMap<string, Attachment>): CallContent {
  const pieces = piecesOf(text, streams);
  return {
    contentType,
    length: lengthOf(pieces),
    text: undefined,
    bytes: () => bytesOf(pieces, (attachment) => exactBytes('content of the body', attachment)),
    again: [...streams.values()].every(({ again }) => again === true),
    shown: () => text,
    secrets: () => [],
  };
}

function piecesOf(text: string, streams: ReadonlyMap<string, Attachment>): Pieces {
  const places = [...streams].map(([mark, attachment]) => ({ at: text.indexOf(mark), end: mark.length, attachment }));
  const pieces: (string | Attachment)[] = [];
  let from = 0;
  for (const { at, end, attachment } of places.toSorted((a, b) => a.at - b.at)) {
    pieces.push(text.slice(from, at), attachment);
    from = at + end;
  }
  return [...pieces, text.slice(from)];
}

/** A document in the form in which it may be shown to people. */
interface ShownForm {
  /** The same but for fields that are sensitive or binary: those are texts. */
  readonly document: Document;
  /** A value of the document as one of that: masks for what is sensitive, and for content how much it is. */
  show(value: DocumentValue): DocumentValue;
}

/** How one field's value is shown. */
interface ShownField {
  readonly name: string;
  readonly field: Field;
  readonly show: (value: Value) => Value;
}

/** Compiles that for a document, at any depth. */
function compileShown(document: Document, known: Map<Document, ShownForm> = new Map()): ShownForm {
  const found = known.get(document);
  if (found !== undefined) return found;
  const fields: Field[] = [];
  const shown: ShownField[] = [];
  const { kinds } = document;
  const others = new Map<unknown, ShownForm>();
  const derived: Document[] = [];
  const form: ShownForm = {
    document: { ...document, fields, ...(kinds && { kinds: { ...kinds, derived } }) },
    show(value) {
      if (!isObject(value)) return value;
      const other = kinds && others.get(value[kinds.by.name]);
      if (other !== undefined) return other.show(value);
      const copy: Record<string, Value> = carryDigits(value, { ...value });
      for (const { name, show } of shown) {
        const given = show(Object.hasOwn(value, name) ? value[name] : undefined);
        if (given !== undefined) copy[name] = given;
      }
      return copy;
    },
  };
  // Known before its fields are compiled: a document may hold itself.
  known.set(document, form);
  for (const each of kinds?.derived ?? []) {
    const other = compileShown(each, known);
    derived.push(other.document);
    others.set(kindName(each), other);
  }
  for (const field of document.fields) {
    const each = shownField(field, known);
    fields.push(each.field);
    shown.push(each);
  }
  return form;
}

function shownField(field: Field, known: Map<Document, ShownForm>): ShownField {
  const { name, type, sensitive } = field;
  if (sensitive) {
    const initial = initialValue(field);
    const show = (value: Value): Value => ((value ?? initial) === undefined ? undefined : MASK);
    return { name, field: asShownText(field), show };
  }
  const single = singleType(type);
  if (primitiveOf(single) === 'binary') {
    const item: FieldType = { kind: 'text' };
    const shownType: FieldType = isCollection(type) ? { ...type, item } : item;
    return { name, field: asShownText(field, shownType), show: each(type, sizeOf) };
  }
  if (single.kind !== 'document') return { name, field, show: (value) => value };
  const inner = compileShown(single.document, known);
  const item = { kind: 'document', document: inner.document } as const;
  return {
    name,
    field: { ...field, type: isCollection(type) ? { ...type, item } : item },
    show: each(type, (value) => inner.show(value as DocumentValue)),
  };
}

/** The field with texts for its values, which have to fit nothing else. */
export function asText(field: Field, type: FieldType = { kind: 'text' }): Field {
  const { name, jsonName, xmlName, required, sensitive, attribute, namespace, absent, anyCase, url, at } = field;
  const place = {
    ...(namespace === undefined ? {} : { namespace }),
    ...(field.content === undefined ? {} : { content: field.content }),
  };
  return { name, jsonName, xmlName, type, required, sensitive, attribute, absent, anyCase, url, at, ...place };
}

function asShownText(field: Field, type?: FieldType): Field {
  return { ...asText(field, type), required: false, sensitive: false };
}

function each({ kind }: FieldType, show: (value: Value) => Value): (value: Value) => Value {
  if (kind === 'map') {
    return (value) => {
      if (!isObject(value)) return value;
      const copy: Record<string, Value> = {};
      for (const [key, entry] of Object.entries(value)) setMember(copy, key, show(entry));
      return copy;
    };
  }
  if (kind !== 'list') return (value) => (value === undefined || value === null ? value : show(value));
  return (value) => (Array.isArray(value) ? value.map(show) : value);
}

function sizeOf(value: Value): Value {
  return isAttachment(value) ? sizeWords(value.length) : value;
}

function isObject(value: Value): value is DocumentValue {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
