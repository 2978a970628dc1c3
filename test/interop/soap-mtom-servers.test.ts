import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, createClient, SoapFault } from '../../src/invoke/index.ts';
import type { InvokeReply } from '../../src/model/invoke-reply.ts';
import type { Attachment } from '../../src/model/value.ts';
import { createSpool } from '../../src/store/file/spool.ts';
import { readXml } from '../../src/wire/xml/read-xml.ts';
import { childrenOf, textOf, type XmlElement } from '../../src/wire/xml/tree.ts';
import { type Ran, signalbox } from '../cli/support.ts';
import { thrown } from '../invoke/support.ts';
import { copySample, type SampleCopy } from '../support/sample.ts';
import { registryOf } from './servers/partner.ts';
import { type StartedServer, startServer } from './servers/start.ts';
import { hasPython, python } from './soap-support.ts';

/** Beside N_BINARY of the sample: messages with documents, whose content travels in each way that there is. */
const files = `service: Files.v1
public: true
target: WSDL_NODE
request: FILE
response: FILE_SEEN
properties: { MTOM: Y }
operations:
  FILE_ECHO: { soap: true }
  FILE_ECHO_12: { soap: true, headers: { Content-Type: application/soap+xml } }
  BASE64_ECHO: { soap: true, properties: { SegmentContentTransfer: base64 } }
  PACKED_ECHO: { soap: true, properties: { sendUncompressed: N } }
  INLINE_ECHO: { soap: true, properties: { MTOM: N } }
---
document: FILE
fields: { encoding: string, lines: string, content: binary }
---
document: FILE_SEEN
fields: { seen: text, content: binary }
`;

const every = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
const contents = {
  'every byte, and what looks like a delimiter': Buffer.concat([
    Buffer.from('\r\n--boundary\r\n------=_Part_1\r\n--\r\n\n.\r\nFrom x\n='),
    every,
    Buffer.from('\r\n--'),
  ]),
  // The writer of a binary part gives line ends its own form.
  'every byte but those of line ends': Buffer.from(every.filter((byte) => byte !== 10 && byte !== 13)),
  nothing: Buffer.alloc(0),
  '2 MiB': randomBytes(2 * 1024 * 1024),
} as const;
type ContentName = keyof typeof contents;

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
const bytesOf = async (content: unknown): Promise<Buffer> =>
  Buffer.concat(await Array.fromAsync((content as Attachment).stream()));

/** Content in pieces of 64 KiB. */
function attachment(content: Buffer, contentType: string, name: string): Attachment {
  return { ...streamOf(content, contentType), length: content.length, name };
}

/** Content of unknown length, which has no name. */
function streamOf(content: Buffer, contentType = 'application/x-test'): Attachment {
  return {
    contentType,
    async *stream() {
      for (let at = 0; at < content.length; at += 65_536) yield content.subarray(at, at + 65_536);
    },
  };
}

/** What stands beside the content in each reply. */
const BESIDE = {
  contentType: 'text/plain',
  name: 'Prüfbericht über die Lieferung nach Köln, Düsseldorf und Münster.txt',
  sha256: sha256(Buffer.from('Grüße')),
};

/** Attachments of a reply that no field holds, read. */
async function segmentsOf(reply: InvokeReply): Promise<object[]> {
  const segments: object[] = [];
  for await (const segment of reply.segments()) {
    const { contentType, name } = segment;
    segments.push({ contentType, name, sha256: sha256(await bytesOf(segment)) });
  }
  return segments;
}

/** The text of the one element of a name. */
function textIn(xml: string, name: string): string {
  const within = (element: XmlElement): XmlElement[] => [element, ...childrenOf(element).flatMap(within)];
  const [found, ...others] = within(readXml(xml)).filter(({ local }) => local === name);
  if (found === undefined || others.length > 0) throw new Error(`there is not one ${name} in ${xml}`);
  return textOf(found);
}

/** An envelope of specification 4.4. */
const ENVELOPE = `<?xml version="1.0" encoding="UTF-8"?>
<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/">
  <soapenv:Body>
    <N_BINARY_SEND xmlns="urn:signalbox:sample:N_BINARY.v1"><Document><Include SegmentNumber="1"/></Document></N_BINARY_SEND>
  </soapenv:Body>
</soapenv:Envelope>
`;
const REPORT = '<Document>\n  <Ort>Köln</Ort><![CDATA[<b>]]>\n</Document>\n';

