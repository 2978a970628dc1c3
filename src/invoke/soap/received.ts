import type { OpenedMessage } from '../../binding/soap/message.ts';
import type { Resolve } from '../../codec/index.ts';
import type { Attachment } from '../../model/value.ts';
import type { XmlElement } from '../../wire/xml/tree.ts';
import type { RawReply } from '../http/raw-reply.ts';
import { replyError } from '../reply/error.ts';

/** The message of a reply. What goes wrong with it is the call's error, also where its attachments are read later. */
export class ReceivedMessage {
  readonly root: XmlElement;
  readonly #message: OpenedMessage;
  readonly #raw: RawReply;

  constructor(message: OpenedMessage, raw: RawReply) {
    this.root = message.root;
    this.#message = message;
    this.#raw = raw;
  }

  include(): Promise<void> {
    return this.#message.include();
  }

  get resolve(): Resolve | undefined {
    const { resolve } = this.#message;
    return resolve === undefined ? undefined : (href) => this.#attachment(resolve(href));
  }

  async *segments(): AsyncGenerator<Attachment> {
    for await (const each of this.#telling(this.#message.segments())) yield this.#attachment(each);
  }

  async finish(): Promise<void> {
    try {
      await this.#message.finish();
    } catch (error) {
      throw this.#error(error);
    }
  }

  /** Frees what was kept of it, and gives up the connection where it has not been read to its end. */
  close(): void {
    this.#message.close();
    this.#raw.discard();
  }

  #attachment(attachment: Attachment): Attachment {
    const { contentType, name, length } = attachment;
    return {
      contentType,
      name,
      length,
      stream: () => this.#telling(attachment.stream()),
    };
  }

  async *#telling<T>(source: AsyncIterable<T>): AsyncGenerator<T> {
    try {
      for await (const each of source) yield each;
    } catch (error) {
      throw this.#error(error);
    }
  }

  #error(error: unknown): unknown {
    return replyError(error, this.#raw.called, this.#raw.status);
  }
}
