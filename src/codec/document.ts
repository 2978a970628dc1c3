import type { Document } from '../model/document.ts';
import { type Field, filledByFault, isCollection } from '../model/field.ts';
import { isAnyText } from '../model/scalar.ts';
import type { Attachment, DocumentValue, Value } from '../model/value.ts';
import { representable } from '../wire/xml/text.ts';
import type { XmlElement } from '../wire/xml/tree.ts';
import { attachmentsIn, MemoryAttachment, withAttachments } from './binary.ts';
import { CodecError } from './error.ts';
import { compileJsonReader } from './json/read-json.ts';
import { compileJsonWriter } from './json/write.ts';
import { compileScalar } from './scalar.ts';
import { type Foreign, setMember } from './value.ts';
import type { Resolve } from './xml/binary-content.ts';
import { compileXmlReader } from './xml/compile-reader.ts';
import { compileXmlPieces, compileXmlWriter } from './xml/write.ts';

/** Reads and writes the values of one document, checked. Every function throws a {@link CodecError}. */
export interface DocumentCodec {
  /** The value that a JSON text holds, with defaults and fixed values filled in. */
  fromJson(text: string): DocumentValue;
  /** Compact JSON text. The value is not modified. */
  toJson(value: DocumentValue): string;
  /**
   * The value of an element, as {@link DocumentCodec.fromJson} returns it. The element's own name is not checked: the
   * caller has found the element by it.
   * @param resolve finds the content of an XOP Include; its errors are passed on
   */
  fromXml(element: XmlElement, resolve?: Resolve): DocumentValue;
  /** The root element, without an XML declaration. */
  toXml(value: DocumentValue): string;
  /**
   * The root element in pieces: XML text, and in place of a binary element's base64 its attachment, which may be a
   * stream. There is always a text between two attachments.
   */
  toXmlPieces(value: DocumentValue): readonly (string | Attachment)[];
}

interface CodecOptions {
  /** XML namespace of documents that declare none: that of the service. May be empty. */
  readonly namespace: string;
  /** Replaces the document's own root element when XML is written: a SOAP wrapper. */
  readonly root?: { readonly name: string; readonly namespace: string };
  /**
   * How undeclared content is treated when reading; rejected by default. If it is ignored, names of documents without a
   * namespace of their own match in any namespace.
   */
  readonly foreign?: Foreign;
}

/**
 * Compiles a document. Each direction is compiled on first use: an operation only reads its request and only writes its
 * reply, in one format or two.
 */
export function compileDocument(document: Document, options: CodecOptions): DocumentCodec {
  const { namespace, root, foreign } = options;
  const toXml = atFirstUse(() => compileXmlWriter(document, namespace, root));
  return {
    fromJson: atFirstUse(() => compileJsonReader(document, foreign)),
    toJson: atFirstUse(() => compileJsonWriter(document)),
    fromXml: atFirstUse(() => compileXmlReader(document, namespace, foreign)),
    toXml,
    toXmlPieces: atFirstUse(() => compileXmlPieces(document, namespace, root) ?? ((value) => [toXml(value)])),
  };
}

function atFirstUse<A extends readonly unknown[], R>(compile: () => (...given: A) => R): (...given: A) => R {
  let compiled: ((...given: A) => R) | undefined;
  return (...given) => {
    compiled ??= compile();
    return compiled(...given);
  };
}

/**
 * Compiles the check of a value in memory as of one that arrives: by its form in JSON, with defaults and fixed values filled in.
 * Attachments stay what they are.
 * @returns what throws a {@link CodecError}
 */
export function compileArrival(document: Document): (value: DocumentValue) => DocumentValue {
  const shape = { ...document, bare: false, root: false };
  const [write, read] = [compileJsonWriter(shape), compileJsonReader(shape)];
  return (value) => {
    const attachments = [...attachmentsIn(value)];
    if (attachments.length === 0) return read(write(value));
    const marks = new Map(attachments.map((each, index) => [each, new MemoryAttachment(Buffer.from(String(index)))]));
    const marked = withAttachments(value, (each) => marks.get(each) as Attachment);
    const checked = read(write(marked as DocumentValue));
    const meant = (mark: Attachment): Attachment =>
      attachments[Number(Buffer.from((mark as MemoryAttachment).bytes).toString())] as Attachment;
    return withAttachments(checked, meant) as DocumentValue;
  };
}

