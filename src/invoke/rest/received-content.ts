import type { Attachment } from '../../model/value.ts';
import { fileNameOf } from '../../wire/multipart/headers.ts';
import type { ReplyContent } from '../callable.ts';
import { InvokeError } from '../error.ts';
import type { RawReply } from '../http/raw-reply.ts';

/** The body of a reply that is content: read as it comes, once. */
export class ReceivedContent implements ReplyContent {
  readonly attachment: Attachment;
  readonly #raw: RawReply;
  readonly #bytes: AsyncIterable<Uint8Array>;
  /** Bytes that it may have. */
  readonly #limit: number;
  #isBegun = false;

  /**
   * @param bytes its body, where some of it has been read
   * @throws InvokeError REPLY_TOO_LARGE where its head says so
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

  /** Nobody has begun to read it: then it is passed over. */
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

/** Bytes of the content, where the head says it: of a compressed one it says how many travel. */
function lengthOf({ headers }: RawReply): number | undefined {
  const given = headers['content-length'];
  return given === undefined || headers['content-encoding'] !== undefined ? undefined : Number(given);
}
