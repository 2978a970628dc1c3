import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { TestGateway } from '../support/gateway.ts';
import { withSecuredGateway } from './support/secured.ts';
import { ELLIPTIC } from './support/signers.ts';
import {
  at,
  call,
  digestToken,
  ECDSA_SHA256,
  handled,
  message,
  post,
  reasonOf,
  security,
  signedCall,
  timestamp,
} from './support/wss.ts';

let gateway: TestGateway;
withSecuredGateway((started) => {
  gateway = started;
});

const digestCall = (token: string, operation = 'DIGEST', said = 'hello'): string =>
  message(security(token), call(operation, said));

async function expectReplay(xml: string): Promise<void> {
  const before = handled(gateway).length;
  expect((await post(gateway, xml)).status).toBe(401);
  expect(reasonOf(gateway)).toBe('it was seen before: a replay');
  expect(handled(gateway).length).toBe(before);
}

it('a signed message is taken once, by the gateway and whoever it comes to', async () => {
  const xml = signedCall();
  expect((await post(gateway, xml)).status).toBe(200);
  await expectReplay(xml);
  await expectReplay(xml.replace('</s:Header>', '<x xmlns="urn:x"/></s:Header>'));
});

it('of many that come at once, one is taken', async () => {
  for (const xml of [signedCall(), digestCall(digestToken())]) {
    const replies = await Promise.all(Array.from({ length: 12 }, () => post(gateway, xml)));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, ...Array.from({ length: 11 }, () => 401)]);
  }
});

it('another value of the same signature is the same message (ECDSA: n - s in place of s)', async () => {
  const xml = signedCall('SIGNED', 'hello', { signer: ELLIPTIC, algorithm: ECDSA_SHA256 });
  expect((await post(gateway, xml)).status).toBe(200);
  const value = /<ds:SignatureValue>([^<]*)</.exec(xml)![1]!;
  const bytes = Buffer.from(value, 'base64');
  const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
  const other = (order - BigInt(`0x${bytes.subarray(32).toString('hex')}`)).toString(16).padStart(64, '0');
  const twin = Buffer.concat([bytes.subarray(0, 32), Buffer.from(other, 'hex')]).toString('base64');
  expect(twin).not.toBe(value);
  await expectReplay(xml.replace(value, twin));
});

it('a digest is taken once: for another operation, in another message and with another time it is the same nonce', async () => {
  const nonce = randomBytes(16);
  const token = digestToken({ nonce });
  expect((await post(gateway, digestCall(token))).text).toContain('<S>demo hello</S>');
  await expectReplay(digestCall(token));
  await expectReplay(digestCall(token, 'EITHER', 'other'));
  await expectReplay(digestCall(token, 'TOKEN', 'other'));
  await expectReplay(digestCall(digestToken({ nonce, created: at(1000) })));
  await expectReplay(digestCall(token.replace('>', ' >').replace(/(<wsse:Nonce[^>]*>)/, '$1\n ')));
});

