// Standard Webhooks 1.0: requests that are signed in the headers webhook-id, webhook-timestamp and webhook-signature.

import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  type KeyObject,
  sign,
  timingSafeEqual,
  verify,
} from 'node:crypto';
import { WireError } from './error.ts';

/** The headers of a signed request. */
export const WEBHOOK_HEADERS = {
  id: 'webhook-id',
  timestamp: 'webhook-timestamp',
  signature: 'webhook-signature',
} as const;

/** A key with the version of the signatures that it makes: `v1` is HMAC-SHA256, `v1a` is Ed25519. */
export interface WebhookKey {
  readonly version: 'v1' | 'v1a';
  readonly key: KeyObject;
}

/** What is signed. */
export interface SignedWebhook {
  readonly id: string;
  /** Seconds since 1970, as sent. */
  readonly timestamp: string;
  /** Exactly the bytes that are sent. */
  readonly body: Uint8Array | string;
}

/** An id that is unambiguous in what is signed, where full stops separate the parts. */
export const WEBHOOK_ID = /^[!-\-/-~]{1,256}$/;

/** Before the 32 bytes of a key in DER: PKCS #8 and SubjectPublicKeyInfo (RFC 8410 sections 7 and 4). */
const PRIVATE_ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex');
const PUBLIC_ED25519 = Buffer.from('302a300506032b6570032100', 'hex');

/**
 * Reads a key to sign with: `whsec_` and 24 to 64 bytes in base64, or `whsk_` and an Ed25519 key of 32 bytes, which its public
 * key may follow.
 * @throws WireError that states the rule, and never quotes the text
 */
export function readSigningKey(text: string): WebhookKey {
  const shared = readSharedKey(text);
  if (shared !== undefined) return shared;
  const bytes = bytesAfter(text, 'whsk_');
  if (bytes?.length !== 32 && bytes?.length !== 64)
    throw new WireError(
      'it is neither whsec_ with 24 to 64 bytes in base64 nor whsk_ with an Ed25519 key of 32 or 64 bytes in base64',
    );
  const der = Buffer.concat([PRIVATE_ED25519, bytes.subarray(0, 32)]);
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const published = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32);
  if (bytes.length === 64 && !published.equals(bytes.subarray(32)))
    throw new WireError('its second 32 bytes are not the public key of the first');
  return { version: 'v1a', key };
}

/**
 * Reads a key to verify with: `whsec_` and 24 to 64 bytes in base64, or `whpk_` and an Ed25519 public key of 32 bytes.
 * @throws WireError that states the rule, and never quotes the text
 */
export function readVerifyingKey(text: string): WebhookKey {
  const shared = readSharedKey(text);
  if (shared !== undefined) return shared;
  const bytes = bytesAfter(text, 'whpk_');
  if (bytes?.length !== 32)
    throw new WireError(
      'it is neither whsec_ with 24 to 64 bytes in base64 nor whpk_ with an Ed25519 public key of 32 bytes in base64',
    );
  const der = Buffer.concat([PUBLIC_ED25519, bytes]);
  return { version: 'v1a', key: createPublicKey({ key: der, format: 'der', type: 'spki' }) };
}

function readSharedKey(text: string): WebhookKey | undefined {
  const bytes = bytesAfter(text, 'whsec_');
  if (bytes === undefined || bytes.length < 24 || bytes.length > 64) return undefined;
  return { version: 'v1', key: createSecretKey(bytes) };
}

/** The bytes in base64, with or without padding, after a prefix. */
function bytesAfter(text: string, prefix: string): Buffer | undefined {
  if (!text.startsWith(prefix)) return undefined;
  const encoded = text.slice(prefix.length);
  const bytes = Buffer.from(encoded, 'base64');
  const padded = bytes.toString('base64');
  return encoded === padded || encoded === padded.replace(/=+$/, '') ? bytes : undefined;
}

/** The value of webhook-signature: a signature of each key, so that a receiver may know any of them. */
export function signWebhook(keys: readonly WebhookKey[], webhook: SignedWebhook): string {
  const content = contentOf(webhook);
  return keys.map(({ version, key }) => `${version},${signed({ version, key }, content).toString('base64')}`).join(' ');
}

/** Signatures in one header; a sender has as many as it has keys. */
const MOST_SIGNATURES = 16;

/** Whether one of the signatures in a header is of one of the keys. Signatures of other versions are ignored. */
export function verifyWebhook(keys: readonly WebhookKey[], webhook: SignedWebhook, header: string): boolean {
  const shown = header.split(' ').filter((each) => each !== '');
  if (shown.length > MOST_SIGNATURES) return false;
  const content = contentOf(webhook);
  let isSigned = false;
  for (const key of keys) {
    const own = shown.filter((each) => each.startsWith(`${key.version},`));
    const signatures = own.map((each) => Buffer.from(each.slice(key.version.length + 1), 'base64'));
    // All of them are compared: the time does not reveal which one fits.
    for (const signature of signatures) if (isOf(key, content, signature)) isSigned = true;
  }
  return isSigned;
}

function isOf(key: WebhookKey, content: Buffer, signature: Buffer): boolean {
  if (key.version === 'v1a') return signature.length === 64 && verify(null, content, key.key, signature);
  const expected = signed(key, content);
  return signature.length === expected.length && timingSafeEqual(signature, expected);
}

function signed({ version, key }: WebhookKey, content: Buffer): Buffer {
  return version === 'v1a' ? sign(null, content, key) : createHmac('sha256', key).update(content).digest();
}

function contentOf({ id, timestamp, body }: SignedWebhook): Buffer {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  return Buffer.concat([Buffer.from(`${id}.${timestamp}.`), bytes]);
}
