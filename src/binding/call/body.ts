import { isAttachment } from '../../codec/binary.ts';
import { within } from '../../codec/error.ts';
import { CodecError, compileTextWriter, readJsonText, writeJsonText } from '../../codec/index.ts';
import { digitsWritten } from '../../codec/json/digits.ts';
import { compileSecrets, textsIn } from '../../codec/redact/declared.ts';
import { setMember } from '../../codec/value.ts';
import type { CallBody, RestConsumer } from '../../model/consumer.ts';
import type { ResolveReference } from '../../model/definition.ts';
import type { Document } from '../../model/document.ts';
import type { Field } from '../../model/field.ts';
import { FORM_MEDIA_TYPES, type FormStyles } from '../../model/form.ts';
import { MASK } from '../../model/redactor.ts';
import { primitiveOf, traitsOf } from '../../model/scalar.ts';
import type { OperationUri } from '../../model/service.ts';
import type { DocumentValue, Value } from '../../model/value.ts';
import { OCTETS } from '../../wire/file-type.ts';
import { encodeFormValues, FORM_MEDIA_TYPE, formField } from '../../wire/form-values.ts';
import { isXmlType, parseMediaType } from '../../wire/media-type.ts';
import { PercentError, percentEncode } from '../../wire/percent.ts';
import { readXml, XmlError } from '../../wire/xml/read-xml.ts';
import { compileUrlencodedWriter } from '../form/urlencoded.ts';
import { compileFormWriter } from '../form/write.ts';
import { CONTENT } from '../message.ts';
import { type CallContent, exactBytes, pendingContent, sizeWords, streamContent, textContent } from './content.ts';
import { compileDocumentContent, documentForm, FIELD_FORM } from './document.ts';
import { type CallValues, compileCallText, type HeldOf, type Piece, unusable } from './values.ts';

/** The sources of the body of one call. */
interface BodySource {
  readonly heldOf: HeldOf;
  readonly resolve: ResolveReference;
  /** Members of the input without a declared field. */
  readonly undeclared: DocumentValue;
}

/** The body of a request by one URI. */
interface CallBodyWriter {
  /** The fields that are the body, or part of it. */
  readonly fields: readonly Field[];
  /** Whether it accepts members without a declared field. */
  readonly open: boolean;
  /** `undefined` when there is no body. @throws CodecError */
  write(source: BodySource): CallContent | undefined;
}

/** @param namespace of the service */
export function compileCallBody(
  operation: RestConsumer,
  uri: OperationUri,
  values: CallValues,
  namespace: string,
): CallBodyWriter {
  const { body, filled } = operation;
  switch (body.kind) {
    case 'none':
      return { fields: [], open: false, write: () => undefined };
    case 'form': {
      const write = compileFormContent(body);
      const fields = body.fields.flatMap(({ text }) =>
        text.parts.flatMap((p) => (p.kind === 'value' ? [p.field] : [])),
      );
      return { fields, open: false, write: ({ heldOf, resolve }) => write(heldOf, resolve) };
    }
    case 'document': {
      const { open } = body.document;
      if (uri.body.length === 0 && !open) return { fields: [], open, write: () => undefined };
      // What fills a field has been done by then; its default may be the text that says so.
      const fields = uri.body.map((field) => (filled.has(field.name) ? withoutDefault(field) : field));
      const sent = { ...body.document, fields };
      if (body.form === 'multipart') return compileFormBody(sent, uri.body, partsOf(sent));
      if (body.form === 'urlencoded') return compileFormBody(sent, uri.body, urlencodedOf(sent, body.formStyles));
      const isXml = isXmlType(typeOf(operation) ?? '');
      const form = documentForm(isXml ? 'xml' : 'json', namespace);
      // What several documents may be is written as a whole.
      const part = body.document.kinds === undefined ? { ...body.document, fields } : body.document;
      const write = compileDocumentContent(part, form, fields);
      return { fields: uri.body, open, write: ({ heldOf, undeclared }) => write(heldOf, undeclared) };
    }
    case 'field':
      return compileFieldBody(operation, body.field, values);
    case 'raw': {
      const field = operation.input.fields.find(({ name }) => name === CONTENT);
      if (field === undefined) throw new TypeError(`${operation.id} has a body, and no field ${CONTENT}`);
      return body.raw === 'json'
        ? compileValueBody(field, JSON_TEXT, values)
        : compileFieldBody(operation, field, values);
    }
  }
}

