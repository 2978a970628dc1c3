import { createHash } from 'node:crypto';
import type { ConfigText } from '../../model/definition.ts';
import { Refused, type WebhookScheme } from '../../model/security.ts';
import type { Nonces } from '../../store/index.ts';
import { messageOf } from '../../wire/error.ts';
import { readVerifyingKey, verifyWebhook, WEBHOOK_HEADERS, WEBHOOK_ID, type WebhookKey } from '../../wire/webhook.ts';
import { reading } from '../database.ts';
import type { Directory } from '../directory/directory-port.ts';
import { type Gate, REALM } from '../security-port.ts';

interface WebhookPorts {
  readonly directory: Directory;
  readonly nonces: Nonces;
  readonly resolve: (text: ConfigText) => string;
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
}

/** Characters of webhook-signature: sixteen signatures of either kind fit. */
const LONGEST = 2048;

/**
 * Webhooks of one sender. The body is read before the caller is known, within the limit of all bodies; it is read only where id
 * and time are acceptable, and used only once its signature was verified.
 * @throws Error for a secret of the wrong form
 */
export function compileWebhook(
  scheme: WebhookScheme,
  { directory, nonces, resolve, clock = Date.now }: WebhookPorts,
): Gate {
  const { id, timestamp, signature } = WEBHOOK_HEADERS;
  const keysOf = keyReader(scheme, resolve);
  keysOf();
  return {
    verifier: {
      scheme,
      longest: LONGEST,
      find: (shown) => (shown.content === undefined ? undefined : shown.header(signature)),
      challenge: () => `Webhook ${REALM}`,
    },
    async admit(signatures, shown) {
      if (signatures.length > LONGEST) throw new Refused('webhook-signature is too long');
      const webhook = { id: shown?.header(id) ?? '', timestamp: shown?.header(timestamp) ?? '' };
      if (!WEBHOOK_ID.test(webhook.id)) throw new Refused('webhook-id is missing, or is not an id of a webhook');
      if (!/^\d{1,12}$/.test(webhook.timestamp))
        throw new Refused('webhook-timestamp is missing, or is not a number of seconds');
      const sent = Number(webhook.timestamp) * 1000;
      if (Math.abs(clock() - sent) > scheme.tolerance)
        throw new Refused(`webhook-timestamp differs from the time here by more than ${scheme.tolerance / 1000} s`);
      const body = (await shown?.content?.()) ?? new Uint8Array();
      if (!verifyWebhook(keysOf(), { ...webhook, body }, signatures))
        throw new Refused(`no signature is of a secret of the scheme ${scheme.id}, for this id, time and body`);
      const user = await directory.find(scheme.user);
      if (user === undefined)
        throw new Refused(`the user ${scheme.user} of the scheme ${scheme.id} is unknown or disabled`);
      // A sender that tries again has the same id with a new time; the same of both is a copy.
      const mark = createHash('sha256').update(`webhook ${scheme.id} ${webhook.timestamp} ${webhook.id}`).digest('hex');
      if (!(await reading(() => nonces.take([mark], sent + scheme.tolerance + AFTER))))
        throw new Refused('this webhook was seen before: a replay');
      return { user, scheme };
    },
  };
}

/** Milliseconds by which the clocks of two gateways may differ: for each, a webhook that it still accepts is known. */
const AFTER = 60_000;

/** Reads the keys again when their text changes, because a file with a secret was replaced. */
function keyReader({ id, secrets }: WebhookScheme, resolve: (text: ConfigText) => string): () => readonly WebhookKey[] {
  let from: string | undefined;
  let keys: readonly WebhookKey[] = [];
  return () => {
    const texts = secrets.map(resolve);
    const now = JSON.stringify(texts);
    if (now === from) return keys;
    keys = texts.map((text, index) => {
      try {
        return readVerifyingKey(text);
      } catch (error) {
        throw new Error(`webhook secret ${index + 1} of the scheme ${id} can't be used: ${messageOf(error)}`);
      }
    });
    from = now;
    return keys;
  };
}
