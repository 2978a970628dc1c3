import { promisify } from 'node:util';
import { deflateRaw, deflateRawSync, inflateRawSync } from 'node:zlib';
import { CONTENT, reading } from '../../binding/message.ts';
import { attachmentsIn, MemoryAttachment, withAttachments } from '../../codec/binary.ts';
import { compileJsonReader } from '../../codec/index.ts';
import { compileJsonWriter } from '../../codec/json/write.ts';
import type { Position } from '../../model/definition.ts';
import { everyField } from '../../model/derivation.ts';
import type { Document } from '../../model/document.ts';
import type { Field } from '../../model/field.ts';
import type { Message, Operation, RawKind } from '../../model/service.ts';
import type { Attachment, DocumentValue } from '../../model/value.ts';

/** Writes and reads the payload of messages, as JSON by their document. Attachments are kept apart. */
export interface PayloadCodec {
  /** @param described what takes the place of attachments @throws Fault BAD_BODY, BAD_PARAMETER */
  write(value: DocumentValue, described: ReadonlyMap<Attachment, DescribedAttachment>): string;
  /** @param open the attachment of a description @throws Fault BAD_BODY, BAD_PARAMETER */
  read(text: string, open: (described: DescribedAttachment) => Attachment): DocumentValue;
}

/** An attachment of a message, as its payload has it: in place, as the bytes of a value. */
export interface DescribedAttachment {
  /** From 1, in the order of the document: part `request.<number>` of the content. */
  readonly number: number;
  readonly contentType: string;
  readonly name?: string;
  readonly length: number;
}

/** The fields of a message: those of the request's document, its content, and those that only a URI or a header has. */
export function messageFields(operation: Operation): readonly Field[] {
  return everyField(messageDocument(operation));
}

/** The document of those fields. */
export function messageDocument(operation: Operation): Document {
  const { request, uris, requestHeaders } = operation;
  const document = documentOf(request, operation);
  const own = document.fields;
  const outside = [...uris.flatMap(({ variables }) => variables), ...requestHeaders].map(({ field }) => field);
  const others = new Map(outside.map((field) => [field.name, field]));
  for (const { name } of own) others.delete(name);
  if (request.kind === 'document' && others.size === 0) return request.document;
  // Of several URIs a request has one.
  return { ...document, fields: [...own, ...[...others.values()].map((field) => ({ ...field, required: false }))] };
}

/** The document of a request or a reply, or one with its content. */
function documentOf(message: Message, { id, at }: { readonly id: string; readonly at: Position }): Document {
  if (message.kind === 'document') return message.document;
  const fields = message.kind === 'raw' ? [contentField(message.raw, at)] : [];
  return { id, xmlName: id, root: false, open: false, inPlace: true, fields, at };
}

function contentField(raw: RawKind, at: Position): Field {
  const name = { name: CONTENT, jsonName: CONTENT, xmlName: CONTENT, type: { kind: raw } } as const;
  return {
    ...name,
    required: false,
    anyCase: false,
    sensitive: false,
    attribute: false,
    absent: 'omit',
    url: 'segment',
    at,
  };
}

/** Compiles the codec of an operation's messages. */
export function compilePayload(operation: Operation): PayloadCodec {
  return compileCodec(messageDocument(operation));
}

/** Compiles the codec of a reply. @param of the operation that is answered with it */
export function compileReplyCodec(reply: Message, of: { readonly id: string; readonly at: Position }): PayloadCodec {
  return compileCodec(documentOf(reply, of));
}

function compileCodec(document: Document): PayloadCodec {
  const [write, read] = [compileJsonWriter(document), compileJsonReader(document)];
  return {
    write(value, described) {
      const isPlain = attachmentsIn(value).next().done;
      const plain = isPlain ? value : (withAttachments(value, (each) => markOf(each, described)) as DocumentValue);
      return reading(() => write(plain), document);
    },
    read(text, open) {
      const value = reading(() => read(text), document);
      if (attachmentsIn(value).next().done) return value;
      return withAttachments(value, (each) => open(descriptionIn(each))) as DocumentValue;
    },
  };
}

function markOf(attachment: Attachment, described: ReadonlyMap<Attachment, DescribedAttachment>): Attachment {
  return new MemoryAttachment(Buffer.from(JSON.stringify(described.get(attachment))));
}

function descriptionIn(attachment: Attachment): DescribedAttachment {
  return JSON.parse(Buffer.from((attachment as MemoryAttachment).bytes).toString()) as DescribedAttachment;
}

/** Content as its row has it. */
export interface Packed {
  readonly encoding: 'plain' | 'deflate';
  readonly content: Uint8Array;
  /** Bytes before it was compressed. */
  readonly size: number;
}

/** Bytes below which compressing gains nothing. */
const SMALL = 200;
/** Bytes from which compressing does not block the event loop. */
const LARGE = 32_768;

const deflated = promisify(deflateRaw);

/** Compresses content (RFC 1951) when that makes it smaller. @param small bytes below which it is not tried */
export async function pack(bytes: Uint8Array, small: number = SMALL): Promise<Packed> {
  const size = bytes.length;
  if (size >= small) {
    const content = size < LARGE ? deflateRawSync(bytes, { level: 1 }) : await deflated(bytes, { level: 1 });
    if (content.length < size) return { encoding: 'deflate', content, size };
  }
  return { encoding: 'plain', content: bytes, size };
}

/** The bytes of packed content. @throws Error when it is damaged */
export function unpack(encoding: string, content: Uint8Array, size: number): Buffer {
  if (encoding !== 'deflate') return Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  return inflateRawSync(content, { maxOutputLength: Math.max(size, 1) });
}