/** The parts of a fault that a fault document can refer to. */
interface FaultWords {
  readonly message: string;
  readonly detail: string;
  readonly code: string;
  /** HTTP status. */
  readonly status: number;
}

/** Writes the faults of one document. */
interface FaultCodec {
  toJson(fault: FaultWords): string;
  toXml(fault: FaultWords): string;
}

type Fill = (fault: FaultWords) => Value;

/**
 * Compiles a fault document: `{fault.message}`, `{fault.detail}`, `{fault.code}` and `{fault.status}` in its defaults
 * are filled for each fault, at any depth of compounds. A text longer than its field is truncated, since a fault that
 * can't be written would help no one; a text that is invalid for its field's type is omitted.
 * @throws CodecError when no fault can be written, because a required field has no suitable default
 */
export function compileFault(document: Document, options: CodecOptions): FaultCodec {
  const codec = compileDocument(document, options);
  const fill = documentFill(document, []);
  const compiled: FaultCodec = {
    toJson: (fault) => codec.toJson(fill(fault)),
    toXml: (fault) => codec.toXml(fill(inXml(fault))),
  };
  compiled.toJson({ message: 'Message', detail: 'Detail', code: 'CODE', status: 500 });
  return compiled;
}

/** The words of a fault may quote what XML can't represent. */
function inXml(fault: FaultWords): FaultWords {
  return { ...fault, message: representable(fault.message), detail: representable(fault.detail) };
}

function documentFill(document: Document, outer: readonly Document[]): (fault: FaultWords) => DocumentValue {
  const fills = document.fields.flatMap((field) => {
    const fill = fieldFill(field, [...outer, document]);
    return fill === undefined ? [] : [{ name: field.name, fill }];
  });
  return (fault) => {
    const value: Record<string, Value> = {};
    for (const { name, fill } of fills) setMember(value, name, fill(fault));
    return value;
  };
}

function fieldFill(field: Field, outer: readonly Document[]): Fill | undefined {
  const { type } = field;
  if (isCollection(type)) return undefined;
  if (type.kind === 'document') {
    return speaks(type.document, outer) ? documentFill(type.document, outer) : undefined;
  }
  if (!filledByFault(field)) return undefined;
  const words = compileWords(String(field.default));
  const { fromText } = compileScalar(field, type);
  const longest = Math.min(type.length ?? Number.POSITIVE_INFINITY, field.maximum ?? Number.POSITIVE_INFINITY);
  const texts = isAnyText(type);
  return (fault) => {
    const text = words(fault);
    try {
      return fromText(texts ? cut(text, longest) : text);
    } catch (error) {
      // For example an empty detail for a field that needs at least one character: the fault is sent without it.
      if (error instanceof CodecError) return undefined;
      throw error;
    }
  };
}

/** Whether a document, or one nested in it, has a default or fixed value, so that a fault fills something in it. */
function speaks(document: Document, outer: readonly Document[]): boolean {
  // Nothing says which branch of a choice a fault is.
  if (outer.includes(document) || document.choice !== undefined || document.abstract) return false;
  return document.fields.some(({ type, fixed, default: otherwise }) =>
    type.kind === 'document'
      ? speaks(type.document, [...outer, document])
      : fixed !== undefined || otherwise !== undefined,
  );
}

/** Compiles a text with placeholders in braces; other braces are literal. */
function compileWords(text: string): (fault: FaultWords) => string {
  const parts = text.split(/\{fault\.(message|detail|code|status)\}/);
  // Every second part is a placeholder: split() puts the captured groups between the texts.
  return (fault) => parts.map((part, i) => (i % 2 === 0 ? part : String(fault[part as keyof FaultWords]))).join('');
}

/** The first characters of a text, with unpaired surrogates and NUL replaced, which no document can contain. */
function cut(text: string, longest: number): string {
  const sound = text.toWellFormed().replaceAll('\0', '\u{FFFD}');
  return sound.length <= longest ? sound : Array.from(sound).slice(0, longest).join('');
}
