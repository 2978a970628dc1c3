import { createSecretKey, type KeyObject } from 'node:crypto';
import { type HmacScheme, Refused } from '../../model/security.ts';
import { WireError } from '../../wire/error.ts';
import { hmacInstant, hmacOf, isAmong, readHeaderForm, readHmacHeader, readSignedForm } from '../../wire/hmac.ts';
import { type Gate, REALM } from '../security-port.ts';
import { checkTime, keyReader, type SignedRequestPorts, senderOf } from './signed-request.ts';

/** Characters of the header: sixteen signatures by SHA-512 in hexadecimal digits fit, with what stands around them. */
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
  const { header, algorithm } = scheme;
  const pieces = readHeaderForm(scheme.form);
  const signed = readSignedForm(scheme.signed);
  const signsTime = signed.some((part) => 'name' in part && part.name === 'timestamp');
  const keysOf = keyReader(scheme, resolve, (text) => keyOf(text, scheme.encoding));
  keysOf();
  return {
    verifier: {
      scheme,
      longest: LONGEST,
      find: (shown) => (shown.content === undefined ? undefined : shown.header(header.toLowerCase())),
      challenge: () => `Webhook ${REALM}`,
    },
    async admit(text, shown) {
      if (text.length > LONGEST) throw new Refused(`${header} is too long`);
      const factOf = (name: string | undefined): string | undefined => {
        const fact = name === undefined ? undefined : shown?.header(name.toLowerCase());
        if (name !== undefined && fact === undefined) throw new Refused(`${name} is missing`);
        if (fact !== undefined && fact.length > LONGEST_FACT) throw new Refused(`${name} is too long`);
        return fact;
      };
      const { digests, timestamp = factOf(scheme.timestamp) } = readHmacHeader(pieces, text);
      if (digests.length === 0) throw new Refused(`${header} has no signature of the form ${scheme.form}`);
      const id = factOf(scheme.webhookId);
      const sent = signsTime ? timeOf(timestamp, scheme.timestamp ?? header) : undefined;
      if (sent !== undefined) checkTime(scheme.timestamp ?? header, sent, scheme, clock());
      const body = (await shown?.content?.()) ?? new Uint8Array();
      const request = { timestamp, id, body };
      const found = keysOf()
        .map((key) => hmacOf(algorithm, key, signed, request))
        .filter((digest) => isAmong(digest, digests));
      const [digest] = found;
      if (digest === undefined)
        throw new Refused(`no signature is of a secret of the scheme ${scheme.id}, for this request`);
      return senderOf(scheme, ports, sent === undefined ? undefined : { sent, texts: [digest.toString('hex')] });
    },
  };
}

function timeOf(timestamp: string | undefined, name: string): number {
  const sent = timestamp === undefined ? undefined : hmacInstant(timestamp);
  if (sent === undefined) throw new Refused(`${name} has no time that can be read`);
  return sent;
}

/** @throws WireError that states the rule, and never quotes the text */
function keyOf(text: string, encoding: HmacScheme['encoding']): KeyObject {
  if (encoding === 'hex' && !/^(?:[0-9a-f]{2})+$/i.test(text))
    throw new WireError('it is not pairs of hexadecimal digits');
  if (encoding === 'base64' && !/^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) throw new WireError('it is not base64');
  if (text === '') throw new WireError('it is empty');
  return createSecretKey(Buffer.from(text, encoding === 'text' ? 'utf8' : encoding));
}
