import { gzipSync } from 'node:zlib';
import { MASK } from '../model/redactor.ts';
import { messageOf } from '../wire/error.ts';
import { measured } from '../wire/measured.ts';
import { untilAborted } from '../wire/waiting.ts';
import { readSigningKey, signWebhook, WEBHOOK_HEADERS, WEBHOOK_ID, type WebhookKey } from '../wire/webhook.ts';
import { type Called, InvokeError, WebhookGone } from './error.ts';
import type { RawReply } from './http/raw-reply.ts';
import type { Outgoing } from './outgoing.ts';

/** The error for a 410 of a receiver. Its reply is discarded. */
export function goneBy(reply: RawReply, node: string): WebhookGone {
  reply.discard();
  return new WebhookGone(reply.called, node);
}

/** A node's secrets of webhooks. */
export class WebhookSigner {
  readonly #keys: readonly WebhookKey[];
  readonly #now: () => number;
  readonly #called: Called;

  /** @param now milliseconds since 1970 @throws InvokeError CONFIGURATION for a secret that is not a key of webhooks */
  constructor(secrets: readonly string[], node: string, now: () => number, called: Called) {
    this.#keys = secrets.map((secret, index) => {
      try {
        return readSigningKey(secret);
      } catch (error) {
        const which = secrets.length === 1 ? 'the webhook secret' : `webhook secret ${index + 1}`;
        const reason = `${which} of node ${node} can't be used: ${messageOf(error)}`;
        throw new InvokeError('CONFIGURATION', called, reason, {
          hint: 'A line end after it counts too. `whsec_` and the output of `openssl rand -base64 32` is such a secret.',
        });
      }
    });
    this.#now = now;
    this.#called = called;
  }

  /** The signature of one webhook, in all of its attempts. @throws InvokeError BAD_INPUT for an id that can't be signed */
  of(id: string): WebhookSignature {
    if (!WEBHOOK_ID.test(id)) {
      const reason = `the message id ${JSON.stringify(id.slice(0, 100))} can't be a webhook-id`;
      const hint = 'It has at most 256 visible ASCII characters and no full stop.';
      throw new InvokeError('BAD_INPUT', this.#called, reason, { hint });
    }
    return new WebhookSignature(id, this.#keys, this.#now);
  }
}

/** Signs the attempts at one webhook: with the same id, and the time of each. */
export class WebhookSignature {
  readonly #id: string;
  readonly #keys: readonly WebhookKey[];
  readonly #now: () => number;

  constructor(id: string, keys: readonly WebhookKey[], now: () => number) {
    this.#id = id;
    this.#keys = keys;
    this.#now = now;
  }

  /** A signed copy of a request whose body is in memory. */
  on(outgoing: Outgoing): Outgoing {
    const { shown, text, whole } = outgoing;
    const timestamp = String(Math.floor(this.#now() / 1000));
    const body = whole ?? text ?? '';
    const { id, timestamp: time, signature } = WEBHOOK_HEADERS;
    const plain = { [id]: this.#id, [time]: timestamp };
    return {
      ...outgoing,
      headers: {
        ...outgoing.headers,
        ...plain,
        [signature]: signWebhook(this.#keys, { id: this.#id, timestamp, body }),
      },
      shown: {
        uri: shown.uri,
        get headers() {
          return { ...shown.headers, ...plain, [signature]: MASK };
        },
        get body() {
          return shown.body;
        },
      },
    };
  }
}

interface BodyLimit {
  readonly what: string;
  readonly most: number;
}

/**
 * A request with exactly the bytes of its body in memory, to be signed and sent any number of times.
 * @param kept what it is, and the most bytes of its content before it is compressed
 * @throws InvokeError BAD_INPUT for content that is larger or can't be read; the reason of `signal`
 */
export async function buffered(
  outgoing: Outgoing,
  kept: BodyLimit,
  signal: AbortSignal | undefined,
  called: Called,
): Promise<Outgoing> {
  const { text, compress, length } = outgoing;
  if (length !== undefined && length > kept.most) throw tooLarge(kept, called);
  if (length === 0 || (text !== undefined && !compress)) return outgoing;
  const content = text === undefined ? await read(outgoing, kept, signal, called) : Buffer.from(text);
  const whole = compress ? gzipSync(content) : content;
  const coding = compress ? { 'Content-Encoding': 'gzip' } : {};
  const { shown } = outgoing;
  return {
    ...outgoing,
    headers: { ...outgoing.headers, ...coding },
    length: whole.length,
    text: undefined,
    whole,
    async *bytes() {
      yield whole;
    },
    again: true,
    compress: false,
    shown: { uri: shown.uri, headers: { ...shown.headers, ...coding }, body: shown.body },
  };
}

async function read(
  outgoing: Outgoing,
  kept: BodyLimit,
  signal: AbortSignal | undefined,
  called: Called,
): Promise<Buffer> {
  const reading = gathered(outgoing, kept, called);
  return signal === undefined ? reading : untilAborted(reading, signal);
}

async function gathered(outgoing: Outgoing, kept: BodyLimit, called: Called): Promise<Buffer> {
  const { length } = outgoing;
  const { most } = kept;
  const chunks: Uint8Array[] = [];
  let seen = 0;
  try {
    const content = { length, stream: () => outgoing.bytes() };
    for await (const chunk of measured(content)) {
      seen += chunk.length;
      if (seen > most) throw tooLarge(kept, called);
      chunks.push(Uint8Array.from(chunk));
    }
  } catch (error) {
    if (error instanceof InvokeError) throw error;
    throw new InvokeError('BAD_INPUT', called, `the input could not be read: ${messageOf(error)}`, { cause: error });
  }
  return Buffer.concat(chunks);
}

function tooLarge({ what, most }: BodyLimit, called: Called): InvokeError {
  const hint = 'Send large content by another call, and its address in this one; or raise the limit.';
  const reason = `${what} is signed as a whole, up to ${most} bytes (\`limits.body\`)`;
  return new InvokeError('BAD_INPUT', called, reason, { hint });
}
