import { everyField } from '../model/derivation.ts';
import type { Document } from '../model/document.ts';
import type { FieldType } from '../model/field.ts';
import type { Attachment, DocumentValue, Value } from '../model/value.ts';
import { refuse, stepOf, within } from './error.ts';
import { checkDepth, holdsPrimitive, isInherited, mapEntries, ownMember, setMember } from './value.ts';

/** Binary content that arrived inside a document and is therefore entirely in memory. */
export class MemoryAttachment implements Attachment {
  readonly contentType: string;
  readonly name?: string;
  readonly rawName?: string;
  readonly length: number;
  readonly again = true;
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array, described: Partial<Pick<Attachment, 'contentType' | 'name' | 'rawName'>> = {}) {
    this.bytes = bytes;
    this.length = bytes.byteLength;
    this.contentType = described.contentType ?? 'application/octet-stream';
    if (described.name !== undefined) this.name = described.name;
    if (described.rawName !== undefined) this.rawName = described.rawName;
  }

  async *stream(): AsyncIterable<Uint8Array> {
    yield this.bytes;
  }
}

/** Content that is not in its element, which has the `cid:` address of the part with it. */
export class ReferredAttachment implements Attachment {
  readonly #content: Attachment;

  constructor(content: Attachment) {
    this.#content = content;
  }

  get contentType(): string {
    return this.#content.contentType;
  }

  get name(): string | undefined {
    return this.#content.name;
  }

  get rawName(): string | undefined {
    return this.#content.rawName;
  }

  get length(): number | undefined {
    return this.#content.length;
  }

  get again(): boolean {
    return this.#content.again === true;
  }

  stream(): AsyncIterable<Uint8Array> {
    return this.#content.stream();
  }
}

/** Reads base64 (RFC 4648, section 4), padded and without line breaks. */
export function fromBase64(text: string): MemoryAttachment {
  const bytes = Buffer.from(text, 'base64');
  // Buffer ignores characters that are not base64, so the result is encoded again and compared.
  if (bytes.toString('base64') !== text) refuse('is not base64');
  return new MemoryAttachment(bytes);
}

/** Encodes as base64. Only content in memory can be written into a document; {@link readAttachment} loads a stream. */
export function toBase64(value: unknown): string {
  if (!(value instanceof MemoryAttachment)) return refuse('is a stream, which no document can hold before it is read');
  const { buffer, byteOffset, byteLength } = value.bytes;
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64');
}

/** Whether a value has the shape of an {@link Attachment}. */
export function isAttachment(value: unknown): value is Attachment {
  return typeof value === 'object' && value !== null && 'stream' in value && typeof value.stream === 'function';
}

/** Attachments that a value holds, at any depth. */
export function* attachmentsIn(value: Value): Generator<Attachment> {
  if (typeof value !== 'object' || value === null) return;
  if (isAttachment(value)) yield value;
  else for (const each of Object.values(value)) yield* attachmentsIn(each as Value);
}

/** The same content under a media type. */
export function withMediaType(content: Attachment, contentType: string): Attachment {
  if (content.contentType === contentType) return content;
  const { name, rawName, length, again = false } = content;
  if (content instanceof MemoryAttachment) return new MemoryAttachment(content.bytes, { contentType, name, rawName });
  const typed = {
    contentType,
    name,
    ...(rawName === undefined ? {} : { rawName }),
    length,
    again,
    stream: () => content.stream(),
  };
  return content instanceof ReferredAttachment ? new ReferredAttachment(typed) : typed;
}

/** A copy of a value with other attachments. */
export function withAttachments(value: Value, by: (attachment: Attachment) => Attachment): Value {
  if (typeof value !== 'object' || value === null) return value;
  if (isAttachment(value)) return by(value);
  if (Array.isArray(value)) return value.map((each) => withAttachments(each as Value, by));
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withAttachments(each as Value, by)]));
}

/**
 * Reads an attachment into memory, so that a document can hold it.
 * @param limit in bytes; reading stops beyond it
 * @throws CodecError when it is longer
 */
export async function readAttachment(attachment: Attachment, limit: number): Promise<MemoryAttachment> {
  if (attachment instanceof MemoryAttachment) return attachment;
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of attachment.stream()) {
    length += chunk.byteLength;
    if (length > limit) refuse(`is longer than ${limit} bytes`);
    chunks.push(chunk);
  }
  return new MemoryAttachment(Buffer.concat(chunks), attachment);
}

/** Loads the streams in a document's binary fields into memory, so that they can be written as base64. */
export type Inline = (value: DocumentValue, limit: number) => Promise<DocumentValue>;

/** The same for any value; a value of the wrong type is left unchanged, for the writer to reject. */
type InlineValue = (value: Value, limit: number, depth: number) => Value | Promise<Value>;

/**
 * Compiles an {@link Inline} for a document; `undefined` when it has no binary field, so nothing needs to be awaited.
 * The limit, in bytes, applies to each attachment.
 */
export function compileInline(document: Document): Inline | undefined {
  if (!holdsPrimitive({ kind: 'document', document }, 'binary')) return undefined;
  const inline = documentInline(document, new Map());
  return async (value, limit) => (await inline(value, limit, 1)) as DocumentValue;
}

function documentInline(document: Document, known: Map<Document, InlineValue>): InlineValue {
  const found = known.get(document);
  if (found !== undefined) return found;
  const fields: { readonly name: string; readonly inherited: boolean; readonly inline: InlineValue }[] = [];
  const compiled: InlineValue = async (value, limit, depth) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    checkDepth(depth);
    const source = value as DocumentValue;
    const inlined: Record<string, Value> = { ...source };
    for (const { name, inherited, inline } of fields) {
      const given = ownMember(source, name, inherited) as Value;
      if (given === undefined || given === null) continue;
      try {
        setMember(inlined, name, await inline(given, limit, depth + 1));
      } catch (error) {
        throw within(error, name);
      }
    }
    return inlined;
  };
  // Registered before its fields are compiled: a document may contain itself.
  known.set(document, compiled);
  for (const { name, type } of everyField(document)) {
    if (holdsPrimitive(type, 'binary'))
      fields.push({ name, inherited: isInherited(name), inline: typeInline(type, known) });
  }
  return compiled;
}

function typeInline(type: FieldType, known: Map<Document, InlineValue>): InlineValue {
  if (type.kind === 'document') return documentInline(type.document, known);
  if (type.kind === 'map') return mapInline(typeInline(type.item, known));
  if (type.kind !== 'list') return (value, limit) => (isAttachment(value) ? readAttachment(value, limit) : value);
  const inline = typeInline(type.item, known);
  return async (value, limit, depth) => {
    if (!Array.isArray(value)) return value;
    const entries: Value[] = [];
    for (const [index, entry] of (value as readonly Value[]).entries()) {
      try {
        entries.push(await inline(entry, limit, depth + 1));
      } catch (error) {
        throw within(error, index);
      }
    }
    return entries;
  };
}

function mapInline(inline: InlineValue): InlineValue {
  return async (value, limit, depth) => {
    const inlined: Record<string, Value> = {};
    for (const [key, each] of mapEntries(value)) {
      try {
        setMember(inlined, key, await inline(each, limit, depth + 1));
      } catch (error) {
        throw within(error, stepOf(key));
      }
    }
    return inlined;
  };
}