describe('what was hashed can be cut and written in other ways, and stays the same digest', () => {
  /** Bytes that the hash takes are nonce, time and secret in a row: each place between the first two may be moved. */
  const recut = (token: string, nonce: Buffer, created: string): string =>
    token
      .replace(/(<wsse:Nonce[^>]*>)[^<]*/, `$1${nonce.toString('base64')}`)
      .replace(/(<wsu:Created>)[^<]*/, `$1${created.replaceAll('\r', '&#13;')}`);

  it.each<readonly [string, string]>([
    ...['space', 'tab', 'line feed', 'carriage return'].map((name, n) => [name, ' \t\n\r'.charAt(n)] as const),
    ['no-break space', '\u00a0'],
    ['byte order mark', '\ufeff'],
    ['line separator', '\u2028'],
    ['digit', '2'],
  ])('%s: moved from the end of the nonce to the start of Created', async (_, moved) => {
    for (const times of [1, 2, 5]) {
      const kept = randomBytes(16);
      const created = at();
      const whole = Buffer.concat([kept, Buffer.from(moved.repeat(times))]);
      const token = digestToken({ nonce: whole, created });
      expect((await post(gateway, digestCall(token))).status).toBe(200);
      for (let n = 1; n <= times; n += 1) {
        const before = handled(gateway).length;
        const rest = Buffer.concat([kept, Buffer.from(moved.repeat(times - n))]);
        const forged = recut(token, rest, `${moved.repeat(n)}${created}`);
        expect((await post(gateway, digestCall(forged, 'DIGEST', 'forged'))).status).toBe(401);
        expect(handled(gateway).length).toBe(before);
      }
    }
  });

  it('every place between nonce and Created', async () => {
    const nonce = Buffer.concat([randomBytes(16), Buffer.from(' ')]);
    const created = at();
    const token = digestToken({ nonce, created });
    expect((await post(gateway, digestCall(token))).status).toBe(200);
    const all = Buffer.concat([nonce, Buffer.from(created)]);
    const before = handled(gateway).length;
    for (let cut = nonce.length - 1; cut < all.length; cut += 1) {
      const forged = recut(token, all.subarray(0, cut), all.subarray(cut).toString());
      expect((await post(gateway, digestCall(forged, 'DIGEST', 'forged'))).status).toBe(401);
    }
    expect(handled(gateway).length).toBe(before);
  });

  it('other characters for the same nonce, digest and user', async () => {
    const nonce = randomBytes(16);
    const token = digestToken({ nonce });
    expect((await post(gateway, digestCall(token))).status).toBe(200);
    const base64 = nonce.toString('base64');
    const within = (to: string): string => token.replace(base64, to);
    // 16 bytes leave four bits of the last character unused.
    const last = base64.charAt(21);
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
    const padded = `${base64.slice(0, 21)}${alphabet.charAt(alphabet.indexOf(last) + 1)}==`;
    expect(Buffer.from(padded, 'base64')).toEqual(nonce);
    const rewritten = [
      within(padded),
      within(base64.replace(/(.{5})/g, '$1\n  ')),
      within(`<![CDATA[${base64}]]>`),
      within([...base64].map((each) => `&#${each.charCodeAt(0)};`).join('')),
      within(base64.replaceAll('+', '-').replaceAll('/', '_')),
      within(base64.replace(/=+$/, '')),
      token.replace(/(Digest">)([^<]*)=</, '$1 $2<'),
      token.replace(/(<wsu:Created>)([^<]*)/, '$1<![CDATA[$2]]>'),
      token.replace(/(<wsu:Created>)([^<]*)/, '$1$2 '),
      token.replace(/(<wsu:Created>[^<]*)Z/, '$1+00:00'),
      token.replace('<wsse:Username>demo', '<wsse:Username>&#100;emo'),
    ];
    const before = handled(gateway).length;
    for (const each of rewritten) expect((await post(gateway, digestCall(each))).status).toBe(401);
    expect(handled(gateway).length).toBe(before);
  });

  it('white space inside the Base64 of a nonce is legal, around Created it is not', async () => {
    const spaced = digestToken().replace(/(<wsse:Nonce[^>]*>)(.{7})/, '$1\r\n\t $2 ');
    expect((await post(gateway, digestCall(spaced))).status).toBe(200);
    const token = digestToken({ created: `${at()} ` });
    expect((await post(gateway, digestCall(token))).status).toBe(401);
    expect(reasonOf(gateway)).toBe('Created is not a time with a zone');
  });
});

it('a nonce that was refused is no nonce that was seen', async () => {
  const nonce = randomBytes(16);
  expect((await post(gateway, digestCall(digestToken({ nonce, secret: 'wrong' })))).status).toBe(401);
  expect((await post(gateway, digestCall(digestToken({ nonce })))).status).toBe(200);
});

it.each([
  ['a digest that is too old', () => digestCall(digestToken({ created: at(-61_000) })), 'it is too old'],
  ['a digest of the future', () => digestCall(digestToken({ created: at(65_000) })), 'it was created in the future'],
  [
    'a Timestamp that is too old',
    () => signedCall('SIGNED', 'x', {}, timestamp(at(-301_000), at(60_000))),
    'it is too old',
  ],
  [
    'a Timestamp of the future',
    () => signedCall('SIGNED', 'x', {}, timestamp(at(65_000), at(90_000))),
    'it was created in the future',
  ],
  [
    'a Timestamp that has expired',
    () => signedCall('SIGNED', 'x', {}, timestamp(at(-20_000), at(-1000))),
    'its Timestamp has expired',
  ],
  [
    'a Timestamp that ends before it begins',
    () => signedCall('SIGNED', 'x', {}, timestamp(at(40_000), at(30_000))),
    'its Timestamp has expired',
  ],
  [
    'a Timestamp without a zone',
    () => signedCall('SIGNED', 'x', {}, timestamp(at().slice(0, -1))),
    'Created is not a time with a zone',
  ],
  [
    'a Timestamp of another calendar',
    () => signedCall('SIGNED', 'x', {}, timestamp('Sun Nov 22 2026 05:00:00 GMT')),
    'Created is not a time with a zone',
  ],
  [
    'a Timestamp with a thousand digits',
    () => signedCall('SIGNED', 'x', {}, timestamp(`${at().slice(0, -1)}${'0'.repeat(1000)}Z`)),
    'Created has more than 40 characters',
  ],
])('%s', async (_, write, reason) => {
  const before = handled(gateway).length;
  expect((await post(gateway, write())).status).toBe(401);
  expect(reasonOf(gateway)).toBe(reason);
  expect(handled(gateway).length).toBe(before);
});

it('clocks may differ by a minute', async () => {
  expect((await post(gateway, digestCall(digestToken({ created: at(50_000) })))).status).toBe(200);
  expect((await post(gateway, digestCall(digestToken({ created: at(-50_000).replace('Z', '+00:00') })))).status).toBe(
    200,
  );
});
