import { Refused, type WebhookScheme } from '../../model/security.ts';
import { readVerifyingKey, verifyWebhook, WEBHOOK_HEADERS, WEBHOOK_ID } from '../../wire/webhook.ts';
import { type Gate, REALM } from '../security-port.ts';
import { checkTime, keyReader, type SignedRequestPorts, senderOf } from './signed-request.ts';

/** Characters of webhook-signature: sixteen signatures of either kind fit. */
const LONGEST = 2048;

/**
 * Webhooks of one sender. The body is read before the caller is known, within the limit of all bodies; it is read only where id
 * and time are acceptable, and used only once its signature was verified.
 * @throws Error for a secret of the wrong form
 */
export function compileWebhook(scheme: WebhookScheme, ports: SignedRequestPorts): Gate {
  const { resolve, clock = Date.now } = ports;
  const { id, timestamp, signature } = WEBHOOK_HEADERS;
  const keysOf = keyReader(scheme, resolve, readVerifyingKey);
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
      checkTime('webhook-timestamp', sent, scheme, clock());
      const body = (await shown?.content?.()) ?? new Uint8Array();
      if (!verifyWebhook(keysOf(), { ...webhook, body }, signatures))
        throw new Refused(`no signature is of a secret of the scheme ${scheme.id}, for this id, time and body`);
      // A sender that tries again has the same id with a new time; the same of both is a copy.
      return senderOf(scheme, ports, { sent, texts: [webhook.timestamp, webhook.id] });
    },
  };
}
