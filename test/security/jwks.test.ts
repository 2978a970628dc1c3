import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openKeys } from '../../src/security/jwks.ts';
import { projectFiles } from '../../src/serve/start/settings.ts';
import { type Issuer, makeKey, startIssuer } from '../support/issuer.ts';

async function issuerOf(): Promise<Issuer> {
  const issuer = await startIssuer();
  onTestFinished(issuer.close);
  return issuer;
}

const HERE = projectFiles('.');
const first = { alg: 'ES256', kid: 'first' };
const second = { alg: 'ES256', kid: 'second' };
const unavailable = { code: 'UNAVAILABLE', status: 503, headers: { 'Retry-After': '5' } };

describe('a key set at a URL', () => {
  it('is fetched once, and again for a key that it does not hold, but not more often than the cooldown', async () => {
    const issuer = await issuerOf();
    const keys = openKeys(issuer.jwks, HERE, { cooldown: 0 });
    await Promise.all([keys.find(first), keys.find(first)]);
    await keys.find(first);
    expect(issuer.asked).toHaveLength(1);
    issuer.keys = [await makeKey('second')];
    await keys.find(second);
    expect(issuer.asked).toHaveLength(2);
    await expect(keys.find(first)).rejects.toMatchObject({ code: 'ERR_JWKS_NO_MATCHING_KEY' });
    const calm = openKeys(issuer.jwks, HERE);
    await calm.find(second);
    const before = issuer.asked.length;
    for (let count = 0; count < 5; count++)
      await expect(calm.find({ alg: 'ES256', kid: `forged ${count}` })).rejects.toThrow();
    expect(issuer.asked).toHaveLength(before);
  });

  it('is used on while the issuer is down, for as long as is said, and reported once', async () => {
    const issuer = await issuerOf();
    const reported: string[] = [];
    const onError = ({ message }: Error): void => void reported.push(message);
    const keys = openKeys(issuer.jwks, HERE, { maxAge: 0, onError });
    const key = await keys.find(first);
    issuer.instead = { status: 500 };
    for (let count = 0; count < 3; count++) expect(await keys.find(first)).toEqual(key);
    expect(reported).toEqual([expect.stringContaining("can't be fetched: the issuer answered with the status 500")]);
    expect(reported[0]).toContain('its known keys are used for up to 1 d');
    await expect(keys.find(second), 'a key that may be new').rejects.toMatchObject(unavailable);
  });

  it('is not used on beyond that', async () => {
    const issuer = await issuerOf();
    const keys = openKeys(issuer.jwks, HERE, { maxAge: 0, kept: 0 });
    await keys.find(first);
    issuer.instead = { status: 500 };
    await expect(keys.find(first)).rejects.toMatchObject(unavailable);
  });

  it('that leads elsewhere is not followed', async () => {
    const [issuer, elsewhere] = [await issuerOf(), await issuerOf()];
    issuer.instead = { status: 302, headers: { location: elsewhere.jwks } };
    await expect(openKeys(issuer.jwks, HERE).find(first)).rejects.toMatchObject(unavailable);
    expect(elsewhere.asked).toEqual([]);
  });

  it.each([
    ['is an error page', { status: 200, body: '<html>' }],
    ['is no key set', { status: 200, body: '{"keys":1}' }],
    ['is larger than any', { status: 200, body: `{"keys":[],"x":"${'x'.repeat(600 * 1024)}"}` }],
    ['is gone', { status: 404 }],
  ])('that %s can not be had', async (_, instead) => {
    const issuer = await issuerOf();
    issuer.instead = instead;
    await expect(openKeys(issuer.jwks, HERE).find(first)).rejects.toMatchObject(unavailable);
  });

  it('that never answers is given up', async () => {
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      silent.closeAllConnections();
      silent.close();
    });
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/jwks`;
    await expect(openKeys(url, HERE, { timeout: 50 }).find(first)).rejects.toMatchObject(unavailable);
  });

  it('must be at an https URL, unless it is of this machine', () => {
    expect(() => openKeys('http://issuer.example/jwks', HERE)).toThrow('not at an https URL');
    expect(() => openKeys('ftp://127.0.0.1/jwks', HERE)).toThrow('not at an https URL');
  });
});

describe('a key set in a file', () => {
  it('is read again when it has changed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'signalbox-keys-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const write = async (kid: string): Promise<void> =>
      writeFileSync(join(folder, 'jwks.json'), JSON.stringify({ keys: [(await makeKey(kid)).jwk] }));
    const keys = openKeys('jwks.json', projectFiles(folder));
    await expect(keys.find(first)).rejects.toMatchObject(unavailable);
    await write('first');
    await keys.find(first);
    await write('second');
    await keys.find(second);
    await expect(keys.find(first)).rejects.toMatchObject({ code: 'ERR_JWKS_NO_MATCHING_KEY' });
    writeFileSync(join(folder, 'jwks.json'), '{');
    await expect(keys.find(second)).rejects.toMatchObject(unavailable);
  });
});
