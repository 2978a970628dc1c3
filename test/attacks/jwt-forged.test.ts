import { createHmac, KeyObject, sign } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type CryptoKey, exportSPKI } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { type Issuer, makeKey, type SigningKey, startIssuer, tokenProject } from '../support/issuer.ts';
import { writeProject } from '../support/project.ts';

const WHO = '/gateway/RESTListeningConnector/Token.v1/who';
let issuer: Issuer;
let gateway: TestGateway;
let remove: () => void;
/** Of the issuer; its public half is known to everybody. */
let rsa: SigningKey;
/** Of the attacker. */
let own: SigningKey;
/** Serves the attacker's key, and must never be asked for it. */
const lure = createServer((request, response) => {
  lured.push(request.url as string);
  response.end(JSON.stringify({ keys: [own.jwk] }));
});
const lured: string[] = [];
let lureUrl: string;

beforeAll(async () => {
  issuer = await startIssuer();
  rsa = await makeKey('first', 'RS256');
  own = await makeKey('evil', 'RS256');
  issuer.keys = [rsa];
  await new Promise<void>((resolve) => lure.listen(0, '127.0.0.1', resolve));
  lureUrl = `http://127.0.0.1:${(lure.address() as AddressInfo).port}`;
  const project = writeProject(tokenProject(issuer));
  remove = project.remove;
  // What a kid that is taken for a file name could lead to.
  mkdirSync(join(project.root, 'keys'));
  writeFileSync(join(project.root, 'keys/evil.json'), JSON.stringify({ keys: [own.jwk] }));
  writeFileSync(join(project.root, 'keys/empty'), '');
  gateway = await startTestGateway({ root: project.root });
});
afterAll(async () => {
  await gateway.stop();
  await issuer.close();
  lure.close();
  remove();
});

const encode = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

function payload(more: Record<string, unknown> = {}): Record<string, unknown> {
  const now = Math.floor(Date.now() / 1000);
  return { iss: issuer.url, aud: 'signalbox', sub: 'partner', scope: 'call read', iat: now, exp: now + 300, ...more };
}

/** Signed as RS256 says, whatever the header says. */
function rs256(header: unknown, claims: unknown, key: CryptoKey): string {
  const text = `${encode(header)}.${encode(claims)}`;
  const signature = sign('sha256', Buffer.from(text), KeyObject.from(key));
  return `${text}.${signature.toString('base64url')}`;
}

async function statusOf(token: string): Promise<number> {
  const { status } = await gateway.call(WHO, { anonymous: true, headers: { authorization: `Bearer ${token}` } });
  return status;
}

async function expectRefused(token: string, what: string): Promise<void> {
  expect(await statusOf(token), what).toBe(401);
  expect(lured, what).toEqual([]);
}