describe.skipIf(!hasPython)("a server that is Python's http.server and email (needs python3)", () => {
  let server: StartedServer;
  let project: SampleCopy;
  let client: Client;
  beforeAll(async () => {
    server = await startServer([python, fileURLToPath(new URL('servers/mtom-server.py', import.meta.url))]);
    project = copySample({ 'definitions/files/service.yaml': files });
    const spool = createSpool({ folder: join(project.root, 'spool'), memory: 64 * 1024 });
    client = createClient(registryOf(project), { env: { WSDL_NODE_URL: server.url }, spool });
  });
  afterAll(async () => {
    await client?.close();
    await server?.stop();
    project?.remove();
  });

  describe('MTOM=Y with a document', () => {
    const include = { type: 'application/x-test', transfer: 'binary', defects: [] };
    const calls: readonly [string, string, string, ContentName, readonly object[]][] = [
      ['FILE_ECHO', 'base64', 'CRLF', 'every byte, and what looks like a delimiter', [include]],
      ['FILE_ECHO', 'base64', 'LF', '2 MiB', [include]],
      ['FILE_ECHO', 'quoted-printable', 'CRLF', 'every byte, and what looks like a delimiter', [include]],
      ['FILE_ECHO', 'quoted-printable', 'LF', 'every byte, and what looks like a delimiter', [include]],
      ['FILE_ECHO', 'binary', 'CRLF', 'every byte but those of line ends', [include]],
      ['FILE_ECHO', 'binary', 'LF', 'every byte but those of line ends', [include]],
      ['FILE_ECHO', 'base64', 'CRLF', 'nothing', [include]],
      ['FILE_ECHO', 'binary', 'LF', 'nothing', [include]],
      ['FILE_ECHO_12', 'base64', 'CRLF', '2 MiB', [include]],
      ['BASE64_ECHO', 'base64', 'CRLF', '2 MiB', [{ ...include, transfer: 'base64' }]],
      ['PACKED_ECHO', 'base64', 'CRLF', '2 MiB', [include]],
      ['INLINE_ECHO', 'base64', 'CRLF', '2 MiB', []],
    ];
    it.each(
      calls,
    )('%s: the reply in %s, with lines that end in %s: %s', async (operation, encoding, lines, name, included) => {
      const content = contents[name];
      const input = { encoding, lines, content: attachment(content, 'application/x-test', 'Größe.bin') };
      const reply = await client.call(operation, input);
      const { seen, content: echo } = reply.value;
      expect(echo).toMatchObject({ contentType: 'application/x-echo', name: 'echo.bin' });
      expect((await bytesOf(echo)).equals(content)).toBe(true);
      expect(await segmentsOf(reply)).toEqual([BESIDE]);
      await reply.finish();

      const type = operation === 'FILE_ECHO_12' ? 'application/soap+xml' : 'text/xml';
      const told = JSON.parse(seen as string);
      expect(told).toMatchObject({ content: sha256(content), beside: [] });
      expect(told.included).toMatchObject(
        included.map((part) => ({ ...part, name: 'Größe.bin', length: content.length, sha256: sha256(content) })),
      );
      expect(told.included).toHaveLength(included.length);
      if (included.length === 0) return expect(told.message).toMatchObject({ type, defects: [] });
      const parameters = { type: 'application/xop+xml', 'start-info': type };
      expect(told.message).toMatchObject({ type: 'multipart/related', parameters, defects: [] });
      expect(told.root).toMatchObject({
        type: 'application/xop+xml',
        parameters: { charset: 'UTF-8', type },
        defects: [],
      });
    });

    it('an attachment of unknown length', async () => {
      const content = contents['2 MiB'];
      const reply = await client.call('FILE_ECHO', { content: streamOf(content) });
      expect((await bytesOf(reply.value.content)).equals(content)).toBe(true);
      expect(JSON.parse(reply.value.seen as string).included).toMatchObject([{ length: content.length, name: null }]);
      reply.close();
    });
  });

  describe('SOAPUpContent=N and segments (specification 4.4)', () => {
    it('the marked segment is included; those of a reply may be beside', async () => {
      const content = contents['2 MiB'];
      const reply = await client.call(
        'N_BINARY_SEND',
        { content: ENVELOPE },
        { segments: [attachment(content, 'image/x-test', 'Größe "1".bin')] },
      );
      expect(reply).toMatchObject({ httpResponseCode: 200, responseStatus: 0 });
      const { included, beside, root } = JSON.parse(textIn(reply.value.content as string, 'seen'));
      expect(included).toMatchObject([
        { type: 'image/x-test', name: 'Größe "1".bin', transfer: 'binary', sha256: sha256(content), defects: [] },
      ]);
      expect(beside).toEqual([]);
      expect(root).toMatchObject({ type: 'application/xop+xml', parameters: { type: 'text/xml' }, defects: [] });
      expect(await segmentsOf(reply)).toEqual([
        BESIDE,
        { contentType: 'application/x-echo', name: 'echo.bin', sha256: sha256(content) },
      ]);
    });

    it.each([
      ['text, which travels as it is', Buffer.from(`${REPORT}]]>`), 'text/xml'],
      ['bytes, which travel in base64', contents['every byte, and what looks like a delimiter'], 'image/x-test'],
    ])('a reply is multipart text inside CDATA: %s', async (name, content, contentType) => {
      const sent = await client.call(
        'N_BINARY_SEND',
        { content: ENVELOPE },
        { segments: [attachment(content, contentType, name)] },
      );
      sent.close();
      const { value } = await client.call('N_BINARY_RECEIVE', { Document: name });
      expect(value.Document).toMatchObject({ contentType });
      expect((await bytesOf(value.Document)).equals(content)).toBe(true);
    });

    it('a fault in a message with parts', async () => {
      const fault = await thrown(client.call('N_BINARY_RECEIVE', { Document: 'nothing' }));
      expect(fault).toBeInstanceOf(SoapFault);
      expect(fault).toMatchObject({ code: 'Client', reason: 'Gibt es nicht.', httpResponseCode: 500 });
    });
  });

  describe('signalbox invoke, in the sample', () => {
    const invoke = (...args: readonly string[]): Promise<Ran> =>
      signalbox(['invoke', ...args], { cwd: project.root, env: { WSDL_NODE_URL: server.url } });

    it('N_BINARY_SEND sends a file, N_BINARY_RECEIVE brings it back', async () => {
      writeFileSync(join(project.root, 'envelope.xml'), ENVELOPE);
      writeFileSync(join(project.root, 'report.xml'), REPORT);
      const segment = ['--segment', 'report.xml;type=application/xml'];
      const sent = await invoke('N_BINARY_SEND', 'content=@envelope.xml', ...segment, '--output', 'beside');
      expect(sent).toMatchObject({ code: 0, stderr: '' });
      const [xml = '', ...segments] = sent.stdout.split('\n');
      expect(JSON.parse(textIn(xml, 'seen')).included).toMatchObject([
        { type: 'application/xml', name: 'report.xml', sha256: sha256(Buffer.from(REPORT)) },
      ]);
      expect(segments).toEqual([
        `segment 1  text/plain, ${BESIDE.name}, 7 bytes, in beside`,
        'segment 2  application/x-echo, echo.bin, 57 bytes, in beside.2',
        '',
      ]);
      expect(readFileSync(join(project.root, 'beside.2'), 'utf8')).toBe(REPORT);

      const got = await invoke('N_BINARY_RECEIVE', 'Document=report.xml', '--output', 'copy.xml');
      const stdout = 'Document  application/xml, 57 bytes, in copy.xml\n';
      expect(got).toEqual({ code: 0, signal: null, stdout, stderr: '' });
      expect(readFileSync(join(project.root, 'copy.xml'), 'utf8')).toBe(REPORT);
    });

    it('a fault is told in words, and ends with 1', async () => {
      const { code, stdout, stderr } = await invoke('N_BINARY_RECEIVE', 'Document=nothing', '--output', 'none.xml');
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(
        /^signalbox: N_BINARY_RECEIVE: Gibt es nicht\.\n +Fault: Client\n +HTTP status 500, POST http:/,
      );
    });
  });
});
