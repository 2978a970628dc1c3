import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClient } from '../../../src/invoke/index.ts';
import type { Attachment, DocumentValue } from '../../../src/model/value.ts';
import { createSpool } from '../../../src/store/index.ts';
import { load } from '../../load/linked.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { type StartedServer, startServer } from '../servers/start.ts';
import { java, toolkits } from './generators.ts';
import { classPathOf, hasMaven, JVM, needsMaven } from './maven.ts';

// SOAP with Attachments and swaRef with SAAJ, the reference implementation, as the client and as the server.

const DOCUMENTS = `document: SCAN
namespace: urn:scans
fields:
  TITLE: { type: text, required: true }
  PHOTO: { type: binary, attachment: [image/gif, image/jpeg] }
  NOTES: { type: binary, attachment: text/plain, xml: notes }
---
document: LINKED
namespace: urn:scans
fields:
  TITLE: text
  LINK: { type: binary, attachment: reference }
  MORE: { type: list of binary, attachment: reference }
---
document: LINKS
namespace: urn:scans
fields:
  TITLE: text
  LINK: { type: list of binary, flat: true, attachment: reference }
---
`;
const OPERATIONS = `namespace: urn:scans
operations:
  SCAN_SAVE: { soap: true, request: SCAN, response: SCAN }
  SCAN_RPC: { soap: true, style: rpc, request: SCAN, response: SCAN }
`;
const SERVED = `${DOCUMENTS}service: Scans.v1
permission: EVERYTHING
${OPERATIONS}  SCAN_LINK: { soap: true, request: LINKED, response: LINKED }
`;
const CALLED = `${DOCUMENTS}node: SCANS
base: \${env:SCANS_URL}
---
service: Scans.v1
public: true
target: SCANS
${OPERATIONS}  SCAN_LINK: { soap: true, request: LINKED, response: LINKS }
`;
const ECHO = 'export default { onRequest: (value) => value };\n';

test.skipIf(!hasMaven)(
  `SAAJ calls with attachments (${needsMaven})`,
  async () => {
    const handlers = ['scan-save', 'scan-rpc', 'scan-link'].map((name) => [`src/handlers/${name}.ts`, ECHO]);
    const files = { 'definitions/scans.yaml': SERVED, ...Object.fromEntries(handlers) };
    const gateway: TestGateway = await startTestGateway({ files });
    try {
      const address = `http://127.0.0.1:${gateway.port}/gateway/PeopleSoftServiceListeningConnector`;
      const said = await java('Metro', 'Swa.java', { args: ['call', address] });
      expect(said.trimEnd().split('\n')).toEqual([
        'named TITLE: Titel',
        'named PHOTO is image/jpeg tricky',
        'named notes is text/plain Notizen für alle',
        'in order TITLE: Titel',
        'in order PHOTO is image/gif tricky',
        'in order notes is text/plain b',
        'rpc TITLE: Titel',
        'rpc notes is text/plain alone',
        'linked TITLE: Titel',
        'linked LINK: application/pdf tricky',
        'linked item: image/gif GIF',
        'lacking fault LINK is an attachment, and the message has none.',
      ]);
    } finally {
      await gateway.stop();
    }
  },
  120_000,
);

describe.skipIf(!hasMaven)(`a server with SAAJ (${needsMaven})`, () => {
  let server: StartedServer;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'signalbox-saaj-'));
    const source = fileURLToPath(new URL('Swa.java', import.meta.url));
    const path = await classPathOf(toolkits.Metro);
    server = await startServer(['java', ...JVM, '-Dfile.encoding=UTF-8', '-cp', path, source, 'serve']);
  }, 120_000);
  afterAll(async () => {
    await server?.stop();
    rmSync(folder, { recursive: true });
  });

  const every = Buffer.from(Array.from({ length: 512 }, (_, index) => index % 256));
  const content = (contentType: string, bytes: Buffer): Attachment => ({
    contentType,
    length: bytes.length,
    async *stream() {
      yield bytes;
    },
  });
  const seen = async (value: unknown): Promise<string> => {
    const { contentType, stream } = value as Attachment;
    const bytes = Buffer.concat(await Array.fromAsync(stream.call(value)));
    return `${contentType} ${bytes.length} ${createHash('sha256').update(bytes).digest('hex')}`;
  };
  const wanted = (contentType: string, bytes: Buffer): Promise<string> => seen(content(contentType, bytes));

  async function called<T>(
    operation: string,
    input: DocumentValue,
    read: (reply: Readonly<Record<string, unknown>>) => Promise<T>,
  ): Promise<T> {
    const spool = createSpool({ folder });
    const client = createClient(load(CALLED), { env: { SCANS_URL: server.url }, spool });
    try {
      const reply = await client.call(operation, input);
      const answer = await read(reply.value as Readonly<Record<string, unknown>>);
      await reply.finish();
      return answer;
    } finally {
      await client.close();
    }
  }

  test.each(['SCAN_SAVE', 'SCAN_RPC'])('%s: reads the parts of a message, and answers with them', async (operation) => {
    const input = {
      TITLE: 'Grüße',
      PHOTO: content('image/jpeg', every),
      NOTES: content('text/plain', Buffer.from('note')),
    };
    const { title, photo, notes } = await called(operation, input, async ({ TITLE, PHOTO, NOTES }) => {
      return { title: TITLE, notes: await seen(NOTES), photo: await seen(PHOTO) };
    });
    expect(title).toBe('TITLE: Grüße|PHOTO is image/jpeg 512 bytes|notes is text/plain note');
    expect(photo).toBe(await wanted('image/jpeg', every));
    expect(notes).toBe(await wanted('text/plain', Buffer.from('note')));
  });

  test('SCAN_LINK: follows the addresses in elements, and answers with others', async () => {
    const input = {
      TITLE: 'two',
      LINK: content('application/pdf', every),
      MORE: [content('image/gif', Buffer.from('GIF'))],
    };
    const links = await called('SCAN_LINK', input, async ({ TITLE, LINK }) => {
      expect(TITLE).toBe('TITLE: two|LINK: application/pdf 512 bytes|item: image/gif GIF');
      const found: string[] = [];
      for (const each of LINK as unknown[]) found.push(await seen(each));
      return found;
    });
    expect(links.sort()).toEqual(
      [await wanted('application/pdf', every), await wanted('image/gif', Buffer.from('GIF'))].sort(),
    );
  });
});
