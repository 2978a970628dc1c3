import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../../src/invoke/index.ts';
import type { Attachment, DocumentValue } from '../../src/model/value.ts';
import { signalbox } from '../cli/support.ts';
import { AUTHORITY, CLIENT_CERTIFICATE, CLIENT_KEY } from '../invoke/authority.ts';
import { attachment, thrown } from '../invoke/support.ts';
import { large } from './servers/large.ts';
import { LIST, type Nginx, startNginx } from './servers/nginx.ts';
import { type RestProject, restProject } from './servers/rest-client.ts';
import { has } from './support.ts';

const node = (id: string, more: string, base = 'https://library.example', address = 'LIBRARY'): string => `node: ${id}
base: ${base}
ca-file: authority.pem
resolve: { library.example: "\${env:${address}}" }
${more}`;

const nodes = [
  node('LIBRARY', 'retry: { attempts: 3, on: [429, 503] }'),
  node('FOLLOWED', 'redirects: 2'),
  node('PRIVATE', 'credential: { basic: { user: partner, password: "${secret:PASSWORD}" } }'),
  node('BY_NUMBER', '', 'https://${env:LIBRARY}'),
  node('STRANGER', '', 'https://library.example', 'GUARDED'),
  node('KNOWN', 'certificate: { file: client.pem, key-file: client.key }', 'https://library.example', 'GUARDED'),
].join('\n---\n');

const service = `service: Library.v1
public: true
target: LIBRARY
operations:
  WHO_GET: { get: who, response: WHO }
  WHO_BY_NUMBER: { target: BY_NUMBER, get: who, response: WHO }
  WHO_STRANGER: { target: STRANGER, get: who, response: WHO }
  WHO_KNOWN: { target: KNOWN, get: who, response: WHO }
  LIST_GET: { get: list.json, response: json }
  WORDS_GET: { get: words.txt, response: text }
  LIST_PLAIN_GET: { get: list.json, response: json, properties: { sendUncompressed: Y } }
  OLD_GET: { get: old, response: WHO }
  OLD_FOLLOWED: { target: FOLLOWED, get: old, response: WHO }
  MOVED_PUT: { target: FOLLOWED, put: moved, request: binary }
  AWAY_FOLLOWED: { target: FOLLOWED, get: away, response: WHO }
  PRIVATE_GET: { target: PRIVATE, get: private, response: json }
  STRANGER_GET: { get: private, response: json }
  FILE_PUT: { put: "files/{NAME}", request: FILE, body: CONTENT }
  FILE_GET: { get: "files/{NAME}", request: { fields: { NAME: { type: text, url: path } } }, response: binary }
  FILE_HEAD: { head: "files/{NAME}", request: { fields: { NAME: { type: text, url: path } } } }
  FILE_DELETE: { delete: "files/{NAME}", request: { fields: { NAME: { type: text, url: path } } } }
  SMALL_PUT: { put: "small/{NAME}", request: FILE, body: CONTENT }
  RUDE_PUT: { put: "small-and-rude/{NAME}", request: FILE, body: CONTENT }
  SLOW_GET: { get: slow, response: json }
  BUSY_GET: { get: busy, response: json }
  SILENT_POST: { post: silent, request: text }
---
document: WHO
fields: { host: text, sni: text, client: text, connection: integer }
---
document: FILE
fields: { NAME: { type: text, url: path }, CONTENT: binary }
`;

/** For what nginx notes after its answer. */
const PATIENCE = { timeout: 15_000 };

