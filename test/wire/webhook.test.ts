import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { readSigningKey, readVerifyingKey, signWebhook, verifyWebhook } from '../../src/wire/webhook.ts';

/** Of the libraries of the specification. */
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const webhook = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: '1614265330', body: '{"test": 2432232314}' };
const SIGNATURE = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';
const OTHER = `whsec_${Buffer.alloc(24, 'other').toString('base64')}`;

const verified = (header: string, more: Partial<typeof webhook> = {}, secrets: readonly string[] = [SECRET]): boolean =>
  verifyWebhook(secrets.map(readVerifyingKey), { ...webhook, ...more }, header);

describe('a signature of a webhook', () => {
  it('is that of other libraries', () => {
    expect(signWebhook([readSigningKey(SECRET)], webhook)).toBe(SIGNATURE);
    expect(verified(SIGNATURE)).toBe(true);
  });

  it('covers id, time and body', () => {
    expect(verified(SIGNATURE, { id: 'msg_other' })).toBe(false);
    expect(verified(SIGNATURE, { timestamp: '1614265331' })).toBe(false);
    expect(verified(SIGNATURE, { body: '{"test": 2432232315}' })).toBe(false);
  });

  it('is one of several, of any key, among versions that are not known', () => {
    const other = signWebhook([readSigningKey(OTHER)], webhook);
    expect(verified(`v2,abc ${other} ${SIGNATURE}`)).toBe(true);
    expect(verified(other, {}, [SECRET, OTHER])).toBe(true);
    expect(verified(other)).toBe(false);
  });

  it('counts among at most 16', () => {
    expect(verified(`${'v1,abc '.repeat(15)}${SIGNATURE}`)).toBe(true);
    expect(verified(`${'v1,abc '.repeat(16)}${SIGNATURE}`)).toBe(false);
  });

  it.each([
    '',
    'v1',
    'v1,',
    `v1a,${SIGNATURE.slice(3)}`,
    SIGNATURE.slice(3),
    SIGNATURE.slice(0, 20),
  ])('is not %j', (header) => {
    expect(verified(header)).toBe(false);
  });

  it('of an Ed25519 key is verified with its public key, and with no other', () => {
    const keys = [0, 1].map(() => {
      const { privateKey, publicKey } = generateKeyPairSync('ed25519');
      const base64 = (der: Buffer): string => der.subarray(-32).toString('base64');
      return {
        secret: `whsk_${base64(privateKey.export({ format: 'der', type: 'pkcs8' }))}`,
        published: `whpk_${base64(publicKey.export({ format: 'der', type: 'spki' }))}`,
      };
    });
    const [own, other] = keys as [(typeof keys)[0], (typeof keys)[0]];
    const signature = signWebhook([readSigningKey(own.secret)], webhook);
    expect(signature).toMatch(/^v1a,/);
    expect(verified(signature, {}, [other.published, own.published])).toBe(true);
    expect(verified(signature, { id: 'msg_other' }, [own.published])).toBe(false);
    expect(verified(signature, {}, [other.published, SECRET])).toBe(false);
  });

  it('takes keys with and without padding, and each for its own purpose', () => {
    const bytes = Buffer.alloc(32, 7).toString('base64');
    expect(readSigningKey(`whsec_${bytes.replace('=', '')}`).version).toBe('v1');
    expect(() => readVerifyingKey(`whsk_${bytes}`)).toThrow('neither whsec_ with 24 to 64 bytes in base64 nor whpk_');
    expect(() => readSigningKey(`whpk_${bytes}`)).toThrow('neither whsec_ with 24 to 64 bytes in base64 nor whsk_');
  });
});
