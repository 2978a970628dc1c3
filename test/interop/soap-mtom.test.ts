import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BasicAuthSecurity, type Client, createClientAsync } from 'soap';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  connectorOf,
  demoSession,
  hasPython,
  type MimeMessage,
  type MimePart,
  readMime,
  runSessions,
  zeep,
} from './soap-support.ts';
import { has, run, type Served, serve } from './support.ts';

const NAMESPACE = 'urn:signalbox:sample:Attachments.v1';
const XOP = 'http://www.w3.org/2004/08/xop/include';
const ENVELOPES = {
  '1.1': { namespace: 'http://schemas.xmlsoap.org/soap/envelope/', type: 'text/xml' },
  '1.2': { namespace: 'http://www.w3.org/2003/05/soap-envelope', type: 'application/soap+xml' },
};
type Version = keyof typeof ENVELOPES;

/** What a delimiter or a line ending could be mistaken for, and every byte. */
const tricky = Buffer.concat([
  Buffer.from('\r\n--boundary of mine\r\n--boundary of mine--x\r\n\r\r\n\n'),
  Buffer.from(Array.from({ length: 256 }, (_, index) => index)),
  Buffer.from('\r\n--'),
]);
const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

let gateway: Served;
let folder: string;
beforeAll(async () => {
  gateway = await serve();
  folder = mkdtempSync(join(tmpdir(), 'signalbox-mtom-'));
});
afterAll(async () => {
  await gateway?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** What curl got for a message in a file. */
interface Got {
  readonly status: number;
  readonly contentType: string;
  readonly body: Buffer;
}

let count = 0;
async function post(message: Buffer | string, headers: readonly string[], url = connectorOf(gateway)): Promise<Got> {
  const file = join(folder, String(count++));
  writeFileSync(file, message);
  const reply = `${file}.reply`;
  const sending = ['--data-binary', `@${file}`, ...headers.flatMap((header) => ['-H', header])];
  const telling = ['-o', reply, '-w', '%{http_code}\n%{content_type}'];
  const { code, stdout, stderr } = await run('curl', [
    '-sS',
    '-m',
    '20',
    '-u',
    'demo:demo',
    ...sending,
    ...telling,
    url,
  ]);
  if (code !== 0) throw new Error(stderr);
  const [status, contentType = ''] = stdout.split('\n');
  return { status: Number(status), contentType, body: readFileSync(reply) };
}

function envelope(version: Version, payload: string): string {
  return `<s:Envelope xmlns:s="${ENVELOPES[version].namespace}"><s:Body>${payload}</s:Body></s:Envelope>`;
}
function putElement(name: string, href: string): string {
  const include = `<xop:Include xmlns:xop="${XOP}" href="${href}"/>`;
  return `<a:ATTACHMENT_PUT xmlns:a="${NAMESPACE}"><a:name>${name}</a:name><a:content>${include}</a:content></a:ATTACHMENT_PUT>`;
}
function getElement(name: string): string {
  return `<ATTACHMENT_GET xmlns="${NAMESPACE}"><name>${name}</name></ATTACHMENT_GET>`;
}

/** A message with one attachment, and its Content-Type. */
function mtom(version: Version, payload: string, content?: Buffer): { readonly bytes: Buffer; readonly type: string } {
  const { type } = ENVELOPES[version];
  const root = `Content-Type: application/xop+xml; charset=UTF-8; type="${type}"\r\nContent-ID: <root@test>\r\n\r\n`;
  const attached =
    'Content-Type: application/x-mine\r\nContent-Transfer-Encoding: binary\r\nContent-ID: <one@test>\r\n\r\n';
  const delimiter = '--boundary of theirs';
  const bytes = Buffer.concat([
    Buffer.from(`${delimiter}\r\n${root}${envelope(version, payload)}\r\n`),
    ...(content === undefined ? [] : [Buffer.from(`${delimiter}\r\n${attached}`), content, Buffer.from('\r\n')]),
    Buffer.from(`${delimiter}--\r\n`),
  ]);
  const parameters = `type="application/xop+xml"; start="<root@test>"; start-info="${type}"`;
  return { bytes, type: `Content-Type: multipart/related; boundary="boundary of theirs"; ${parameters}` };
}

/** What a reply of ATTACHMENT_PUT says. */
function said(xml: string): { name?: string; length: number; sha256?: string } {
  const [name, length, digest] = ['name', 'length', 'sha256'].map(
    (field) => new RegExp(`<${field}>([^<]*)<`).exec(xml)?.[1],
  );
  return { name: name ?? '', length: Number(length), sha256: digest ?? '' };
}

/** The root of a multipart reply, and the part that it includes. */
function opened(message: MimeMessage, version: Version): { readonly root: string; readonly included: MimePart } {
  const { type } = ENVELOPES[version];
  const [first, ...others] = message.parts;
  if (first === undefined) throw new Error('The message has no parts.');
  expect([message, ...message.parts].flatMap(({ defects }) => defects)).toEqual([]);
  expect(message.type).toBe('multipart/related');
  expect(message.parameters).toMatchObject({ type: 'application/xop+xml', 'start-info': type });
  expect(first).toMatchObject({ type: 'application/xop+xml', parameters: { charset: 'UTF-8', type } });
  expect(first.headers['content-id']).toBe(message.parameters.start);
  const root = first.bytes.toString();
  const [, cid = ''] = /<xop:Include xmlns:xop="[^"]*" href="cid:([^"]+)"\/>/.exec(root) ?? [];
  const included = others.find(({ headers }) => headers['content-id'] === `<${decodeURIComponent(cid)}>`);
  return { root, included: included ?? first };
}

describe.skipIf(!has('curl') || !hasPython)(
  "MTOM by hand, through curl and Python's email (needs curl, python3)",
  () => {
    test.each(['1.1', '1.2'] as const)('there and back in SOAP %s', async (version) => {
      const { bytes, type } = mtom(version, putElement(`tricky ${version}`, 'cid:one@test'), tricky);
      const put = await post(bytes, [type]);
      expect([put.status, put.contentType]).toEqual([200, expect.stringMatching(/^multipart\/related; /)]);
      const { root } = opened(await readMime(put.contentType, put.body), version);
      expect(said(root)).toEqual({ name: `tricky ${version}`, length: tricky.length, sha256: sha256(tricky) });

      const asking = mtom(version, getElement(`tricky ${version}`));
      const got = await post(asking.bytes, [asking.type]);
      const { root: reply, included } = opened(await readMime(got.contentType, got.body), version);
      expect(reply).toContain('<contentType>application/x-mine</contentType>');
      expect(included.headers).toMatchObject({
        'content-type': 'application/x-mine',
        'content-transfer-encoding': 'binary',
      });
      expect(included.bytes.equals(tricky)).toBe(true);
    });

    test('Accept decides for a request in XML alone; a wildcard does not', async () => {
      const { bytes, type } = mtom('1.1', putElement('accepted', 'cid:one@test'), tricky);
      await post(bytes, [type]);
      const ask = (accept: string): Promise<Got> =>
        post(envelope('1.1', getElement('accepted')), ['Content-Type: text/xml', `Accept: ${accept}`]);
      for (const accept of ['text/xml, application/xop+xml;q=0.5', 'Multipart/Related; type="application/xop+xml"']) {
        const { contentType, body } = await ask(accept);
        expect(contentType, accept).toMatch(/^multipart\/related; /);
        expect(opened(await readMime(contentType, body), '1.1').included.bytes.equals(tricky)).toBe(true);
      }
      for (const accept of ['*/*', 'text/xml', 'multipart/*', 'multipart/related', 'multipart/related;q=0, text/xml']) {
        const { contentType, body } = await ask(accept);
        expect(contentType, accept).toBe('text/xml; charset=utf-8');
        expect(body.toString()).toContain(`<content>${tricky.toString('base64')}</content>`);
      }
    });

    test('32 MiB, more than an envelope may have', async () => {
      const large = randomBytes(32 * 1024 * 1024);
      const { bytes, type } = mtom('1.2', putElement('large', 'cid:one%40test'), large);
      const put = await post(bytes, [type]);
      expect(said(put.body.toString())).toMatchObject({ length: large.length, sha256: sha256(large) });
      const got = await post(envelope('1.2', getElement('large')), [
        'Content-Type: application/soap+xml',
        'Accept: multipart/related; type="application/xop+xml"',
      ]);
      const { included } = opened(await readMime(got.contentType, got.body), '1.2');
      expect(sha256(included.bytes)).toBe(sha256(large));
    });

    test('the HTTP connector takes and sends the same', async () => {
      const url = `${gateway.address}/gateway/HttpListeningConnector`;
      const { bytes, type } = mtom('1.1', putElement('by http', 'cid:one@test'), tricky);
      const put = await post(bytes, [type, 'OperationName: ATTACHMENT_PUT.v1', 'OperationType: Sync'], url);
      expect(said(put.body.toString())).toMatchObject({ name: 'by http', sha256: sha256(tricky) });
      const got = await post(
        envelope('1.1', getElement('by http')),
        ['Content-Type: text/xml', 'Accept: multipart/related; type="application/xop+xml"'],
        url,
      );
      expect(opened(await readMime(got.contentType, got.body), '1.1').included.bytes.equals(tricky)).toBe(true);
    });

    test('a fault is an envelope alone, and nothing is kept', async () => {
      const broken = mtom('1.2', putElement('nothing of it', 'cid:another@test'), tricky);
      const refused = await post(broken.bytes, [broken.type]);
      expect([refused.status, refused.contentType]).toEqual([400, 'application/soap+xml; charset=utf-8']);
      expect(refused.body.toString()).toMatch(/<env:Value>env:Sender<.*another@test/s);
      const cut = mtom('1.1', putElement('nothing of it', 'cid:one@test'), tricky);
      const short = await post(cut.bytes.subarray(0, -40), [cut.type]);
      expect([short.status, short.contentType]).toEqual([500, 'text/xml; charset=utf-8']);
      expect(short.body.toString()).toContain('<faultcode>soap:Client</faultcode>');
      const kept = await post(envelope('1.1', getElement('nothing of it')), ['Content-Type: text/xml']);
      expect(kept.body.toString()).toContain('There is no attachment nothing of it.');
    });
  },
);

/** Messages as others put them on the wire; their payload is put in another's place, all else is as it was. */
const corpus = fileURLToPath(new URL('../../../shared/corpus/mtom', import.meta.url));
const samples = [
  {
    file: 'spring-ws-soap11-mtom.bin',
    boundary: 'MIMEBoundaryurn_uuid_492264AB42E57108E01176731445507',
    parameters:
      'type="application/xop+xml"; start="<0.urn:uuid:492264AB42E57108E01176731445508@apache.org>"; start-info="text/xml"',
    payload: /<sws:image .*<\/sws:image>/s,
    href: 'cid:1.urn:uuid:492264AB42E57108E01176731445504@apache.org',
  },
  {
    file: 'cxf-mimedata.bin',
    boundary: '----=_Part_4_701508.1145579811786',
    parameters: 'type="text/xml"; start="<echo.xml>"',
    payload: /<m:echo .*<\/m:echo>/s,
    href: 'cid:xfire_logo.jpg',
  },
];

describe.skipIf(!has('curl') || !hasPython || !existsSync(corpus))(
  'messages of others (needs curl, python3 and ../shared/corpus)',
  () => {
    test.each(samples)('$file', async ({ file, boundary, parameters, payload, href }) => {
      const theirs = readFileSync(join(corpus, file), 'latin1');
      const type = `multipart/related; boundary="${boundary}"; ${parameters}`;
      const [, attached] = (await readMime(type, Buffer.from(theirs, 'latin1'))).parts;
      const ours = theirs.replace(payload, putElement(file, href));
      const { status, body } = await post(Buffer.from(ours, 'latin1'), [`Content-Type: ${type}`, 'SOAPAction: ""']);
      expect([status, attached?.bytes.length]).toEqual([200, expect.toSatisfy((length: number) => length > 20_000)]);
      expect(said(body.toString())).toMatchObject({ name: file, sha256: sha256(attached?.bytes ?? Buffer.alloc(0)) });
    });
  },
);

describe('MTOM of the package soap', () => {
  let client: Client;
  beforeAll(async () => {
    client = await createClientAsync(`${connectorOf(gateway)}/Attachments.v1?wsdl`, { parseResponseAttachments: true });
    client.setSecurity(new BasicAuthSecurity('demo', 'demo'));
  });
  const get = async (
    name: string,
    options: object,
  ): Promise<{ readonly reply: Record<string, unknown>; readonly parts: readonly { body: Buffer }[] }> => {
    const [reply, , , , attachments] = await client.ATTACHMENT_GETAsync({ name }, options);
    return { reply, parts: attachments?.parts ?? [] };
  };

  test('attachments there and back', async () => {
    const content = { $xml: `<xop:Include xmlns:xop="${XOP}" href="cid:mine"/>` };
    const attachments = [{ mimetype: 'image/x-mine', contentId: 'mine', name: 'mine.bin', body: tricky }];
    const [put] = await client.ATTACHMENT_PUTAsync({ name: 'mine.bin', content }, { attachments });
    expect(put).toEqual({ name: 'mine.bin', length: tricky.length, sha256: sha256(tricky) });
    const { reply, parts } = await get('mine.bin', { forceMTOM: true });
    expect(reply).toEqual({
      name: 'mine.bin',
      contentType: 'image/x-mine',
      content: { Include: { attributes: { href: expect.stringMatching(/^cid:/) } } },
    });
    expect(parts).toHaveLength(1);
    expect(parts[0]?.body.equals(tricky)).toBe(true);
    const inline = await get('mine.bin', {});
    expect(inline).toMatchObject({ reply: { content: tricky.toString('base64') }, parts: [] });
  });

  test('a fault without attachments', async () => {
    const refused = get('nothing', { forceMTOM: true });
    await expect(refused).rejects.toMatchObject({
      root: {
        Envelope: { Body: { Fault: { detail: { ATTACHMENT_FAULT: { message: 'There is no attachment nothing.' } } } } },
      },
    });
  });
});

describe.skipIf(!zeep.isHere)(`MTOM of zeep (needs ${zeep.needs})`, () => {
  test.each(['1.1', '1.2'] as const)('takes content out of attachments in SOAP %s', async (version) => {
    // It strips CR and LF from both ends of a binary part (zeep 4.2, `Attachment.content`).
    const content = Buffer.concat([Buffer.from('<'), tricky, Buffer.from('>')]);
    const put = { name: `zeep ${version}`, content: { base64: content.toString('base64') } };
    const calls = {
      put: { operation: 'ATTACHMENT_PUT', argument: put },
      get: { operation: 'ATTACHMENT_GET', argument: { name: put.name } },
      none: { operation: 'ATTACHMENT_GET', argument: { name: 'nothing' } },
    };
    const session = {
      ...demoSession(gateway, 'Attachments.v1', version, calls),
      trace: true,
      accept: 'multipart/related; type="application/xop+xml"',
    };
    const { answers } = (await runSessions(zeep, { session })).session;
    expect(answers.get?.type).toMatch(/^multipart\/related; /);
    expect(answers.get?.reply).toEqual({ contentType: 'application/octet-stream', ...put });
    expect(answers.none?.fault).toMatchObject({
      detail: { ATTACHMENT_FAULT: { message: 'There is no attachment nothing.' } },
    });
  });
});
