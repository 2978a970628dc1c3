import type { Attachment } from '../../model/value.ts';
import { fileNameOf } from '../../wire/multipart/headers.ts';
import type { ReplyContent } from '../callable.ts';
import { InvokeError } from '../error.ts';
import type { RawReply } from '../http/raw-reply.ts';

/** A reply whose body is binary content; can be read once, as it arrives. */
export class ReceivedContent implements ReplyContent {
  readonly attachment: Attachment;
  readonly #raw: RawReply;
  readonly #bytes: AsyncIterable<Uint8Array>;
  /** In bytes. */
  readonly #limit: number;
  #isBegun = false;

  /**
   * @param bytes the body, including the part that was read already
   * @throws InvokeError REPLY_TOO_LARGE if its Content-Length exceeds the limit
   */
  constructor(raw: RawReply, bytes: AsyncIterable<Uint8Array>, limit: number) {
    const length = lengthOf(raw);
    const disposition = raw.headers['content-disposition'];
    const name = disposition === undefined ? undefined : fileNameOf(disposition);
    this.#raw = raw;
    this.#bytes = bytes;
    this.#limit = limit;
    if (length !== undefined && length > limit) throw this.#tooLarge();
    this.attachment = {
      contentType: raw.headers['content-type'] ?? 'application/octet-stream',
      name,
      length,
      stream: () => this.#stream(),
    };
  }

  async *segments(): AsyncGenerator<Attachment> {}

  /** Reads the content and drops it, unless a reader has begun. */
  async finish(): Promise<void> {
    if (this.#isBegun) return;
    for await (const _ of this.#stream());
  }

  close(): void {
    this.#raw.discard();
  }

  async *#stream(): AsyncGenerator<Uint8Array> {
    if (this.#isBegun) throw new TypeError('the content of a reply can be read once');
    this.#isBegun = true;
    let seen = 0;
    for await (const chunk of this.#bytes) {
      seen += chunk.length;
      if (seen > this.#limit) {
        this.#raw.discard();
        throw this.#tooLarge();
      }
      yield chunk;
    }
  }

  #tooLarge(): InvokeError {
    const { called, status } = this.#raw;
    const reason = `the content of the reply is larger than ${this.#limit} bytes`;
    return new InvokeError('REPLY_TOO_LARGE', called, reason, { httpResponseCode: status });
  }
}

/** The length in bytes, if the head states it. Content-Length of compressed content is that of the compressed bytes. */
function lengthOf({ headers }: RawReply): number | undefined {
  const given = headers['content-length'];
  return given === undefined || headers['content-encoding'] !== undefined ? undefined : Number(given);
}
