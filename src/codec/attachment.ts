import { EventEmitter } from 'node:events';
import type { Attachment as Content } from '../model/value.ts';
import { OCTETS, sentMediaType } from '../wire/file-type.ts';

/** What an {@link Attachment} is made from. */
export type AttachmentContent =
  | Uint8Array
  | string
  | Blob
  | AsyncIterable<Uint8Array | string>
  | Iterable<Uint8Array | string>;

/** How content is described. */
export interface AttachmentOptions {
  /** Its media type. Without it, the one that the name suggests, or that of the content: `text/plain` of a text. */
  readonly type?: string;
  /** Its file name, without a path. */
  readonly name?: string;
  /** In bytes, of a stream whose length is known. */
  readonly length?: number;
}

/** Binary content, read as a stream: see {@link Content}. */
export type Attachment = Content;

/** Makes content. */
export const Attachment = {
  /**
   * Content as code makes it: bytes, a text (in UTF-8), a Blob, or a stream of Node or of the web, whose pieces are read as they
   * are sent. Bytes, texts, Blobs and arrays can be sent again, a stream once.
   * @throws TypeError for other content, and for a name with a path
   */
  from(content: AttachmentContent, { type, name, length }: AttachmentOptions = {}): Attachment {
    if (name !== undefined && /[/\\\0]/.test(name))
      throw new TypeError(`the name of an attachment has no path: ${JSON.stringify(name)}`);
    const of = sourceOf(content, length);
    const own = type ?? (name === undefined ? undefined : sentMediaType(undefined, { name, otherwise: of.type }));
    return {
      contentType: own ?? of.type,
      ...(name === undefined ? {} : { name }),
      ...(of.length === undefined ? {} : { length: of.length }),
      ...(of.again ? { again: true } : {}),
      stream: of.stream,
    };
  },
};

/** Content that can be read. */
interface ContentSource {
  /** Its media type, when nothing else says it. */
  readonly type: string;
  readonly length: number | undefined;
  readonly again: boolean;
  stream(): AsyncIterable<Uint8Array>;
}

function sourceOf(content: AttachmentContent, length: number | undefined): ContentSource {
  if (typeof content === 'string') return { ...inMemory(Buffer.from(content)), type: 'text/plain; charset=utf-8' };
  if (content instanceof Uint8Array) return inMemory(content);
  if (content instanceof Blob)
    return { type: content.type || OCTETS, length: content.size, again: true, stream: () => pieces(content.stream()) };
  if (Array.isArray(content)) return { type: OCTETS, length, again: true, stream: () => pieces(content) };
  const isStream = typeof content === 'object' && content !== null;
  if (!isStream || !(Symbol.asyncIterator in content || Symbol.iterator in content))
    throw new TypeError('an attachment is made from bytes, a text, a Blob or a stream');
  // One that fails before it is read would end the process; reading it throws its error then.
  if (content instanceof EventEmitter) content.on('error', () => undefined);
  let isRead = false;
  return {
    ...{ type: OCTETS, length, again: false },
    stream() {
      if (isRead) throw new Error('the stream of the attachment has been read');
      isRead = true;
      return pieces(content);
    },
  };
}

function inMemory(bytes: Uint8Array): ContentSource {
  return { type: OCTETS, length: bytes.byteLength, again: true, stream: () => pieces([bytes]) };
}

async function* pieces(
  content: AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>,
): AsyncGenerator<Uint8Array> {
  for await (const piece of content) yield typeof piece === 'string' ? Buffer.from(piece) : piece;
}
