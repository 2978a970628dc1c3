import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openKeys } from '../../src/security/jwks.ts';
import { projectFiles } from '../../src/serve/start/settings.ts';
import { type Issuer, makeKey, startIssuer } from '../support/issuer.ts';
import { eventually } from '../support/project.ts';

async function issuerOf(): Promise<Issuer> {
  const issuer = await startIssuer();
  onTestFinished(issuer.close);
  return issuer;
}

/** In milliseconds. */
const HOUR = 3_600_000;
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

  it('is not used on for longer than a day, and is fetched again when the issuer is back', async () => {
    const issuer = await issuerOf();
    const reported: string[] = [];
    let now = 0;
    const keys = openKeys(issuer.jwks, HERE, {
      now: () => now,
      onError: ({ message }) => void reported.push(message),
    });
    await keys.find(first);
    issuer.instead = { status: 500 };
    now = HOUR / 6 - 1;
    await keys.find(first);
    expect(issuer.asked).toHaveLength(1);
    for (now = HOUR / 6; now < 24 * HOUR; now += HOUR / 6) await keys.find(first);
    expect(reported).toHaveLength(1);
    now = 24 * HOUR;
    await expect(keys.find(first)).rejects.toMatchObject(unavailable);
    issuer.instead = undefined;
    await expect(keys.find(first), 'a pause after each failed fetch').rejects.toMatchObject(unavailable);
    now += 5_000;
    await keys.find(first);
    issuer.instead = { status: 500 };
    now += HOUR;
    await keys.find(first);
    expect(reported, 'another outage').toHaveLength(2);
  });

  it('keeps nobody who shows a known key waiting, once it is known to be down', async () => {
    const issuer = await issuerOf();
    let now = 0;
    const keys = openKeys(issuer.jwks, HERE, { now: () => now, timeout: 50 });
    await keys.find(first);
    now = HOUR;
    issuer.silent = true;
    await keys.find(first);
    now += 6_000;
    const tries = issuer.asked.length;
    await Promise.all([keys.find(first), keys.find(first), keys.find(first)]);
    await eventually(
      'one more try, for which none of them waited',
      () => issuer.asked.length === tries + 1 || undefined,
    );
    issuer.silent = false;
    issuer.keys = [await makeKey('second')];
    await eventually('the keys that the issuer has changed meanwhile', async () => {
      now += 6_000;
      return keys.find(first).then(
        () => undefined,
        ({ code }: { code?: string }) => code === 'ERR_JWKS_NO_MATCHING_KEY' || undefined,
      );
    });
  });

  it('waits for the issuer again when its failure is a minute old', async () => {
    const issuer = await issuerOf();
    let now = 0;
    const keys = openKeys(issuer.jwks, HERE, { now: () => now });
    await keys.find(first);
    issuer.instead = { status: 500 };
    now = HOUR;
    await keys.find(first);
    issuer.instead = undefined;
    issuer.keys = [await makeKey('second')];
    now += 60_000;
    await expect(keys.find(first)).rejects.toMatchObject({ code: 'ERR_JWKS_NO_MATCHING_KEY' });
  });

  it('that the issuer has emptied has no key any more', async () => {
    const issuer = await issuerOf();
    const keys = openKeys(issuer.jwks, HERE, { maxAge: 0 });
    await keys.find(first);
    issuer.keys = [];
    await expect(keys.find(first)).rejects.toMatchObject({ code: 'ERR_JWKS_NO_MATCHING_KEY' });
  });

  it('is fetched again for a token that none of its keys has signed, but not more often than the cooldown', async () => {
    const issuer = await issuerOf();
    let now = 0;
    const keys = openKeys(issuer.jwks, HERE, { now: () => now });
    expect(await keys.renew(), 'nothing was fetched yet').toBe(false);
    await keys.find(first);
    expect(await keys.renew()).toBe(false);
    now = 30_000;
    expect(await keys.renew()).toBe(true);
    expect(await keys.renew()).toBe(false);
    expect(issuer.asked).toHaveLength(2);
    issuer.instead = { status: 500 };
    now = 60_000;
    expect(await keys.renew()).toBe(false);
    await keys.find(first);
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
