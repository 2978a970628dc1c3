import { MASK } from '../model/redactor.ts';
import { messageOf } from '../wire/error.ts';
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