/** A form as it is sent. */
interface FormContent {
  readonly mediaType: string;
  write(value: DocumentValue): Omit<CallContent, 'shown' | 'secrets'>;
}

function partsOf(document: Document): FormContent {
  const write = compileFormWriter(document, FORM_MEDIA_TYPES.multipart, exactBytes);
  return { mediaType: FORM_MEDIA_TYPES.multipart, write: (value) => ({ ...write(value), text: undefined }) };
}

function urlencodedOf(document: Document, styles: FormStyles | undefined): FormContent {
  const write = compileUrlencodedWriter(document, styles);
  return { mediaType: FORM_MEDIA_TYPE, write: (value) => textContent(write(value), FORM_MEDIA_TYPE, undefined) };
}

/** A body that is a form. @param own the fields as the caller gives them */
function compileFormBody(document: Document, own: readonly Field[], { mediaType, write }: FormContent): CallBodyWriter {
  return {
    fields: own,
    open: document.open,
    write({ heldOf, undeclared }) {
      const value: Record<string, Value> = { ...undeclared };
      const shown: string[] = [];
      const secrets: Value[] = [];
      let isPending = false;
      for (const field of document.fields) {
        const held = heldOf(field);
        if (held === undefined) continue;
        if (held.shown !== undefined && !held.pending) secrets.push(held.value);
        if (held.pending) isPending = true;
        else setMember(value, field.name, held.value);
        shown.push(`${field.jsonName}: ${held.shown ?? shownPart(field, held.value)}`);
      }
      if (isPending) return pendingContent(mediaType, shown.join('\n'));
      return {
        ...write(value),
        shown: () => shown.join('\n'),
        *secrets() {
          yield* compileSecrets(own)?.(value) ?? [];
          for (const each of secrets) yield* textsIn(each);
        },
      };
    },
  };
}

/** The value of a part for people. */
function shownPart(field: Field, value: Value): string {
  if (field.sensitive) return MASK;
  if (isAttachment(value)) return `${value.contentType} ${sizeWords(value.length)}`;
  if (typeof value !== 'object') return String(value);
  return JSON.stringify(value, (_, each: unknown) => {
    if (typeof each === 'bigint') return String(each);
    return isAttachment(each) ? sizeWords(each.length) : each;
  });
}

function withoutDefault(field: Field): Field {
  const { default: _, ...rest } = field;
  return rest;
}

/** What the definitions say that the body is, in small letters; `undefined` when that is not said, or is for each call to say. */
function typeOf({ headers }: RestConsumer): string | undefined {
  const parts = headers.find(({ name }) => name.toLowerCase() === 'content-type')?.text.parts;
  const text = parts?.map((part) => (part.kind === 'literal' ? part.text : '\0')).join('');
  return text === undefined ? undefined : parseMediaType(text)?.essence;
}

/** Compiles a body that is one field. */
function compileFieldBody(operation: RestConsumer, field: Field, values: CallValues): CallBodyWriter {
  const primitive = primitiveOf(field.type);
  if (primitive === 'binary') return compileValueBody(field, binaryForm(field), values);
  if (primitive !== 'json' && primitive !== undefined)
    return compileValueBody(field, textForm(operation, field), values);
  const document = { id: field.name, xmlName: field.xmlName, root: false, open: false, inPlace: true, at: field.at };
  const write = compileDocumentContent({ ...document, fields: [field] }, FIELD_FORM);
  return {
    fields: [field],
    open: false,
    write({ heldOf, undeclared }) {
      if (heldOf(field) !== undefined) return write(heldOf, undeclared);
      if (field.required) throw values.missing(field);
      return undefined;
    },
  };
}

interface ValueForm {
  readonly contentType: string;
  /**
   * @param shown the text for people, if it differs from the value
   * @param digits of a number, as it was read
   */
  write(value: Value, shown: string | undefined, digits: string | undefined): CallContent;
}

