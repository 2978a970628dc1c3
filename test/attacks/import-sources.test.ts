import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type SourceOptions, sourceReader } from '../../src/cli/import/read-source.ts';
import { signalbox, temporaryFolder } from '../cli/support.ts';
import { contractWith, openApi } from './support/import-bombs.ts';

/** A web server of a partner. @returns its address */
async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Why nothing is read from a location; what is read, as text. */
async function read(location: string, options: Partial<SourceOptions> = {}): Promise<string> {
  const found = await sourceReader({ fetch: true, private: false, given: new Set(), ...options })(location);
  return 'missing' in found ? found.missing : Buffer.from(found.bytes).toString();
}

const PRIVATE = "can't be fetched: its address is private (--allow-private permits it)";

describe('references over the network', () => {
  it.each([
    '127.0.0.1',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '127.1',
    '0',
    '10.1.2.3',
    '172.31.0.1',
    '192.168.0.1',
    '169.254.169.254',
    '100.64.0.1',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:a9fe:a9fe]',
    '[::127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[64:ff9b:1::7f00:1]',
    '[2002:7f00:1::]',
    '[fd00::1]',
    '[fe80::1]',
    'localhost',
    'LOCALHOST',
    'user:password@127.0.0.1',
    '127.0.0.1%2f@127.0.0.1',
    '①②⑦.0.0.1',
  ])('to %s are not followed', async (host) => {
    expect(await read(`http://${host}:9/a.xsd`)).toBe(PRIVATE);
  });

  it('are not followed to a private address by a redirect of an address that the user gave', async () => {
    const secret = await serve((_, response) => response.end('secret'));
    const address = await serve((_, response) => {
      response.writeHead(302, { location: `${secret.replace('127.0.0.1', 'localhost')}/` }).end();
    });
    expect(await read(address, { given: new Set([address]) })).toBe(PRIVATE);
    expect(await read(address, { private: true })).not.toBe(PRIVATE);
  });

  it('are followed by a redirect to the same host', async () => {
    const address = await serve((request, response) => {
      if (request.url === '/b') response.end('content');
      else response.writeHead(301, { location: '/b' }).end();
    });
    expect(await read(address, { given: new Set([address]) })).toBe('content');
  });

  it.each([
    ['file:///etc/passwd', 'it redirects to file:'],
    ['data:text/plain,x', 'it redirects to data:'],
    ['http://[', 'it redirects to an invalid address'],
    ['/', 'it redirects more than 5 times'],
  ])('are not followed to %s', async (location, words) => {
    const address = await serve((_, response) => response.writeHead(302, { location }).end());
    expect(await read(`${address}/`, { private: true })).toBe(`can't be fetched: ${words}`);
  });

  it('read no more than the limit of an answer without end', async () => {
    const piece = Buffer.alloc(1024 * 1024, 'a');
    const address = await serve((_, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write(piece));
      };
      response.on('drain', more).on('error', () => {});
      more();
    });
    expect(await read(address, { private: true })).toBe("can't be fetched: it is larger than 64 MiB");
  });

  it('wait no longer than the limit for servers that are slow', { timeout: 110_000 }, async () => {
    const silent = await serve(() => {});
    const dripping = await serve((_, response) => {
      const timer = setInterval(() => response.write('a'), 200);
      response.on('close', () => clearInterval(timer));
    });
    const late = "can't be fetched: it took more than 30 s";
    expect(await Promise.all([silent, dripping].map((each) => read(each, { private: true })))).toEqual([late, late]);
  });
});

describe('references to files', () => {
  const SECRET = 'hunter2';
  const secrets: Readonly<Record<string, string>> = {
    'secret.env': `PASSWORD=${SECRET}\n`,
    'secret.yaml': `password: ${SECRET}\nlist: [${SECRET}]\n`,
    'secret-text.yaml': `${SECRET}: : [\n`,
    'secret.json': `{"password":"${SECRET}"}`,
    'secret-text.json': `"${SECRET}"`,
    'secret.xml': `<settings><password>${SECRET}</password></settings>`,
    'secret-broken.xml': `<settings>${SECRET} & <`,
  };

  /** What is shown and written when a contract refers to these files. */
  async function shown(path: string, text: string): Promise<string> {
    const folder = await temporaryFolder();
    for (const [name, content] of Object.entries(secrets)) await writeFile(join(folder, name), content);
    const cwd = join(folder, 'project');
    await mkdir(cwd);
    await writeFile(join(cwd, path), text);
    const { stdout, stderr } = await signalbox(['import', path, '--dry-run'], { cwd });
    return stdout + stderr;
  }

  it.each(Object.keys(secrets))('to %s show nothing of it', async (name) => {
    const includes = `<xs:include schemaLocation="../${name}"/>`;
    expect(await shown('a.wsdl', contractWith(includes))).not.toContain(SECRET);
    for (const fragment of ['', '#/password', '#/list/0', '#/list']) {
      const schema = openApi(`"A":{"$ref":"../${name}${fragment}"}`);
      expect(await shown('a.json', schema), fragment).not.toContain(SECRET);
      const response = `{"openapi":"3.0.0","info":{"title":"t","version":"1"},"paths":{"/a":{"$ref":"../${name}${fragment}"},
"/b":{"get":{"parameters":[{"$ref":"../${name}${fragment}"}],"responses":{"200":{"$ref":"../${name}${fragment}"}}}}}}`;
      expect(await shown('a.json', response), fragment).not.toContain(SECRET);
    }
  });

  it.each([
    '/dev/zero',
    '/dev/tty',
    '/dev/stdin',
    '/proc/self/environ',
    '/etc/passwd',
    '/proc/kmsg',
    '/',
  ])('to %s end, and show nothing of it', async (path) => {
    const text = await shown('a.wsdl', contractWith(`<xs:include schemaLocation="${path}"/>`));
    expect(text).toContain('service: Orders.v1');
    expect(text).toContain(`the part "${path}" `);
    expect(text).not.toMatch(/root:|PATH=/);
  });

  it('show control characters of a contract as texts', async () => {
    const text = await shown(
      'a.json',
      openApi('"A":{"type":"object","not":{},"properties":{"\\u001b[2J":{"type":"strin\\u001b[2J"}}}'),
    );
    expect(text).not.toContain('\u001b[2J');
  });
});
