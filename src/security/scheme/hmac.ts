import { type HmacScheme, Refused } from '../../model/security.ts';
import {
  fingerprintOf,
  hasVariable,
  hmacInstant,
  hmacOf,
  isAmong,
  readHeaderForm,
  readHmacHeader,
  readHmacKey,
  readSignedForm,
  textBehind,
} from '../../wire/hmac.ts';
import { type Gate, REALM } from '../security-port.ts';
import { checkTime, keyReader, type SignedRequestPorts, senderOf } from './signed-request.ts';

/** Characters of the header: sixteen signatures by SHA-512 in hexadecimal digits, with the texts around them. */
const LONGEST = 4096;
/** Characters of a time or an id. */
const LONGEST_FACT = 256;

/**
 * Webhooks of one sender, in its own form. The body is read before the caller is known, within the limit of all bodies; it is
 * read only where the header has a signature and the time is acceptable, and used only once the signature was verified.
 * @throws Error for a secret of the wrong form
 */
export function compileHmac(scheme: HmacScheme, ports: SignedRequestPorts): Gate {
  const { resolve, clock = Date.now } = ports;
  const { header, algorithm, timestamp: timeHeader = header } = scheme;
  const name = header.toLowerCase();
  const form = readHeaderForm(scheme.form);
  const signed = readSignedForm(scheme.signed);
  const signsTime = hasVariable(signed, 'timestamp');
  const behindId = textBehind(signed, 'id');
  const keysOf = keyReader(scheme, resolve, (text) => readHmacKey(text, scheme.encoding));
  keysOf();
  return {
    verifier: {
      scheme,
      longest: LONGEST,
      find(shown) {
        const text = shown.content === undefined ? undefined : shown.header(name);
        if (text === undefined || name !== 'authorization') return text;
        // Other schemes have their credentials there too.
        return readHmacHeader(form, text.slice(0, LONGEST)).digests.length > 0 ? text : undefined;
      },
      challenge: () => `Webhook ${REALM}`,
    },
    async admit(text, shown) {
      if (text.length > LONGEST) throw new Refused(`${header} is too long`);
      const factOf = (from: string | undefined): string | undefined => {
        if (from === undefined) return undefined;
        const fact = shown?.header(from.toLowerCase());
        if (fact === undefined) throw new Refused(`${from} is missing`);
        if (fact.length > LONGEST_FACT) throw new Refused(`${from} is too long`);
        return fact;
      };
      const { digests, timestamp = factOf(scheme.timestamp) } = readHmacHeader(form, text);
      if (digests.length === 0) throw new Refused(`${header} has no signature of the form ${scheme.form}`);
      const id = factOf(scheme.webhookId);
      if (id !== undefined && behindId !== '' && id.includes(behindId))
        throw new Refused(
          `${scheme.webhookId} contains ${JSON.stringify(behindId)}, which separates the parts of what is signed`,
        );
      const sent = signsTime ? timeOf(timestamp, timeHeader) : undefined;
      if (sent !== undefined) checkTime(timeHeader, sent, scheme, clock());
      const facts = { timestamp, id, body: (await shown?.content?.()) ?? new Uint8Array() };
      const isOurs = keysOf().filter((key) => isAmong(hmacOf(algorithm, key, signed, facts), digests)).length > 0;
      if (!isOurs) throw new Refused(`no signature is of a secret of the scheme ${scheme.id}, for this request`);
      // By what is signed: a copy could have the signature of another secret.
      return senderOf(scheme, ports, sent === undefined ? undefined : { sent, texts: [fingerprintOf(signed, facts)] });
    },
  };
}

function timeOf(timestamp: string | undefined, name: string): number {
  const sent = timestamp === undefined ? undefined : hmacInstant(timestamp);
  if (sent === undefined) throw new Refused(`${name} has no time that can be read`);
  return sent;
}
