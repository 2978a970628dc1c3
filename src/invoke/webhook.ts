import type { ResolveReference } from '../model/definition.ts';
import type { SigningCredential } from '../model/node.ts';
import { MASK } from '../model/redactor.ts';
import type { HmacSignature } from '../model/security.ts';
import { messageOf } from '../wire/error.ts';
import { hmacOf, readHeaderForm, readHmacKey, readSignedForm, writeHmacHeader } from '../wire/hmac.ts';
import { readSigningKey, type SignedWebhook, signWebhook, WEBHOOK_HEADERS, WEBHOOK_ID } from '../wire/webhook.ts';
import { resolveText } from './configuration.ts';
import { type Called, InvokeError, WebhookGone } from './error.ts';
import type { RawReply } from './http/raw-reply.ts';
import type { Outgoing } from './outgoing.ts';

/** The error for a 410 of a receiver. Its reply is discarded. */
export function goneBy(reply: RawReply, node: string): WebhookGone {
  reply.discard();
  return new WebhookGone(reply.called, node);
}

type Headers = Readonly<Record<string, string>>;

/** The headers that sign one request, by its id, its time in seconds since 1970 and the bytes of its body. */
interface SigningHeaders {
  readonly plain: Headers;
  readonly signature: Headers;
}

type Sign = (webhook: SignedWebhook) => SigningHeaders;

interface SignerPorts {
  /** Id of the node. */
  readonly node: string;
  readonly resolve: ResolveReference;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly called: Called;
}

/**
 * Signs the requests to a node.
 * @throws InvokeError CONFIGURATION for a secret that is not set, or of the wrong form
 */
export function signerOf(credential: SigningCredential, ports: SignerPorts): RequestSigner {
  const secrets = credential.secrets.map((text) => resolveText(text, ports.resolve));
  const sign = credential.kind === 'hmac' ? signByHmac(credential, secrets, ports) : signAsStandard(secrets, ports);
  return new RequestSigner(sign, secrets, credential.kind === 'webhook', ports);
}

const HINTS: Readonly<Record<SigningCredential['kind'], string>> = {
  webhook: 'A line end after it counts too. `whsec_` and the output of `openssl rand -base64 32` is such a secret.',
  hmac: 'A line end after it counts too. `secret-encoding` says whether it is text, base64 or hexadecimal digits.',
};

/** Why no request could be signed with a secret, with what to do; `undefined` when one can. The text is not quoted. */
export function secretFault(
  credential: SigningCredential,
  secret: string,
): { readonly reason: string; readonly hint: string } | undefined {
  try {
    if (credential.kind === 'hmac') readHmacKey(secret, credential.encoding);
    else readSigningKey(secret);
    return undefined;
  } catch (error) {
    return { reason: messageOf(error), hint: HINTS[credential.kind] };
  }
}

/** Standard Webhooks. */
function signAsStandard(secrets: readonly string[], ports: SignerPorts): Sign {
  const keys = keysOf(secrets, readSigningKey, HINTS.webhook, ports);
  const { id, timestamp, signature } = WEBHOOK_HEADERS;
  return (webhook) => ({
    plain: { [id]: webhook.id, [timestamp]: webhook.timestamp },
    signature: { [signature]: signWebhook(keys, webhook) },
  });
}

/** The form that the partner has chosen. */
function signByHmac(
  { encoding, header, algorithm, form, signed, timestamp, webhookId }: HmacSignature,
  secrets: readonly string[],
  ports: SignerPorts,
): Sign {
  const keys = keysOf(secrets, (text) => readHmacKey(text, encoding), HINTS.hmac, ports);
  const [written, content] = [readHeaderForm(form), readSignedForm(signed)];
  return (webhook) => {
    const digests = keys.map((key) => hmacOf(algorithm, key, content, webhook));
    return {
      plain: {
        ...(timestamp === undefined ? {} : { [timestamp]: webhook.timestamp }),
        ...(webhookId === undefined ? {} : { [webhookId]: webhook.id }),
      },
      signature: { [header]: writeHmacHeader(written, digests, webhook.timestamp) },
    };
  };
}

function keysOf<K>(
  secrets: readonly string[],
  read: (text: string) => K,
  hint: string,
  { node, called }: SignerPorts,
): readonly K[] {
  return secrets.map((secret, index) => {
    try {
      return read(secret);
    } catch (error) {
      const which = secrets.length === 1 ? 'the webhook secret' : `webhook secret ${index + 1}`;
      const reason = `${which} of node ${node} can't be used: ${messageOf(error)}`;
      throw new InvokeError('CONFIGURATION', called, reason, { hint });
    }
  });
}

/** Signs the requests to a node. */
export class RequestSigner {
  readonly #sign: Sign;
  readonly #ports: SignerPorts;
  /** Those that it signs with. */
  readonly secrets: readonly string[];
  /** It signs as Standard Webhooks has it, where 410 is the end of a subscription. */
  readonly isStandard: boolean;

  constructor(sign: Sign, secrets: readonly string[], isStandard: boolean, ports: SignerPorts) {
    this.#sign = sign;
    this.#ports = ports;
    this.secrets = secrets;
    this.isStandard = isStandard;
  }

  /** The signature of one call, in all of its attempts. @throws InvokeError BAD_INPUT for an id that can't be signed */
  of(id: string): RequestSignature {
    const { called, now } = this.#ports;
    if (!WEBHOOK_ID.test(id)) {
      const reason = `the message id ${JSON.stringify(id.slice(0, 100))} can't be a webhook-id`;
      const hint = 'It has at most 256 visible ASCII characters and no full stop.';
      throw new InvokeError('BAD_INPUT', called, reason, { hint });
    }
    return new RequestSignature(id, this.#sign, now);
  }
}

/**
 * Signs the attempts at one call: with the same id, and the time of each. No two have the same second: a receiver takes the second
 * of two that are equal for a copy.
 */
export class RequestSignature {
  readonly #id: string;
  readonly #sign: Sign;
  readonly #now: () => number;
  /** In seconds since 1970. */
  #last = 0;

  constructor(id: string, sign: Sign, now: () => number) {
    this.#id = id;
    this.#sign = sign;
    this.#now = now;
  }

  /** A signed copy of a request whose body is in memory. */
  on(outgoing: Outgoing): Outgoing {
    const { shown, text, whole } = outgoing;
    this.#last = Math.max(Math.floor(this.#now() / 1000), this.#last + 1);
    const timestamp = String(this.#last);
    const { plain, signature } = this.#sign({ id: this.#id, timestamp, body: whole ?? text ?? '' });
    return {
      ...outgoing,
      headers: { ...outgoing.headers, ...plain, ...signature },
      shown: {
        uri: shown.uri,
        get headers() {
          return { ...shown.headers, ...plain, ...masked(Object.keys(signature)) };
        },
        get body() {
          return shown.body;
        },
      },
    };
  }
}

const masked = (names: readonly string[]): Headers => Object.fromEntries(names.map((name) => [name, MASK]));
