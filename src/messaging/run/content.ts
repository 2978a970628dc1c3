import { attachmentsIn } from '../../codec/binary.ts';
import type { Blobs } from '../../model/blob.ts';
import { Fault } from '../../model/fault.ts';
import type { MessageQueue } from '../../model/message.ts';
import type { Attachment, DocumentValue } from '../../model/value.ts';
import type { MessageContentTable } from '../../store/tables/message.ts';
import { empty, streamOf } from '../../wire/measured.ts';
import { type DescribedAttachment, type Packed, pack, unpack } from './payload.ts';

/** A part of the content of a message, in its row or in a blob. */
export type ContentPart = Omit<Packed, 'content'> & {
  readonly part: string;
  readonly content: Uint8Array | null;
  readonly blob: string | null;
};

/** Compressed bytes from which content is a blob. */
const BLOB_FROM = 65_536;

/** The bounds of content, and where it is kept. */
export interface ContentOptions {
  /** Bytes of the largest payload. */
  readonly size: number;
  /** The key of the definitions that sets it, in words; absent without a limit. */
  readonly key?: string;
  /** Bytes of the largest attachment. */
  readonly attachment: number;
  /** They keep large content and attachments; without them these are kept in their rows, all within `size`. */
  readonly blobs?: Blobs | undefined;
}

/** The limit of the messages of a queue. */
export function sizeLimit({ size }: Pick<MessageQueue, 'size'>): Pick<ContentOptions, 'size' | 'key'> {
  return { size, key: '`size` of its queue' };
}

/** Keeps a payload of a message and its attachments within its bound. Attachments are parts of its name and their number. */
export class ContentWriter {
  /** Of the message. */
  readonly id: string;
  readonly parts: ContentPart[] = [];
  readonly #name: string;
  readonly #options: ContentOptions;
  /** Bytes that are in memory. */
  #inMemory = 0;
  /** Bytes so far. */
  size = 0;

  /** @param id of the message @param name of the part with the payload */
  constructor(id: string, name: string, options: ContentOptions) {
    this.id = id;
    this.#name = name;
    this.#options = options;
  }

