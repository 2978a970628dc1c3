import { X509Certificate } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway } from '../../src/serve/start.ts';
import {
  AUTHORITY,
  ENCRYPTED_KEY,
  EXPIRED,
  IMPOSTOR,
  NAMESAKE,
  PARTNER,
  RENEWED,
  SERVER,
} from '../support/certificates.ts';
import { certifiedProject, WHO } from '../support/certified.ts';
import { DEMO, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { callSecurely, handshake } from '../support/https.ts';
import { eventually, gatewayText, writeProject } from '../support/project.ts';

const WRONG = `Basic ${Buffer.from('demo:wrong').toString('base64')}`;
const TLS = 'tls: { certificate: tls/server.pem, key: tls/server.key, client-ca: tls/ca.pem }';
const fingerprint = (pem: string): string =>
  `sha256:${new X509Certificate(pem).fingerprint256.replaceAll(':', '').toLowerCase()}`;
/** What the gateway says, rather than what a client refuses by itself. */
const OLD_VERSION = /alert protocol version/;
const serialOf = ({ certificate }: { certificate: string }): string => new X509Certificate(certificate).serialNumber;

const FILES = {
  'definitions/gateway.yaml': gatewayText(TLS),
  ...certifiedProject({
    schemes: 'scheme: certificates\nclient-certificate: {}\n',
    requires: 'certificates',
    users: `user: friend
certificates: ["${fingerprint(IMPOSTOR.certificate)}"]
roles: [CALLER]
---
user: former
certificates: ["${fingerprint(EXPIRED.certificate)}", CN=old partner]
roles: [CALLER]
---
`,
    operations: `  EITHER: { get: either, requires: [certificates, basic], request: { fields: {} }, response: { fields: { ID: string } }, handler: who, permission: EVERYTHING }
`,
  }),
  'tls/server.pem': SERVER.certificate,
  'tls/server.key': SERVER.key,
  'tls/ca.pem': AUTHORITY,
};

let gateway: TestGateway;
let root: string;
let remove: () => void;
beforeAll(async () => {
  ({ root, remove } = writeProject(FILES));
  gateway = await startTestGateway({ root });
});
afterAll(async () => {
  await gateway.stop();
  remove();
});

const idOf = async (identity: typeof PARTNER): Promise<unknown> => {
  const { status, text } = await callSecurely(gateway.gateway.address, WHO, { identity });
  return status === 200 ? (JSON.parse(text) as { ID: string }).ID : status;
};
const lastReason = () => gateway.log().findLast((line) => line.status !== undefined)?.reason;

describe('TLS', () => {
  it('is what the gateway speaks, over HTTP/1.1 alone, from version 1.2 on', async () => {
    const { address } = gateway.gateway;
    expect(address).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    await expect.poll(async () => (await callSecurely(address, '/health/ready')).status).toBe(200);
    const wadl = await callSecurely(address, '/gateway/RESTListeningConnector/Certified.v1.wadl');
    expect(wadl.text).toContain(`base="${address}/gateway`);
    expect(await handshake(address, { ALPNProtocols: ['h2', 'http/1.1'] })).toEqual({
      serial: serialOf(SERVER),
      version: 'TLSv1.3',
      protocol: 'http/1.1',
    });
    expect((await handshake(address, { maxVersion: 'TLSv1.2' })).version).toBe('TLSv1.2');
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
    await expect(handshake(address, old)).rejects.toThrow(OLD_VERSION);
  });

  it('ends a connection that speaks no TLS, and goes on', async () => {
    const said = await new Promise<string>((resolve) => {
      const socket = connect(gateway.port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'));
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk.toString('latin1');
      });
      socket.on('error', () => undefined).on('close', () => resolve(text));
    });
    expect(said).not.toContain('HTTP/1.1 200');
    expect((await callSecurely(gateway.gateway.address, '/health/live')).status).toBe(200);
  });

  it('takes files that change without being stopped, and keeps what it has if they are not valid', async () => {
    const { address } = gateway.gateway;
    const put = (name: string, text: string): void => {
      writeFileSync(join(root, 'tls/new'), text);
      renameSync(join(root, 'tls/new'), join(root, 'tls', name));
    };
    const problem = () => gateway.log().find(({ msg }) => String(msg).includes('are not valid'));
    // At first the key is not that of the certificate.
    put('server.pem', RENEWED.certificate);
    await eventually('a word about the files', problem);
    expect((await handshake(address)).serial).toBe(serialOf(SERVER));
    put('server.key', RENEWED.key);
    await eventually('the renewed certificate', async () =>
      (await handshake(address)).serial === serialOf(RENEWED) ? true : undefined,
    );
    expect(JSON.stringify(gateway.log())).not.toContain('PRIVATE KEY');
  });
});

