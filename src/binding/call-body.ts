import { isAttachment } from '../codec/binary.ts';
import { CodecError, compileJsonFieldWriter, compileTextWriter, readJsonText, writeJsonText } from '../codec/index.ts';
import type { RestConsumer } from '../model/consumer.ts';
import type { Field } from '../model/field.ts';
import type { OperationUri } from '../model/service.ts';
import type { Attachment, DocumentValue, Value } from '../model/value.ts';
import { encodeFormValues, FORM_MEDIA_TYPE } from '../wire/form.ts';
import { parseMediaType } from '../wire/media-type.ts';
import { readXml, XmlError } from '../wire/xml-read.ts';
import { type CallContent, decodedContent, streamContent, textContent } from './call-content.ts';
import { compileDocumentContent } from './call-document.ts';
import { compileFormContent } from './call-form.ts';
import type { HeldOf, ResolveReference } from './call-held.ts';
import { compileShown, textsIn } from './call-shown.ts';
import type { CallValues } from './call-values.ts';
import { CONTENT } from './request-body.ts';

/** What the body of one call is made of. */
export interface BodySource {
  readonly heldOf: HeldOf;
  readonly resolve: ResolveReference;
  /** Members of the input that no field is declared for. */
  readonly undeclared: DocumentValue;
}

/** The body of a request by one URI. */
export interface CallBodyWriter {
  /** Fields that are the body, or stand in it. */
  readonly fields: readonly Field[];
  /** It takes members that no field is declared for. */
  readonly open: boolean;
  /** Undefined where there is none. @throws CodecError */
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
      const isXml = /[/+]xml$/.test(typeOf(operation) ?? '');
      const form = { format: isXml ? 'xml' : 'json', namespace } as const;
      const write = compileDocumentContent({ ...body.document, fields }, form);
      return { fields: uri.body, open, write: ({ heldOf, undeclared }) => write(heldOf, undeclared) };
    }
    case 'field':
      return compileFieldBody(operation, body.field, body.field.type.kind === 'json', values);
    case 'raw': {
      const field = operation.input.fields.find(({ name }) => name === CONTENT);
      if (field === undefined) throw new TypeError(`${operation.id} has a body, and no field ${CONTENT}`);
      return compileFieldBody(operation, field, false, values);
    }
  }
}

function withoutDefault(field: Field): Field {
  const { default: _, ...rest } = field;
  return rest;
}

/** What the definitions say that the body is, in small letters; undefined where that is not said, or is for each call to say. */
function typeOf({ headers }: RestConsumer): string | undefined {
  const parts = headers.find(({ name }) => name.toLowerCase() === 'content-type')?.text.parts;
  const text = parts?.map((part) => (part.kind === 'literal' ? part.text : '\0')).join('');
  return text === undefined ? undefined : parseMediaType(text)?.essence;
}

/** A body that is one field. @param isValue a string is a JSON value, rather than JSON text */
function compileFieldBody(operation: RestConsumer, field: Field, isValue: boolean, values: CallValues): CallBodyWriter {
  const write =
    field.type.kind === 'binary' ? compileBinary(operation, field) : compileTextual(operation, field, isValue);
  return {
    fields: [field],
    open: false,
    write({ heldOf }) {
      const held = heldOf(field);
      if (held === undefined) {
        if (field.required) throw values.missing(field);
        return undefined;
      }
      if (held.pending) return textContent('', 'application/octet-stream', held.shown);
      const content = write(held.value, held.shown);
      return held.shown === undefined ? content : { ...content, secrets: () => textsIn(held.value) };
    },
  };
}

type ContentWriter = (value: Value, shown: string | undefined) => CallContent;

function compileBinary({ properties }: RestConsumer, { name }: Field): ContentWriter {
  return (value, shown) => {
    if (typeof value === 'string' && properties.base64ToBinary)
      return streamContent(name, decodedContent(name, value), shown);
    if (!isAttachment(value)) {
      const hint = typeof value === 'string' ? '; Base64toBinary: Y takes one in base64' : '';
      throw new CodecError(name, `is no content with a stream${hint}`);
    }
    return streamContent(name, described(name, value), shown);
  };
}

function described(name: string, attachment: Attachment): Attachment {
  const { contentType } = attachment;
  if (parseMediaType(contentType) !== undefined) return attachment;
  throw new CodecError(name, `has the content type ${JSON.stringify(contentType)}, which is none`);
}

function compileTextual(operation: RestConsumer, field: Field, isValue: boolean): ContentWriter {
  const { kind } = field.type;
  const { name } = field;
  if (kind === 'json' || kind === 'document' || kind === 'list') {
    const write = kind === 'json' && !isValue ? jsonText : compileJsonFieldWriter(field);
    return (value, shown) =>
      textContent(
        naming(name, () => write(value)),
        'application/json',
        shown ?? shownJson(field, value),
      );
  }
  const write = compileTextWriter(field);
  const encode = !operation.properties.bodyAsBuilt && typeOf(operation) === FORM_MEDIA_TYPE;
  const contentType = kind === 'xml' ? 'application/xml' : 'text/plain; charset=utf-8';
  return (value, shown) => {
    const [text = ''] = write(value);
    if (!text.isWellFormed()) throw new CodecError(name, 'holds half of a surrogate pair, which UTF-8 does not carry');
    if (kind === 'xml') checkXml(name, text);
    return textContent(encode ? encodeFormValues(text) : text, contentType, shown);
  };
}

/** JSON of a message without a document: a string is JSON text, and sent as it is. */
function jsonText(value: Value): string {
  if (typeof value !== 'string') return writeJsonText(value);
  readJsonText(value);
  return value;
}

/** A complaint about all of a value is one about its field. */
function naming<T>(name: string, write: () => T): T {
  try {
    return write();
  } catch (error) {
    if (!(error instanceof CodecError)) throw error;
    if (error.path === name || error.path.startsWith(`${name}.`) || error.path.startsWith(`${name}[`)) throw error;
    const inside = error.path.startsWith('[') || error.path === '' ? error.path : `.${error.path}`;
    throw new CodecError(`${name}${inside}`, error.reason);
  }
}

/** The JSON of documents with what is sensitive in them masked; undefined for a value without. */
function shownJson(field: Field, value: Value): string | undefined {
  if (field.type.kind === 'json') return undefined;
  const { document, show } = compileShown({ ...BARE, fields: [field], at: field.at });
  const [shown] = document.fields;
  return shown && compileJsonFieldWriter(shown)(show({ [field.name]: value })[field.name]);
}

const BARE = { id: '', xmlName: '', root: false, open: false, inPlace: true } as const;

function checkXml(name: string, text: string): void {
  try {
    readXml(text);
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    throw new CodecError(name, `is not well-formed XML: ${error.message}`);
  }
}