function compileValueBody(field: Field, { contentType, write }: ValueForm, values: CallValues): CallBodyWriter {
  return {
    fields: [field],
    open: false,
    write({ heldOf, undeclared }) {
      const held = heldOf(field);
      if (held === undefined) {
        if (field.required) throw values.missing(field);
        return undefined;
      }
      const { value, shown, pending } = held;
      if (pending) return pendingContent(contentType, shown ?? '');
      const content = write(value, shown, digitsWritten(undeclared, field.name, value));
      return shown === undefined ? content : { ...content, secrets: () => textsIn(value) };
    },
  };
}

function binaryForm({ name }: Field): ValueForm {
  return {
    contentType: OCTETS,
    write(value, shown) {
      if (isAttachment(value)) return streamContent(name, value, shown);
      const hint = typeof value === 'string' ? '; Base64toBinary: Y takes one in base64' : '';
      throw new CodecError(name, `is not content with a stream${hint}`);
    },
  };
}

function textForm(operation: RestConsumer, field: Field): ValueForm {
  const { name } = field;
  const isXml = traitsOf(field.type)?.xml.markup === true;
  const contentType = isXml ? 'application/xml' : 'text/plain; charset=utf-8';
  const encode = !operation.properties.bodyAsBuilt && typeOf(operation) === FORM_MEDIA_TYPE;
  const toText = compileTextWriter(field);
  return {
    contentType,
    write(value, shown) {
      const [text = ''] = toText(value);
      if (!text.isWellFormed())
        throw new CodecError(name, 'holds half of a surrogate pair, which UTF-8 does not carry');
      if (isXml) checkXml(name, text);
      return textContent(encode ? encodeForm(name, text) : text, contentType, shown);
    },
  };
}

function encodeForm(name: string, text: string): string {
  try {
    return encodeFormValues(text);
  } catch (error) {
    if (!(error instanceof PercentError)) throw error;
    throw new CodecError(name, error.reason.replace(/^it /, ''));
  }
}

/** JSON of a message without a document: a string is JSON text, and sent unchanged. */
const JSON_TEXT: ValueForm = {
  contentType: 'application/json',
  write: (value, shown, digits) => textContent(digits ?? jsonText(value), 'application/json', shown),
};

function jsonText(value: Value): string {
  try {
    if (typeof value !== 'string') return writeJsonText(value);
    readJsonText(value);
    return value;
  } catch (error) {
    throw within(error, CONTENT);
  }
}

function checkXml(name: string, text: string): void {
  try {
    readXml(text);
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    throw new CodecError(name, `is not well-formed XML: ${error.message}`);
  }
}

/** Compiles a body of form fields. A form field is omitted if its text needs a value that is not given. */
function compileFormContent({
  fields,
}: Extract<CallBody, { kind: 'form' }>): (heldOf: HeldOf, resolve: ResolveReference) => CallContent {
  const writers = fields.map(({ name, text }) => ({ name, write: compileCallText(text) }));
  return (heldOf, resolve) => {
    const sent: string[] = [];
    const shown: string[] = [];
    let isPending = false;
    for (const { name, write } of writers) {
      const pieces = write(heldOf, resolve)?.map((piece) => ({ ...piece, encoded: encoded(name, piece) }));
      if (pieces === undefined) continue;
      isPending ||= pieces.some(({ pending }) => pending);
      sent.push(formField(name, pieces.map((piece) => piece.encoded).join('')));
      shown.push(formField(name, pieces.map((piece) => piece.shown ?? piece.encoded).join('')));
    }
    if (isPending) return pendingContent(FORM_MEDIA_TYPE, shown.join('&'));
    return textContent(sent.join('&'), FORM_MEDIA_TYPE, shown.join('&'));
  };
}

function encoded(name: string, piece: Piece): string {
  try {
    return percentEncode(piece.text);
  } catch (error) {
    if (!(error instanceof PercentError)) throw error;
    throw unusable(`form field ${name}`, piece, error.reason.replace(/^it /, ''));
  }
}