describe('forged tokens', () => {
  it('a good one is taken, so that what follows is refused for what is wrong with it', async () => {
    expect(await statusOf(await issuer.token(payload()))).toBe(200);
    expect(await statusOf(rs256({ alg: 'RS256', kid: 'first' }, payload(), rsa.privateKey))).toBe(200);
  });

  it('without a signature, by whatever name', async () => {
    for (const alg of ['none', 'None', 'NONE', 'nOnE', '', 'null', undefined, null, ['RS256'], { toString: 'RS256' }]) {
      for (const signature of ['', 'AA']) {
        const token = `${encode({ alg, kid: 'first' })}.${encode(payload())}.${signature}`;
        await expectRefused(token, `alg ${JSON.stringify(alg)}`);
      }
    }
    const good = (await issuer.token(payload())).split('.');
    await expectRefused(`${good[0]}.${good[1]}.`, 'a signature that is cut off');
    await expectRefused(`${good[0]}.${good[1]}`, 'two parts');
    await expectRefused(`${good.join('.')}.AA.AA`, 'five parts');
    await expectRefused(`${good[0]}.${encode(payload({ sub: 'admin' }))}.${good[2]}`, 'the signature of another');
  });

  it('signed by HMAC with the public key as the secret', async () => {
    const pem = await exportSPKI(rsa.publicKey);
    const secrets = [
      pem,
      pem.trim(),
      pem.replaceAll(/-----[A-Z ]+-----|\n/g, ''),
      JSON.stringify(rsa.jwk),
      rsa.jwk.n as string,
      '',
    ];
    for (const alg of ['HS256', 'RS256', 'ES256']) {
      for (const secret of secrets) {
        const text = `${encode({ alg, kid: 'first', typ: 'JWT' })}.${encode(payload())}`;
        const signature = createHmac('sha256', secret).update(text).digest('base64url');
        await expectRefused(`${text}.${signature}`, `${alg} with ${secret.slice(0, 20)}`);
      }
    }
  });

  it('with another algorithm of the same key', async () => {
    for (const alg of ['RS512', 'PS256', 'ES256', 'EdDSA', 'RSA-OAEP', 'rs256'])
      await expectRefused(rs256({ alg, kid: 'first' }, payload(), rsa.privateKey), alg);
  });

  it('with the key in the token, or an address to fetch it from', async () => {
    const url = `${lureUrl}/jwks.json`;
    const headers = [
      { jwk: own.jwk },
      { jwk: own.jwk, kid: 'first' },
      { jku: url, kid: 'evil' },
      { x5u: url, kid: 'evil' },
      { x5c: ['MIIB'], kid: 'evil' },
      { kid: 'evil', iss: lureUrl },
      { kid: url },
      { crit: ['jku'], jku: url, kid: 'first' },
    ];
    for (const header of headers)
      await expectRefused(rs256({ alg: 'RS256', ...header }, payload(), own.privateKey), JSON.stringify(header));
    // What the issuer itself signs is not fetched either.
    expect(await statusOf(rs256({ alg: 'RS256', kid: 'first', jku: url, x5u: url }, payload(), rsa.privateKey))).toBe(
      200,
    );
    expect(lured).toEqual([]);
    await expectRefused(
      rs256({ alg: 'RS256', kid: 'evil' }, payload({ iss: lureUrl }), own.privateKey),
      'its own issuer',
    );
  });

  it('with a kid that is no name of a key', async () => {
    const kids = [
      '../../keys/evil.json',
      'keys/evil.json',
      '/dev/null',
      'keys/empty',
      "' OR 1=1 --",
      "x' UNION SELECT 'secret",
      '| sleep 5',
      '__proto__',
      'constructor',
      '\u0000',
      '',
      'x'.repeat(5000),
      7,
      ['first'],
      {},
    ];
    for (const kid of kids) {
      await expectRefused(rs256({ alg: 'RS256', kid }, payload(), own.privateKey), `kid ${JSON.stringify(kid)}`);
      const text = `${encode({ alg: 'HS256', kid })}.${encode(payload())}`;
      const signature = createHmac('sha256', '').update(text).digest('base64url');
      await expectRefused(`${text}.${signature}`, `HMAC with nothing, kid ${JSON.stringify(kid)}`);
    }
    // None of them had the issuer asked again and again.
    expect(issuer.asked.length).toBeLessThan(4);
  });

  it('whose parts are ambiguous: the last of two alike counts, and it is what was signed', async () => {
    const headers = ['{"alg":"none","alg":"RS256","kid":"first"}', '{"alg":"RS256","kid":"evil","kid":"first"}'];
    for (const header of headers) expect(await statusOf(rs256(header, payload(), rsa.privateKey)), header).toBe(200);
    await expectRefused(
      rs256('{"alg":"RS256","alg":"none","kid":"first"}', payload(), rsa.privateKey),
      'alg none last',
    );
    const claims = JSON.stringify(payload()).replace('}', ',"sub":"last"}');
    const { text } = await gateway.call(WHO, {
      anonymous: true,
      headers: { authorization: `Bearer ${rs256({ alg: 'RS256', kid: 'first' }, claims, rsa.privateKey)}` },
    });
    expect(JSON.parse(text)).toEqual({ ID: 'tokens:last' });
    const expired = JSON.stringify(payload()).replace('}', ',"exp":1}');
    await expectRefused(rs256({ alg: 'RS256', kid: 'first' }, expired, rsa.privateKey), 'exp, then an earlier one');
  });
});
