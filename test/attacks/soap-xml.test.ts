import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  bodyOf,
  callSoap,
  envelope,
  faultOf,
  post,
  SERVICES,
  type SeenFault,
  SOAP_11,
  SOAP_12,
  type SoapReply,
  send,
  TYPES,
  type Version,
  wrapped,
} from '../serve/soap-client.ts';
import { NS, soapProject } from '../serve/soap-project.ts';
import { openConnection } from '../support/connection.ts';
import { DEMO, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { expectFreed, inUse } from '../support/memory.ts';

const MiB = 1024 * 1024;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ files: soapProject('limits: { body: 128 MiB }') });
  await callSoap(gateway, 'ECHO', '<S>at first</S>');
});
afterAll(() => gateway.stop());
/** Whatever was sent: the gateway goes on, and has nothing of its own to complain about. */
afterEach(async () => {
  expect((await callSoap(gateway, 'ECHO', '<S>still there</S>')).status).toBe(200);
  expect(gateway.log().filter((line) => line.level === 'error')).toEqual([]);
});

/** A fault that blames the caller, in the caller's version, and shows nothing of this machine. */
function refused(reply: SoapReply, version: Version): SeenFault {
  const fault = faultOf(reply, version);
  expect([fault.status, fault.code]).toEqual(version === '1.1' ? [500, 'Client'] : [400, 'Sender']);
  expect(reply.text).not.toMatch(/root:|\/bin\/|node_modules|\.ts:\d|at \w+ \(/);
  expect(reply.text.length).toBeLessThan(4096);
  return fault;
}

/** Posts a body in pieces that are made as they leave. */
async function stream(pieces: Iterable<string>, version: Version): Promise<SoapReply> {
  const bytes = async function* () {
    for (const piece of pieces) yield Buffer.from(piece);
  };
  return send(gateway, { body: bytes(), headers: { 'content-type': TYPES[version] } });
}

const namespaces: Readonly<Record<Version, string>> = { '1.1': SOAP_11, '1.2': SOAP_12 };
const PASSWD = '<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]>';
const LAUGHS =
  '<!DOCTYPE l [<!ENTITY a "ha">' +
  Array.from(
    { length: 20 },
    (_, i) => `<!ENTITY ${'bcdefghijklmnopqrstu'[i]} "${`&${'abcdefghijklmnopqrst'[i]};`.repeat(10)}">`,
  ).join('') +
  ']>';

describe.each(['1.1', '1.2'] as const)('SOAP %s', (version) => {
  const ns = namespaces[version];
  const around = (prolog: string, text: string): string =>
    envelope(wrapped('ECHO', `<T>${text}</T>`), version).replace('\n', prolog);
  const filled = wrapped('ECHO', '<S>a</S>');

  it.each<[string, string, string]>([
    ['a document type', around('<!DOCTYPE a>', 'x'), 'DOCTYPE'],
    ['an external document type', around('<!DOCTYPE a SYSTEM "http://127.0.0.1:1/a.dtd">', 'x'), 'DOCTYPE'],
    ['entities that expand', around(LAUGHS, '&u;'), 'DOCTYPE'],
    ['an external entity', around(PASSWD, '&x;'), 'DOCTYPE'],
    [
      'an external parameter entity',
      around('<!DOCTYPE a [<!ENTITY % x SYSTEM "file:///etc/passwd"> %x;]>', ''),
      'DOCTYPE',
    ],
    ['a document type inside', envelope(`<!DOCTYPE a>${filled}`, version), 'XML is wrong'],
    ['an entity that nobody declared', around('', '&x;'), 'its XML is wrong'],
    ['a reference to no character', around('', '&#0;'), 'its XML is wrong'],
    ['a tag that is not closed', `<s:Envelope xmlns:s="${ns}">`, 'its XML is wrong'],
    ['tags that do not match', envelope('<a></b>', version), 'its XML is wrong'],
    ['two roots', `${envelope(filled, version)}<a/>`, 'its XML is wrong'],
    ['a prefix that is not bound', envelope('<x:ECHO/>', version), 'its XML is wrong'],
    ['an attribute twice', envelope('<a b="1" b="2"/>', version), 'its XML is wrong'],
    ['a name of 2,000 characters', envelope(`<${'n'.repeat(2000)}/>`, version), 'name'],
    ['no text at all', ' ', 'its XML is wrong'],
    ['a JSON text', '{"a":1}', 'its XML is wrong'],
    ['two elements in the Body', envelope(filled + filled, version), 'more than one element'],
    ['text in the Body', envelope(`text${filled}`, version), 'text right inside the Body'],
    ['nothing in the Body', envelope('', version), 'Body of its envelope is empty'],
    ['no Body', `<s:Envelope xmlns:s="${ns}"/>`, 'no Body'],
    [
      'a Body in no namespace',
      `<s:Envelope xmlns:s="${ns}"><Body>${filled}</Body></s:Envelope>`,
      'where its Body belongs',
    ],
    [
      'a Header behind the Body',
      `<s:Envelope xmlns:s="${ns}"><s:Body>${filled}</s:Body><s:Header/></s:Envelope>`,
      'behind the Body',
    ],
    ['two Bodies', `<s:Envelope xmlns:s="${ns}"><s:Body/><s:Body>${filled}</s:Body></s:Envelope>`, 'behind the Body'],
    [
      'mustUnderstand that is no boolean',
      envelope(filled, version, `<h xmlns="urn:h" s:mustUnderstand="maybe"/>`),
      'mustUnderstand',
    ],
    [
      'the usual prefix with a wrong namespace',
      envelope(`<m:ECHO xmlns:m="urn:test:Other.v1"/>`, version),
      'no operation',
    ],
    ['a default namespace that is wrong', envelope('<ECHO xmlns="urn:x"/>', version), 'no operation'],
    ['a field of a wrong namespace', envelope(`<m:ECHO xmlns:m="${NS}"><S xmlns="urn:x">a</S></m:ECHO>`, version), 'S'],
  ])('%s is refused', async (_, xml, words) => {
    const { reason } = refused(await post(gateway, xml, version), version);
    expect(reason).toContain(words);
  });

  it('an envelope of the other version in a Body of this one is no envelope', async () => {
    const other = version === '1.1' ? SOAP_12 : SOAP_11;
    const xml = `<s:Envelope xmlns:s="${ns}"><o:Body xmlns:o="${other}">${filled}</o:Body></s:Envelope>`;
    expect(refused(await post(gateway, xml, version), version).reason).toContain('where its Body belongs');
  });

  it('100,000 levels are refused at the hundredth', async () => {
    const before = inUse();
    const levels = envelope('<a>'.repeat(100_000) + '</a>'.repeat(100_000), version);
    expect(refused(await post(gateway, levels, version), version).reason).toContain('100 levels');
    await expectFreed(before, 16 * MiB);
  });

  it('a million attributes are refused', async () => {
    const pieces = function* () {
      yield `<s:Envelope xmlns:s="${ns}"><s:Body><a`;
      for (let from = 0; from < 1_000_000; from += 1000)
        yield Array.from({ length: 1000 }, (_, index) => ` a${from + index}="1"`).join('');
      yield '/></s:Body></s:Envelope>';
    };
    const before = inUse();
    expect(refused(await stream(pieces(), version), version).reason).toContain('250 attributes');
    await expectFreed(before, 16 * MiB);
  });

  it('a million elements are refused', async () => {
    const pieces = function* () {
      yield `<s:Envelope xmlns:s="${ns}"><s:Body><ECHO xmlns="${NS}">`;
      for (let count = 0; count < 1000; count++) yield '<a/>'.repeat(1000);
      yield '</ECHO></s:Body></s:Envelope>';
    };
    const before = inUse();
    expect(refused(await stream(pieces(), version), version).reason).toContain('elements');
    await expectFreed(before, 16 * MiB);
  });

  it.each([
    ['a lone continuation byte', [0x80]],
    ['an overlong form', [0xc0, 0xaf]],
    ['half of a surrogate pair', [0xed, 0xa0, 0x80]],
    ['a cut character', [0xe2, 0x82]],
    ['beyond Unicode', [0xf4, 0x90, 0x80, 0x80]],
  ])('%s is no UTF-8', async (_, bytes) => {
    const [start, end] = around('', '#').split('#');
    const xml = Buffer.concat([Buffer.from(start!), Buffer.from(bytes), Buffer.from(end!)]);
    expect(refused(await post(gateway, xml, version), version).reason).toContain('not UTF-8');
  });

  it('UTF-16 is read with a byte order mark, and refused without', async () => {
    const type = TYPES[version].replace('utf-8', 'utf-16');
    const little = Buffer.from(envelope(wrapped('ECHO', '<S>é\u{1f600}</S>'), version), 'utf16le');
    for (const [mark, bytes] of [
      [[0xff, 0xfe], little],
      [[0xfe, 0xff], Buffer.from(little).swap16()],
    ] as const) {
      const marked = Buffer.concat([Buffer.from(mark), bytes]);
      for (const contentType of [type, type.replace(/;.*/, '')]) {
        const reply = await post(gateway, marked, version, { 'content-type': contentType });
        expect(bodyOf(reply, version)).toContain('<S>é\u{1f600}</S>');
      }
      const bare = await post(gateway, Buffer.from(bytes), version, { 'content-type': type });
      expect(refused(bare, version).reason).toContain('byte order mark');
    }
  });
});

it('a text of 100 MB is refused before all of it has been read', async () => {
  const piece = 'x'.repeat(MiB);
  let sent = 0;
  const pieces = function* () {
    yield `<s:Envelope xmlns:s="${SOAP_11}"><s:Body><ECHO xmlns="${NS}"><T>`;
    for (; sent < 100; sent++) yield piece;
    yield '</T></ECHO></s:Body></s:Envelope>';
  };
  const before = inUse();
  expect(refused(await stream(pieces(), '1.1'), '1.1').reason).toContain('67108864 characters');
  await expectFreed(before, 16 * MiB);
  expect(sent).toBeLessThan(100);
});

describe('a message whose length is a lie', () => {
  const xml = envelope(wrapped('ECHO', '<S>a</S>'));
  const head = (length: number): string =>
    [
      `POST ${SERVICES} HTTP/1.1`,
      'Host: x',
      `Authorization: ${DEMO}`,
      'Content-Type: text/xml',
      `Content-Length: ${length}`,
      '',
      '',
    ].join('\r\n');

  it('too short: what is cut is no XML, and what is left no request', async () => {
    const reply = await gateway.raw(head(xml.length - 10) + xml);
    expect(reply).toMatch(/^HTTP\/1\.1 [45]0\d /);
    expect(reply).not.toContain('HTTP/1.1 200');
  });

  it('too long: the connection ends with its sender', async () => {
    const { socket, received, closed } = openConnection(gateway.port, head(xml.length + 10) + xml);
    socket.end();
    await closed;
    expect(received()).not.toContain('HTTP/1.1 200');
  });

  it('larger than any body may be: refused at once', async () => {
    const { received, closed } = openConnection(gateway.port, head(129 * MiB));
    await closed;
    const reply = received();
    expect(reply).toMatch(/^HTTP\/1\.1 413 /);
    expect(reply).toContain(
      `<faultstring>The request body is larger than ${128 * MiB} bytes (\`limits.body\`).</faultstring>`,
    );
  });
});
