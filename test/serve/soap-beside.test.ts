import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readParts } from '../invoke/multipart.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { SERVICES, send } from './soap-client.ts';

/** A message with content beside the envelope, and one with an element that refers to it. */
const MESSAGES = `document: SCAN
namespace: urn:scans
fields:
  TITLE: { type: string(20), required: true }
  PHOTO: { type: binary, attachment: [image/gif, image/jpeg] }
  NOTES: { type: binary, attachment: text/plain, required: true, xml: notes }
---
document: LINKED
namespace: urn:scans
fields:
  TITLE: string
  LINK: { type: binary, attachment: reference }
  MORE: { type: list of binary, attachment: reference }
---
`;

const OPERATIONS = `  SCAN_SAVE: { soap: true, request: SCAN, response: SCAN }
  SCAN_RPC: { soap: true, style: rpc, request: SCAN, response: SCAN }
  SCAN_LINK: { soap: true, request: LINKED, response: LINKED }
  SCAN_TELL: { soap: true, wrapped: false, request: SCAN, response: { xml: Told, fields: { TEXT: string } } }
`;

const READ = `async function read(content) {
  if (content === undefined) return undefined;
  const chunks = [];
  for await (const chunk of content.stream()) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('latin1');
}
`;

/** Content that comes as a stream is sent as one. */
const ECHO = 'export default { onRequest: (value) => value };\n';
const TELL = `${READ}export default {
  async onRequest({ TITLE, NOTES, PHOTO }) {
    return { TEXT: [TITLE, NOTES.contentType, await read(NOTES), PHOTO?.contentType, await read(PHOTO)].join('|') };
  },
};
`;

const SERVED = `${MESSAGES}service: Scans.v1
namespace: urn:scans
permission: EVERYTHING
operations:
${OPERATIONS}`;

const CALLED = `${MESSAGES}node: SCANS
base: \${env:SCANS_URL}
credential: { basic: { user: demo, password: "\${secret:SCANS_PASSWORD}" } }
---
service: Scans.v1
namespace: urn:scans
permission: EVERYTHING
target: SCANS
operations:
${OPERATIONS}---
service: Front.v1
permission: EVERYTHING
operations:
${['SCAN_SAVE', 'SCAN_RPC']
  .map((each) => `  FRONT_${each}: { post: ${each}, request: SCAN, response: SCAN, call: ${each} }\n`)
  .join('')}  FRONT_LINK: { post: SCAN_LINK, request: LINKED, response: LINKED, call: SCAN_LINK }
`;

let served: TestGateway;
let calling: TestGateway;
beforeAll(async () => {
  const handlers = {
    'src/handlers/scan-save.ts': ECHO,
    'src/handlers/scan-rpc.ts': ECHO,
    'src/handlers/scan-link.ts': ECHO,
    'src/handlers/scan-tell.ts': TELL,
  };
  served = await startTestGateway({ files: { 'definitions/scans.yaml': SERVED, ...handlers } });
  const env = { SCANS_URL: `http://127.0.0.1:${served.port}${SERVICES}`, SCANS_PASSWORD: 'demo' };
  calling = await startTestGateway({ files: { 'definitions/calls.yaml': CALLED }, env });
});
afterAll(async () => {
  await calling?.stop();
  await served?.stop();
});

const CRLF = '\r\n';
const ENVELOPE = 'http://schemas.xmlsoap.org/soap/envelope/';
const envelope = (body: string, namespace = ENVELOPE): string =>
  `<?xml version="1.0" encoding="UTF-8"?><soapenv:Envelope xmlns:soapenv="${namespace}"><soapenv:Body>${body}</soapenv:Body></soapenv:Envelope>`;
const scan = (name: string): string => `<s:${name} xmlns:s="urn:scans"><s:TITLE>a</s:TITLE></s:${name}>`;

/** Parts as their heads and bodies. */
type Parts = readonly (readonly [readonly string[], string])[];