describe('a certificate of the caller', () => {
  it('is known by its subject where the authority vouches for it, else by its fingerprint alone', async () => {
    expect(await idOf(PARTNER)).toBe('partner');
    expect(gateway.log().findLast(({ user }) => user === 'partner')).toMatchObject({ scheme: 'certificates' });
    expect(await idOf(IMPOSTOR)).toBe('friend');
  });

  it('with a subject that only begins like another is nobody, and one that has expired counts no more', async () => {
    expect(await idOf(NAMESAKE)).toBe(401);
    expect(lastReason()).toBe('unknown certificate, or a disabled user');
    expect(await idOf(EXPIRED)).toBe(401);
    expect(lastReason()).toBe('the certificate has expired');
  });

  it('is missing: 401, with a challenge that says so', async () => {
    const reply = await callSecurely(gateway.gateway.address, WHO);
    expect([reply.status, reply.headers['www-authenticate']]).toEqual([401, 'ClientCertificate realm="signalbox"']);
    expect(lastReason()).toBe('no credentials');
  });

  it('that is nobody counts as not shown where a password is: browsers show whichever they have', async () => {
    const either = async (identity: typeof PARTNER, authorization?: string): Promise<unknown> => {
      const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
      const reply = await callSecurely(gateway.gateway.address, `${WHO.slice(0, -3)}either`, { identity, headers });
      return reply.status === 200 ? (JSON.parse(reply.text) as { ID: string }).ID : [reply.status, lastReason()];
    };
    expect(await either(NAMESAKE, DEMO)).toBe('demo');
    expect(await either(EXPIRED, DEMO)).toBe('demo');
    // One that is somebody decides.
    expect(await either(PARTNER, DEMO)).toEqual([403, 'no grant']);
    expect(await either(NAMESAKE)).toEqual([401, 'unknown certificate, or a disabled user']);
    expect(await either(NAMESAKE, WRONG)).toEqual([401, 'wrong password']);
  });

  it('in a header counts from nobody but a trusted proxy', async () => {
    const headers = { 'client-cert': `:${new X509Certificate(PARTNER.certificate).raw.toString('base64')}:` };
    const reply = await callSecurely(gateway.gateway.address, WHO, { headers });
    expect(reply.status).toBe(401);
  });
});

describe('files that are not valid', () => {
  it.each([
    ['a missing certificate', 'server.pem', undefined, 'the certificate of tls: * does not exist'],
    ['a key of another certificate', 'server.key', RENEWED.key, 'the key of tls: * is not that of the certificate'],
    [
      'a key behind a passphrase',
      'server.key',
      ENCRYPTED_KEY,
      'the key of tls: * is encrypted, and there is no passphrase',
    ],
    [
      'no certificate at all',
      'server.pem',
      SERVER.key,
      'the certificate of tls: * contains no certificate in PEM form',
    ],
    ['no key at all', 'server.key', SERVER.certificate, 'the key of tls: * is not a private key in PEM form'],
    ['an empty client-ca', 'ca.pem', '', 'the client-ca of tls: * contains no certificate in PEM form'],
  ])('%s: it does not start, and says which file', async (_, file, text, message) => {
    const files: Record<string, string> = { ...FILES, [`tls/${file}`]: text ?? '' };
    if (text === undefined) delete files[`tls/${file}`];
    const project = writeProject(files);
    const error = await startGateway({
      root: project.root,
      env: { PORT: '0' },
      log: { to: { write: () => undefined } },
    }).catch((thrown: Error) => thrown);
    project.remove();
    expect((error as Error).message).toContain(message.replace('*', join(project.root, 'tls', file)));
  });

  it('a key opens with its passphrase', async () => {
    const tls =
      'tls: { certificate: tls/server.pem, key: tls/server.key, passphrase: "${secret:TLS_PASSPHRASE}", minimum: TLSv1.3 }';
    const files = { ...FILES, 'definitions/gateway.yaml': gatewayText(tls), 'tls/server.key': ENCRYPTED_KEY };
    const other = await startTestGateway({ files, env: { TLS_PASSPHRASE: 'opensesame' } });
    try {
      expect((await callSecurely(other.gateway.address, '/health/live')).status).toBe(200);
      await expect(handshake(other.gateway.address, { maxVersion: 'TLSv1.2' })).rejects.toThrow(OLD_VERSION);
    } finally {
      await other.stop();
    }
  });
});
