import type { ConsoleGateway, Visitor } from './support.ts';

/** The first event of a stream. */
export const OPENED = 'retry: 3000\n\n';
/** The last one of a session that has ended. */
export const ENDED = 'event: ended\ndata: session\n\n';

/** A stream of events, read as it comes. */
export class Stream {
  readonly reply: Response;
  text = '';
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder = new TextDecoder();

  constructor(reply: Response) {
    this.reply = reply;
    this.#reader = (reply.body as ReadableStream<Uint8Array>).getReader();
  }

  /** Reads until a text has come. */
  async until(text: string): Promise<void> {
    while (!this.text.includes(text)) if (!(await this.#read())) throw new Error(`the stream ended: ${this.text}`);
  }

  /** Reads to the end of the stream. */
  async toEnd(): Promise<string> {
    while (await this.#read());
    return this.text;
  }

  close(): Promise<void> {
    return this.#reader.cancel();
  }

  async #read(): Promise<boolean> {
    const { done, value } = await this.#reader.read();
    if (value !== undefined) this.text += this.#decoder.decode(value, { stream: true });
    return !done;
  }
}

/** Opens the stream of a live page. */
export async function followTopics(
  { gateway }: Pick<ConsoleGateway, 'gateway'>,
  { cookie }: Pick<Visitor, 'cookie'>,
  topics = 'queues',
): Promise<Stream> {
  const address = `${gateway.address}/console/live?topics=${encodeURIComponent(topics)}`;
  return new Stream(await fetch(address, { headers: { Cookie: cookie } }));
}