describe.skipIf(!has('nginx', '-v'))('nginx, called over TLS (needs nginx)', () => {
  let silent: Server;
  let nginx: Nginx;
  let project: RestProject;
  let client: Client;
  const sockets: Socket[] = [];
  beforeAll(async () => {
    silent = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    nginx = await startNginx(`127.0.0.1:${(silent.address() as AddressInfo).port}`);
    const files = {
      'definitions/library.yaml': service,
      'definitions/nodes.yaml': nodes,
      'authority.pem': AUTHORITY,
      'client.pem': CLIENT_CERTIFICATE,
      'client.key': CLIENT_KEY,
    };
    project = restProject(files);
    client = project.clientIn(env());
  });
  afterAll(async () => {
    await project?.close();
    await nginx?.stop();
    for (const socket of sockets) socket.destroy();
    silent?.close();
  });

  const env = () => ({ LIBRARY: nginx.library, GUARDED: nginx.guarded, PASSWORD: 'hu+sh é%' });
  const call = (...args: Parameters<Client['call']>) => client.call(...args);
  const valueBy = async (operation: string, input: DocumentValue = {}): Promise<DocumentValue> =>
    (await call(operation, input)).value;

  describe('TLS', () => {
    it('is asked for by name, at the address that the node resolves it to', async () => {
      expect(await valueBy('WHO_GET')).toMatchObject({ host: 'library.example', sni: 'library.example', client: '' });
    });

    it('is not trusted where another name is asked for', async () => {
      expect(await thrown(call('WHO_BY_NUMBER', {}))).toMatchObject({
        code: 'TLS',
        hint: expect.stringContaining('ca-file: of node BY_NUMBER'),
      });
    });

    it('shows the certificate that is asked for', async () => {
      expect(await valueBy('WHO_KNOWN')).toMatchObject({ client: 'CN=caller' });
    });

    it('shows none where there is none, and tells what that is answered with', async () => {
      expect(await thrown(call('WHO_STRANGER', {}))).toMatchObject({
        code: 'HTTP_STATUS',
        httpResponseCode: 400,
        body: expect.stringContaining('No required SSL certificate was sent'),
      });
    });

    it('keeps its connection for the next call', async () => {
      const first = await valueBy('WHO_GET');
      await thrown(call('STRANGER_GET', {}));
      await thrown(call('OLD_GET', {}));
      await valueBy('LIST_GET');
      expect((await valueBy('WHO_GET')).connection).toBe(first.connection);
    });
  });

  describe('a reply', () => {
    it('in gzip is unpacked', async () => {
      const { headers, value } = await call('LIST_GET', {});
      expect(headers).toMatchObject({ 'content-encoding': 'gzip', 'transfer-encoding': 'chunked' });
      expect(value.content).toEqual(LIST);
    });

    it('comes as it is where that is asked for', async () => {
      const { headers, value } = await call('LIST_PLAIN_GET', {});
      expect(headers['content-encoding']).toBeUndefined();
      expect(Number(headers['content-length'])).toBe(Buffer.byteLength(JSON.stringify(LIST)));
      expect(value.content).toEqual(LIST);
    });

    it('in chunks is put together', async () => {
      const { headers, value } = await call('WORDS_GET', {});
      expect(headers['transfer-encoding']).toBe('chunked');
      expect(value.content).toBe('Wörter\n'.repeat(50_000));
    });
  });

  describe('a redirect', () => {
    it('is told, where none is to be followed', async () => {
      const error = await thrown(call('OLD_GET', {}));
      expect(error).toMatchObject({ code: 'HTTP_STATUS', httpResponseCode: 301 });
    });

    it('is followed where the node says so', async () => {
      const { value, attempts } = await call('OLD_FOLLOWED', {});
      expect([value.sni, attempts]).toEqual(['library.example', 2]);
    });

    it('takes the body of a PUT along', async () => {
      const content = Buffer.from([0, 1, 254, 255]);
      const { httpResponseCode, attempts } = await call('MOVED_PUT', { content: again(content) });
      expect([httpResponseCode, attempts]).toEqual([201, 2]);
      expect(readFileSync(join(nginx.files, 'moved'))).toEqual(content);
    });
  });

  describe('Basic', () => {
    it('is shown as the node says', async () => {
      expect((await valueBy('PRIVATE_GET')).content).toEqual(LIST);
    });

    it('is asked for where it is not', async () => {
      const error = await thrown(call('STRANGER_GET', {}));
      expect(error).toMatchObject({ httpResponseCode: 401, hint: expect.stringContaining('credential:') });
    });
  });

  describe('a file', () => {
    it.each([true, false])('is kept and comes back byte by byte, its length known: %s', async (isKnown) => {
      const NAME = `ab/Ä "report" 100% + 'x'?#;=&~${isKnown}.bin`;
      const { content, sha256, length } = large(isKnown);
      expect((await call('FILE_PUT', { NAME, CONTENT: content })).httpResponseCode).toBe(201);
      expect(readdirSync(join(nginx.files, 'ab'))).toContain(NAME.slice(3));
      const { value } = await call('FILE_GET', { NAME });
      expect(await sumOf(value.content as Attachment)).toBe(sha256);
      const { headers } = await call('FILE_HEAD', { NAME });
      expect(headers['content-length']).toBe(String(length));
      expect((await call('FILE_DELETE', { NAME })).httpResponseCode).toBe(204);
      expect(await thrown(call('FILE_HEAD', { NAME }))).toMatchObject({ httpResponseCode: 404 });
    });

    it.each([
      ['is read to its end', 'SMALL_PUT', true],
      ['is read to its end', 'SMALL_PUT', false],
      ['is read no further', 'RUDE_PUT', true],
      ['is read no further', 'RUDE_PUT', false],
    ])('that is too large, and %s, is told as that: %s, its length known: %s', async (_, operation, isKnown) => {
      const error = await thrown(call(operation, { NAME: 'large', CONTENT: large(isKnown).content }));
      expect(error).toMatchObject({
        code: 'HTTP_STATUS',
        httpResponseCode: 413,
        responseStatus: 20,
        body: expect.stringContaining('413 Request Entity Too Large'),
      });
      expect(await valueBy('WHO_GET')).toMatchObject({ sni: 'library.example' });
    });

    it('is sent by the command line', async () => {
      const content = Buffer.from(Array.from({ length: 100_000 }, (_, i) => i % 251));
      writeFileSync(join(project.root, 'Übersicht 1.bin'), content);
      const args = ['invoke', 'FILE_PUT', 'NAME=von Hand/Übersicht 1.bin', 'CONTENT=@Übersicht 1.bin'];
      const { code, stderr } = await signalbox(args, { cwd: project.root, env: env() });
      expect([code, stderr]).toEqual([0, 'Accepted. The operation has no reply.\n']);
      expect(readFileSync(join(nginx.files, 'von Hand/Übersicht 1.bin'))).toEqual(content);
    });
  });

  describe('a target that is overloaded', () => {
    it('is called again once it asks to be', async () => {
      const replies = await Promise.all([call('SLOW_GET', {}), call('SLOW_GET', {})]);
      expect(replies.map(({ attempts }) => attempts).sort()).toEqual([1, 2]);
      for (const { value } of replies) expect(value.content).toEqual(LIST);
    });

    it('is left alone after the last attempt', async () => {
      await call('BUSY_GET', {});
      const error = await thrown(call('BUSY_GET', {}));
      expect(error).toMatchObject({ code: 'HTTP_STATUS', httpResponseCode: 503, responseStatus: 10 });
      const refused = Array(3).fill('GET /busy 503');
      await expect.poll(() => nginx.requests('/busy'), PATIENCE).toEqual(['GET /busy 200', ...refused]);
    });

    it('whose own target is silent says so', async () => {
      const error = await thrown(call('SILENT_POST', { content: 'x' }));
      expect(error).toMatchObject({ code: 'HTTP_STATUS', httpResponseCode: 504, responseStatus: 10 });
      await expect.poll(() => nginx.requests('/silent'), PATIENCE).toEqual(['POST /silent 504']);
    });
  });
});

/** Content that can be sent once more. */
const again = (content: Buffer): Attachment => ({ ...attachment(content), again: true });

async function sumOf(content: Attachment): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of content.stream()) hash.update(chunk);
  return hash.digest('hex');
}
