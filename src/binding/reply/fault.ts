import { CodecError, compileDocument, readJsonText } from '../../codec/index.ts';
import type { Document } from '../../model/document.ts';
import type { Field } from '../../model/field.ts';
import { MASK } from '../../model/redactor.ts';
import type { DocumentValue, JsonValue, Value } from '../../model/value.ts';
import { type ReplyText, readDocument } from './text.ts';

/** A failure as a reply describes it. */
export interface ReplyFailure {
  /** The fault document; `undefined` when none is declared, or the reply is not one. */
  readonly fault: DocumentValue | undefined;
  /** In the target's words; may be empty. */
  readonly reason: string;
  /** Further details; may be empty. */
  readonly detail: string;
}

/** Reads the faults of one operation. */
export interface ReplyFaults {
  /** Whether the fault document has fixed values: a reply with all of them is a fault, whatever its status. */
  readonly marked: boolean;
  /**
   * Reads the fault document from a text that has all its fixed values and required members; `undefined` for any other
   * text.
   */
  read(reply: ReplyText, format: 'json' | 'xml'): ReplyFailure | undefined;
}

/** @param document `undefined` if none is declared */
export function compileReplyFaults(document: Document | undefined): ReplyFaults {
  if (document === undefined) return { marked: false, read: () => undefined };
  const marked = holdsFixed(document, []);
  const codec = compileDocument(demanding(document, new Map()), { namespace: '', foreign: 'pass' });
  const reasonOf = compileWords(document, '{fault.message}');
  const detailOf = compileWords(document, '{fault.detail}');
  return {
    marked,
    read(reply, format) {
      const fault = fitting(() => readDocument(codec, document, reply, format === 'xml'));
      // Without fixed values that mark it, a document without any field is not a fault.
      if (fault === undefined || (!marked && Object.keys(fault).length === 0)) return undefined;
      return { fault, reason: reasonOf(fault), detail: detailOf(fault) };
    },
  };
}

function fitting(read: () => DocumentValue): DocumentValue | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof CodecError) return undefined;
    throw error;
  }
}

function holdsFixed(document: Document, outer: readonly Document[]): boolean {
  // Another branch of a choice may have none.
  if (outer.includes(document) || document.choice !== undefined) return false;
  return document.fields.some(
    ({ fixed, type }) =>
      fixed !== undefined || (type.kind === 'document' && holdsFixed(type.document, [...outer, document])),
  );
}

/**
 * The document with its fixed values required rather than filled in, and the compounds that contain some required too.
 * Nothing else is filled in either: a fault is read as it was sent.
 */
function demanding(document: Document, known: Map<Document, Document>): Document {
  const found = known.get(document);
  if (found !== undefined) return found;
  const fields: Field[] = [];
  const derived: Document[] = [];
  const copy = { ...document, fields, ...(document.kinds && { kinds: { ...document.kinds, derived } }) };
  known.set(document, copy);
  for (const each of document.kinds?.derived ?? []) derived.push(demanding(each, known));
  for (const field of document.fields) {
    const { default: _, fixed, ...rest } = field;
    const { type } = field;
    if (fixed !== undefined) fields.push({ ...rest, required: true, enum: [String(fixed)] });
    else if (type.kind !== 'document') fields.push(rest);
    else {
      const required = field.required || (document.choice === undefined && holdsFixed(type.document, []));
      fields.push({ ...rest, required, type: { ...type, document: demanding(type.document, known) } });
    }
  }
  return copy;
}

/** Compiles the finding of what `{fault.message}` or its like would have filled; empty when nothing is there. */
function compileWords(document: Document, word: string): (fault: DocumentValue) => string {
  const path = pathTo(document, word, []);
  if (path === undefined) return () => '';
  return (fault) => {
    let value: Value = fault;
    for (const { name } of path) {
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return '';
      value = (value as DocumentValue)[name];
    }
    if (path.at(-1)?.sensitive === true) return MASK;
    return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  };
}

function pathTo(document: Document, word: string, outer: readonly Document[]): readonly Field[] | undefined {
  if (outer.includes(document)) return undefined;
  for (const field of document.fields) {
    if (typeof field.default === 'string' && field.default.includes(word)) return [field];
    if (field.type.kind !== 'document') continue;
    const path = pathTo(field.type.document, word, [...outer, document]);
    if (path !== undefined) return [field, ...path];
  }
  return undefined;
}

/**
 * A failure in a well-known form of JSON: problem details (RFC 9457 section 3.1), errors of OAuth 2.0 (RFC 6749 section
 * 5.2), and an `error` with a message inside (OData JSON 4.01 section 21.1). Undefined for anything else.
 */
export function recogniseFailure(text: string): Omit<ReplyFailure, 'fault'> | undefined {
  const found = objectIn(text);
  if (found === undefined) return undefined;
  const { error } = found;
  if (typeof error === 'string' && error !== '') return { reason: error, detail: textIn(found, 'error_description') };
  const message = textIn(error, 'message');
  if (message !== '') return { reason: message, detail: textIn(error, 'detail') };
  const isProblem = typeof found.status === 'number' || typeof found.type === 'string';
  const [title, detail] = [textIn(found, 'title'), textIn(found, 'detail')];
  if (!isProblem || (title === '' && detail === '')) return undefined;
  return title === '' ? { reason: detail, detail: '' } : { reason: title, detail };
}

type JsonObject = Readonly<Record<string, JsonValue>>;

function objectIn(text: string): JsonObject | undefined {
  try {
    const value = readJsonText(text);
    return isObject(value) ? value : undefined;
  } catch (error) {
    if (error instanceof CodecError) return undefined;
    throw error;
  }
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A text member of an object; in OData 3 it is one level deeper, next to its language. */
function textIn(value: JsonValue | undefined, name: string): string {
  if (!isObject(value) || !Object.hasOwn(value, name)) return '';
  const member = value[name];
  return typeof member === 'string' ? member : isObject(member) ? textIn(member, 'value') : '';
}