  /** Adds the text of the payload. @throws Fault BODY_TOO_LARGE, STORAGE_FULL */
  async add(text: string): Promise<void> {
    const bytes = Buffer.from(text);
    this.#count(bytes.length);
    const { blobs } = this.#options;
    const packed = await pack(bytes);
    if (blobs === undefined || packed.content.length <= BLOB_FROM) {
      this.parts.push({ part: this.#name, ...packed, blob: null });
      return;
    }
    const blob = this.#keyOf(this.#name);
    const { content } = packed;
    this.parts.push({ part: this.#name, ...packed, content: null, blob });
    await blobs.put(blob, { contentType: OCTETS, length: content.length, stream: streamOf(content) });
  }

  /**
   * Streams attachments into blobs; without blobs, reads them into memory.
   * @throws Fault BODY_TOO_LARGE, ATTACHMENT_TOO_LARGE, STORAGE_FULL
   */
  async addAttachments(value: DocumentValue): Promise<ReadonlyMap<Attachment, DescribedAttachment>> {
    const described = new Map<Attachment, DescribedAttachment>();
    for (const attachment of attachmentsIn(value)) {
      if (described.has(attachment)) continue;
      const { contentType, name } = attachment;
      const number = described.size + 1;
      const length = await this.#addAttachment(partOf(this.#name, number), attachment);
      described.set(attachment, { number, contentType, ...(name === undefined ? {} : { name }), length });
    }
    return described;
  }

  /** @returns its length */
  async #addAttachment(part: string, attachment: Attachment): Promise<number> {
    const before = this.size;
    const { blobs } = this.#options;
    if (blobs === undefined) {
      const chunks: Uint8Array[] = [];
      for await (const chunk of this.#counted(attachment)) chunks.push(Buffer.from(chunk));
      const content = Buffer.concat(chunks);
      this.parts.push({ part, encoding: 'plain', content, size: content.length, blob: null });
    } else {
      const blob = this.#keyOf(part);
      const { contentType, length } = attachment;
      const at = this.parts.push({ part, encoding: 'plain', content: null, size: 0, blob }) - 1;
      const stored = await blobs.put(blob, { contentType, length, stream: () => this.#counted(attachment) });
      this.parts[at] = { part, encoding: 'plain', content: null, size: stored.length, blob };
    }
    return this.size - before;
  }

  async *#counted(attachment: Attachment): AsyncGenerator<Uint8Array> {
    const { attachment: limit, blobs } = this.#options;
    let length = 0;
    for await (const chunk of attachment.stream()) {
      length += chunk.length;
      if (length > limit) throw Fault.of('ATTACHMENT_TOO_LARGE', { limit });
      if (blobs === undefined) this.#count(chunk.length);
      else this.size += chunk.length;
      yield chunk;
    }
  }

  #count(bytes: number): void {
    const { size: limit, key } = this.#options;
    this.size += bytes;
    this.#inMemory += bytes;
    if (this.#inMemory > limit) throw Fault.of('BODY_TOO_LARGE', { limit, key });
  }

  #keyOf(part: string): string {
    return `${this.id}/${part}`;
  }
}

const OCTETS = 'application/octet-stream';

/** Removes the blobs of content that was not entered. Those that can't be removed now expire. */
export async function discard(parts: readonly ContentPart[], blobs: Blobs | undefined): Promise<void> {
  for (const { blob } of parts) if (blob !== null) await blobs?.delete(blob).catch(() => {});
}

/** The name of the part with an attachment of a payload. @param number from 1 */
function partOf(name: string, number: number): string {
  return `${name}.${number}`;
}

/** A payload that is kept. */
export interface KeptContent {
  readonly text: string;
  /** The attachment of a description. @throws Error when it is not kept any more */
  open(described: DescribedAttachment): Attachment;
}

/**
 * Reads a payload from the rows of its content; `undefined` when it is not among them. Its attachments are found at once and read
 * when their streams begin: within a transaction on SQLite only their files can be read.
 * @param blobs without them, content that is a blob can't be read
 * @throws errors of blobs
 */
export async function readContent(
  rows: readonly MessageContentTable[],
  name: string,
  blobs: Blobs | undefined,
): Promise<KeptContent | undefined> {
  const payload = rows.find(({ part }) => part === name);
  if (payload === undefined) return undefined;
  const attachments = new Map<string, () => AsyncIterable<Uint8Array>>();
  for (const row of rows)
    if (row.part.startsWith(`${name}.`)) attachments.set(row.part, await streamOfPart(blobs, row));
  const chunks: Uint8Array[] = [];
  if (payload.content !== null) chunks.push(payload.content);
  else for await (const chunk of (await findBlob(blobs, payload.blob ?? '')).stream()) chunks.push(Buffer.from(chunk));
  return {
    text: unpack(payload.encoding, Buffer.concat(chunks), Number(payload.size)).toString(),
    open({ number, contentType, name: fileName, length }) {
      const stream = attachments.get(partOf(name, number));
      if (stream === undefined)
        throw new Error(`attachment ${number} of message ${payload.message} is not kept any more`);
      return { contentType, ...(fileName === undefined ? {} : { name: fileName }), length, again: true, stream };
    },
  };
}

async function streamOfPart(
  blobs: Blobs | undefined,
  { content, encoding, size, blob }: MessageContentTable,
): Promise<() => AsyncIterable<Uint8Array>> {
  if (content !== null) return streamOf(unpack(encoding, content, Number(size)));
  // Where nothing is delivered, no stream begins.
  const found = blobs === undefined ? undefined : await findBlob(blobs, blob ?? '');
  return () => (found ?? EMPTY).stream();
}

const EMPTY = { stream: empty };

async function findBlob(blobs: Blobs | undefined, key: string) {
  const blob = await blobs?.get(key);
  if (blob === undefined) throw new Error(`the content ${key} of a message is not available here`);
  return blob;
}