function message(boundary: string, parts: Parts): string {
  const texts = parts.map(([head, body]) => [`--${boundary}`, ...head, '', body].join(CRLF));
  return [...texts, `--${boundary}--`, ''].join(CRLF);
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

async function ask(contentType: string, text: string, soapAction?: string): Promise<Answer> {
  const reply = await send(served, {
    headers: {
      'content-type': contentType,
      accept: 'application/soap+xml, application/dime, multipart/related, text/*',
      ...(soapAction === undefined ? {} : { soapaction: `"${soapAction}"` }),
    },
    body: Buffer.from(text, 'latin1'),
  });
  return { status: reply.status, type: reply.headers['content-type'] as string, text: reply.bytes.toString('latin1') };
}

const TOLD = '<TEXT>a|text/plain|a=b|image/jpeg|jpeg</TEXT>';

describe('a request with attachments', () => {
  it('of Axis 1 has parts without names, in the order of the contract', async () => {
    const type = 'multipart/related; type="text/xml"; start="<9E00F1B9>"; boundary="----=_Part_0_123.456"';
    const text = message('----=_Part_0_123.456', [
      [
        ['Content-Type: text/xml; charset=UTF-8', 'Content-Transfer-Encoding: binary', 'Content-Id: <9E00F1B9>'],
        envelope(scan('SCAN')),
      ],
      [['Content-Type: image/jpeg', 'Content-Transfer-Encoding: binary', 'Content-Id: <A1>'], 'jpeg'],
      [['Content-Type: text/plain', 'Content-Transfer-Encoding: quoted-printable', 'Content-Id: <A2>'], 'a=3Db'],
    ]);
    expect((await ask(type, text, 'SCAN_TELL.v1')).text).toContain(TOLD);
  });

  it('of CXF has parts with the names of the contract, in any order', async () => {
    const type =
      'multipart/related; type="text/xml"; boundary="uuid:c4a7"; start="<root.message@cxf.apache.org>"; start-info="text/xml"';
    const text = message('uuid:c4a7', [
      [
        [
          'Content-Type: text/xml; charset=UTF-8; type="text/xml"',
          'Content-Transfer-Encoding: binary',
          'Content-ID: <root.message@cxf.apache.org>',
        ],
        envelope(scan('SCAN')),
      ],
      [['Content-Type: text/plain', 'Content-Transfer-Encoding: binary', 'Content-ID: <notes=1ef6@apache.org>'], 'a=b'],
      [
        ['Content-Type: image/jpeg', 'Content-Transfer-Encoding: binary', 'Content-ID: <PHOTO=77e0@apache.org>'],
        'jpeg',
      ],
    ]);
    expect((await ask(type, text, 'SCAN_TELL.v1')).text).toContain(TOLD);
  });

  it('of Metro has a root without an id, and may leave out what is optional', async () => {
    const type = 'multipart/related; type="text/xml"; boundary="uuid:9a3d"';
    const text = message('uuid:9a3d', [
      [['Content-Type: text/xml'], envelope(scan('SCAN'))],
      [
        [
          'Content-Id: <notes=d3b7@example.jaxws.sun.com>',
          'Content-Type: text/plain',
          'Content-Transfer-Encoding: binary',
        ],
        'a=b',
      ],
    ]);
    expect((await ask(type, text, 'SCAN_TELL.v1')).text).toContain('<TEXT>a|text/plain|a=b||</TEXT>');
  });

  it('may have the envelope of SOAP 1.2', async () => {
    const type = 'multipart/related; type="application/soap+xml"; boundary=b; action="SCAN_TELL.v1"';
    const text = message('b', [
      [['Content-Type: application/soap+xml'], envelope(scan('SCAN'), 'http://www.w3.org/2003/05/soap-envelope')],
      [['Content-ID: <notes@a>', 'Content-Type: text/plain'], 'a=b'],
    ]);
    expect((await ask(type, text)).text).toContain('<TEXT>a|text/plain|a=b||</TEXT>');
  });

  it('is refused without a required one, and content of another part is not taken for it', async () => {
    const alone = await ask('text/xml', envelope(scan('SCAN')), 'SCAN_TELL.v1');
    expect(alone.text).toContain('NOTES is missing');
    const text = message('b', [
      [['Content-Type: text/xml'], envelope(scan('SCAN'))],
      [['Content-ID: <other=1@a>', 'Content-Type: text/plain'], 'a=b'],
    ]);
    const other = await ask('multipart/related; type="text/xml"; boundary=b', text, 'SCAN_TELL.v1');
    expect(other.text).toContain('NOTES is missing');
  });
});

describe('a reply with attachments', () => {
  const request = (operation: string): string =>
    message('b', [
      [['Content-Type: text/xml'], envelope(operation)],
      [['Content-ID: <PHOTO=1@a>'], 'jpeg'],
      [['Content-ID: <notes=1@a>', 'Content-Type: text/csv'], 'a,b'],
    ]);
  const TYPE = 'multipart/related; type="text/xml"; boundary=b';

  it('names the parts in Content-IDs, and its root is the envelope', async () => {
    const { type, text } = await ask(TYPE, request(scan('SCAN_SAVE')));
    expect(type).toMatch(/^multipart\/related; type="text\/xml"; start="<[^>]+>"; boundary="/);
    const [root, photo, notes] = readParts(type, Buffer.from(text, 'latin1'));
    expect(root?.headers['content-type']).toBe('text/xml; charset=utf-8');
    expect(root?.body).toContain('<SCAN_SAVEResponse xmlns="urn:scans"><TITLE>a</TITLE></SCAN_SAVEResponse>');
    expect(photo?.headers['content-id']).toMatch(/^<PHOTO=[0-9a-f-]{36}@signalbox>$/);
    expect(notes?.headers['content-id']).toMatch(/^<notes=[0-9a-f-]{36}@signalbox>$/);
    expect([photo?.headers['content-type'], photo?.body]).toEqual(['application/octet-stream', 'jpeg']);
    expect([notes?.headers['content-type'], notes?.body]).toEqual(['text/csv', 'a,b']);
  });

  it('is the same in rpc/literal', async () => {
    const rpc = '<s:SCAN_RPC xmlns:s="urn:scans"><TITLE>a</TITLE></s:SCAN_RPC>';
    const { type, text } = await ask(TYPE, request(rpc));
    const [root, ...others] = readParts(type, Buffer.from(text, 'latin1'));
    expect(root?.body).toContain('<SCAN_RPCResponse xmlns="urn:scans"><TITLE xmlns="">a</TITLE></SCAN_RPCResponse>');
    expect(others.map(({ body }) => body)).toEqual(['jpeg', 'a,b']);
  });
});

describe('an element that refers to an attachment (swaRef)', () => {
  const linked = (content: string): string => `<SCAN_LINK xmlns="urn:scans">${content}</SCAN_LINK>`;
  const request = (content: string): string =>
    message('b', [
      [['Content-Type: text/xml'], envelope(linked(content))],
      [['Content-ID: <one@a>', 'Content-Type: text/plain'], 'first'],
      [['Content-ID: <two@a>'], 'second'],
    ]);
  const TYPE = 'multipart/related; type="text/xml"; boundary=b';

  it('is read, and written with the address of a part', async () => {
    const content = '<MORE><item>cid:two@a</item></MORE>';
    const { type, text } = await ask(TYPE, request(`<LINK> cid:one%40a </LINK>${content}`));
    const [root, one, two] = readParts(type, Buffer.from(text, 'latin1'));
    expect(one?.headers['content-type']).toBe('text/plain');
    expect([one?.body, two?.body]).toEqual(['first', 'second']);
    const address = (id: string | undefined): string => `cid:${id?.slice(1, -1)}`;
    expect(root?.body).toContain(`<LINK>${address(one?.headers['content-id'])}</LINK>`);
    expect(root?.body).toContain(`${address(two?.headers['content-id'])}</`);
  });

  it('may refer to a part twice, has base64 in its place otherwise, and is refused without a part', async () => {
    const twice = await ask(TYPE, request('<LINK>cid:one@a</LINK><MORE><item>cid:one@a</item></MORE>'));
    expect(readParts(twice.type, Buffer.from(twice.text, 'latin1')).map(({ body }) => body)).toEqual([
      expect.anything(),
      'first',
      'first',
    ]);
    const inline = await ask('text/xml', envelope(linked('<LINK>YQ==</LINK>')));
    expect(readParts(inline.type, Buffer.from(inline.text, 'latin1'))[1]?.body).toBe('a');
    expect((await ask(TYPE, request('<LINK>cid:three@a</LINK>'))).text).toContain('has no such part');
    expect((await ask('text/xml', envelope(linked('<LINK>cid:one@a</LINK>')))).text).toContain('the message has none');
  });

  it('leaves texts alone that look like addresses', async () => {
    const text = request('<TITLE>cid:nothing</TITLE><LINK>cid:one@a</LINK>');
    expect((await ask(TYPE, text)).text).toContain('<TITLE>cid:nothing</TITLE>');
  });
});

describe('a call of a system with such a contract', () => {
  async function through(operation: string, body: unknown): Promise<unknown> {
    const reply = await calling.call(`/gateway/RESTListeningConnector/Front.v1/${operation}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: reply.status, body: JSON.parse(reply.text) };
  }
  const base64 = (text: string): string => Buffer.from(text).toString('base64');

  it('sends and reads attachments, which are base64 in JSON', async () => {
    const body = { TITLE: 'a', PHOTO: base64('jpeg'), NOTES: base64('text') };
    expect(await through('SCAN_SAVE', body)).toEqual({ status: 200, body });
    expect(await through('SCAN_RPC', body)).toEqual({ status: 200, body });
    const linked = { TITLE: 'a', LINK: base64('one'), MORE: [base64('two'), base64('three')] };
    expect(await through('SCAN_LINK', linked)).toEqual({ status: 200, body: linked });
  });
});
