import type { Attachment, Value } from '../model/value.ts';
import { refuse } from './error.ts';

/** Binary content that came inside a document and is therefore in memory whole. */
export class MemoryAttachment implements Attachment {
  readonly contentType: string;
  readonly name?: string;
  readonly length: number;
  readonly again = true;
  readonly bytes: Uint8Array;

  constructor(
    bytes: Uint8Array,
    described: { readonly contentType?: string; readonly name?: string | undefined } = {},
  ) {
    this.bytes = bytes;
    this.length = bytes.byteLength;
    this.contentType = described.contentType ?? 'application/octet-stream';
    if (described.name !== undefined) this.name = described.name;
  }

  async *stream(): AsyncIterable<Uint8Array> {
    yield this.bytes;
  }
}

/** Reads base64 (RFC 4648, section 4), padded and without line breaks. */
export function fromBase64(text: string): MemoryAttachment {
  const bytes = Buffer.from(text, 'base64');
  // Buffer passes over what is no base64, so what it took is written again and compared.
  if (bytes.toString('base64') !== text) refuse('is not base64');
  return new MemoryAttachment(bytes);
}

/** Writes base64. Only content in memory can be written into a document; {@link readAttachment} brings a stream there. */
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

/**
 * Reads an attachment whole, so that a document can hold it.
 * @param limit in bytes; reading stops beyond it
 * @throws CodecError where it is longer
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
