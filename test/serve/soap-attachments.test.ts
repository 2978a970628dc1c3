import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import {
  bodyOf,
  callSoap,
  envelope,
  faultOf,
  include,
  keptFiles,
  packed,
  part,
  partsOf,
  post,
  postParts,
  RELATED,
  root,
  type SoapReply,
  send,
  wrapped,
} from './soap-client.ts';
import { LIMITS, NS, soapProject } from './soap-project.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ files: soapProject() });
});
afterAll(async () => {
  expect((await callSoap(gateway, 'ECHO', '<S>at the end</S>')).status).toBe(200);
  expect(gateway.log().filter((line) => line.level === 'error')).toEqual([]);
  await gateway.stop();
});

const echo = (fields: string): string => envelope(wrapped('ECHO', fields));
const inline = (text: string): string => Buffer.from(text).toString('base64');
const sha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex');

/** The fields of an ECHO reply, with the Content-IDs that it includes in order as #1, #2. */
function fieldsOf(xml: string): string {
  let count = 0;
  const numbered = xml.replace(/<xop:Include xmlns:xop="[^"]+" href="cid:[^"]+"\/>/g, () => `#${++count}`);
  return /<ECHOResponse[^>]*>(.*)<\/ECHOResponse>/s.exec(numbered)![1]!;
}

/** Content types and contents of the parts behind the root. */
const attachments = (reply: SoapReply): string[] =>
  partsOf(reply)
    .slice(1)
    .map(({ head, body }) => `${/^Content-Type: (.*)\r$/m.exec(head)?.[1]}: ${body}`);

describe('attachments of a request', () => {
  it('come back in the same places, whatever their order', async () => {
    const xml = echo(`<BIN>${include('one')}</BIN><SUB><N>1</N><CONTENT>${include('two')}</CONTENT></SUB>`);
    const one = part('one', 'first');
    const two = part('two', 'second', { 'Content-Type': 'image/x-two' });
    for (const parts of [
      [one, two],
      [two, one],
    ]) {
      const reply = await postParts(gateway, [root(xml), ...parts]);
      expect(reply.status, reply.text).toBe(200);
      expect(fieldsOf(partsOf(reply)[0]!.body)).toBe('<BIN>#1</BIN><SUB><N>1</N><CONTENT>#2</CONTENT></SUB>');
      expect(attachments(reply)).toEqual(['text/x-part: first', 'image/x-two: second']);
    }
  });

  it('may stand in front of the root that start names', async () => {
    const parts = [part('a', 'before'), root(echo(`<BIN>${include('a')}</BIN>`))];
    const reply = await postParts(gateway, parts, { 'content-type': `${RELATED}; start="<root>"` });
    expect(attachments(reply)).toEqual(['text/x-part: before']);
  });

  it('may be empty, and may be inline all the same', async () => {
    const xml = echo(`<BIN>${include('a')}</BIN><SUB><N>1</N><CONTENT>${inline('in place')}</CONTENT></SUB>`);
    const reply = await postParts(gateway, [root(xml), part('a', '')]);
    expect(attachments(reply)).toEqual(['text/x-part: ', 'application/octet-stream: in place']);
  });

  const NOTHING: readonly [string, string, string, string][] = [
    ['raw XML', 'RAW', `<a xmlns="">${include('none')}</a>`, 'cid:"none"'],
    ['a field of XML', 'ECHO', `<X><a xmlns="">${include('none')}</a></X>`, 'cid:"none"'],
    ['raw XML, by its number', 'RAW', '<a xmlns=""><Include SegmentNumber="1"/></a>', 'the segment "1"'],
    ['raw XML, by a number that is none', 'RAW', '<a xmlns=""><Include SegmentNumber="x"/></a>', 'the segment "x"'],
  ];
  it.each(NOTHING)('that are included in %s and do not exist are refused', async (_, operation, fields, what) => {
    const xml = envelope(wrapped(operation, fields));
    const reason = `Invalid request body: it includes ${what}, and has no such part.`;
    for (const reply of [await post(gateway, xml), await postParts(gateway, [root(xml)])])
      expect(faultOf(reply)).toMatchObject({ status: 500, code: 'Client', reason });
  });

  it('may be included by their number among those that nothing else includes', async () => {
    const xml = envelope(wrapped('RAW', '<a xmlns=""><Include SegmentNumber="2"/></a>'));
    expect((await postParts(gateway, [root(xml), part('a', 'first'), part('b', 'second')])).status).toBe(200);
    const missing = faultOf(await postParts(gateway, [root(xml), part('a', 'first')]));
    expect(missing.reason).toContain('it includes the segment "2", and has no such part');
  });

  it('are streamed through, the reply taking them from the connection', async () => {
    const chunk = Buffer.alloc(16 * 1024, 'x');
    const [head, tail] = packed([root(echo(`<BIN>${include('a')}</BIN>`)), part('a', '#')])
      .toString()
      .split('#');
    const body = async function* () {
      yield Buffer.from(head!);
      for (let count = 0; count < 15; count++) yield chunk;
      yield Buffer.from(tail!);
    };
    const reply = await send(gateway, { body: body(), headers: { 'content-type': RELATED } });
    expect(reply.headers['transfer-encoding']).toBe('chunked');
    expect(partsOf(reply)[1]!.body).toBe('x'.repeat(15 * chunk.length));
  });

  it('are kept by the operation that keeps them, every byte', async () => {
    const content = Buffer.from(Array.from({ length: 100_000 }, (_, index) => (index * 7 + (index >> 8)) % 256));
    const xml = envelope(wrapped('PUT', `<NAME>bytes</NAME><CONTENT>${include('a')}</CONTENT>`));
    const put = await postParts(gateway, [root(xml), part('a', content)], { accept: 'text/xml' });
    const facts = `<LENGTH>100000</LENGTH><SHA256>${sha256(content)}</SHA256><TYPE>text/x-part</TYPE>`;
    expect(partsOf(put)[0]!.body).toContain(facts);
    const headers = { accept: 'multipart/related; type="application/xop+xml"' };
    const got = await post(gateway, envelope(wrapped('GET', '<NAME>bytes</NAME>')), '1.1', headers);
    expect(Number(got.headers['content-length'])).toBe(got.bytes.length);
    expect(Buffer.from(partsOf(got)[1]!.body, 'latin1').equals(content)).toBe(true);
    const plain = await callSoap(gateway, 'GET', '<NAME>bytes</NAME>', '1.2');
    expect(bodyOf(plain, '1.2')).toContain(`<CONTENT>${content.toString('base64')}</CONTENT>`);
  });

  it('that nobody reads hold nothing up', async () => {
    const xml = envelope(wrapped('IGNORES', `<BIN>${include('a')}</BIN>`));
    const reply = await postParts(gateway, [root(xml), part('a', 'x'.repeat(200_000)), part('b', 'more')]);
    expect(partsOf(reply)[0]!.body).toContain('<S>not read</S>');
  });

  it('work in SOAP 1.2 as well', async () => {
    const type =
      'multipart/related; type="application/xop+xml"; start-info="application/soap+xml; action=\\"ECHO.v1\\""; boundary=b';
    const rootType = 'application/xop+xml; charset=UTF-8; type="application/soap+xml; action=\\"ECHO.v1\\""';
    const xml = envelope(wrapped('ECHO', `<BIN>${include('a')}</BIN>`), '1.2');
    const asked = (contentType: string): Promise<SoapReply> =>
      send(gateway, {
        body: packed([root(xml, { 'Content-Type': rootType }), part('a', 'x')], '\r\n', 'b'),
        headers: { 'content-type': contentType },
      });
    const reply = await asked(type);
    expect(reply.headers['content-type']).toContain('start-info="application/soap+xml"');
    expect(partsOf(reply)[0]!.head).toContain('type="application/soap+xml"');
    expect(bodyOf({ text: partsOf(reply)[0]!.body }, '1.2')).toContain('<BIN><xop:Include');
    expect(faultOf(await asked(type.replace('ECHO.v1', 'PUT.v1')), '1.2').code).toBe('Sender');
  });
});

describe('a reply is MTOM', () => {
  const asked = async (headers: Record<string, string>): Promise<boolean> => {
    const reply = await post(gateway, echo(`<BIN>${inline('content')}</BIN>`), '1.1', headers);
    expect(reply.status).toBe(200);
    const isMtom = reply.headers['content-type']!.startsWith('multipart/related');
    if (isMtom) expect(attachments(reply)).toEqual(['application/octet-stream: content']);
    else expect(bodyOf(reply)).toContain(`<BIN>${inline('content')}</BIN>`);
    return isMtom;
  };

  it.each([
    'multipart/related; type="application/xop+xml"',
    'text/xml, multipart/related;type=application/xop+xml; start-info="text/xml"',
    'application/xop+xml',
    'Multipart/Related; type="application/xop+xml"; q=0.5, text/xml',
    'multipart/related;type="application/xop+xml";q=0.001',
  ])('where its caller accepts %s', async (accept) => {
    expect(await asked({ accept })).toBe(true);
  });

  it.each([
    '*/*',
    'multipart/*',
    'text/xml',
    'application/soap+xml, application/dime, multipart/related, text/*',
    'multipart/related; type="text/xml"',
    'text/xml, multipart/related; type="application/xop+xml";q=0',
    'multipart/related;type="application/xop+xml"; q=0.000, text/xml',
    'multipart/relatedness',
    '',
  ])('but not where it accepts %j', async (accept) => {
    expect(await asked({ accept })).toBe(false);
  });

  it('but not where the request is SOAP with Attachments', async () => {
    const type = 'multipart/related; type="text/xml"; boundary=b';
    const xml = echo(`<BIN>${inline('content')}</BIN>`);
    const body = packed([root(xml, { 'Content-Type': 'text/xml' })], '\r\n', 'b');
    const reply = await send(gateway, { body, headers: { 'content-type': type } });
    expect(reply.headers['content-type']).toBe('text/xml; charset=utf-8');
    expect(bodyOf(reply)).toContain(`<BIN>${inline('content')}</BIN>`);
  });

  it('and where the request is, but a fault never', async () => {
    expect((await postParts(gateway, [root(echo('<S>a</S>'))])).headers['content-type']).toMatch(/^multipart/);
    expect(faultOf(await postParts(gateway, [root(echo('<I>x</I>'))])).reason).toBe('I is not an integer.');
  });
});

describe('segments', () => {
  const raw = (content: string): string => envelope(wrapped('RAW', content));
  const seen = (name: string, content: string): string =>
    `<segment type="text/x-part" name="${name}">${content}</segment>`;

  it('are the parts that nothing includes, in their order', async () => {
    const named = { 'Content-Disposition': 'attachment; filename="b.txt"' };
    const reply = await postParts(gateway, [root(raw('<a xmlns=""/>')), part('a', 'A'), part('b', 'B', named)]);
    expect(partsOf(reply)[0]!.body).toContain(`<seen><a/>${seen('', 'A')}${seen('b.txt', 'B')}</seen>`);
  });

  it('and those that no field holds, where a message has none', async () => {
    const xml = raw(`<a xmlns="">${include('b')}</a>`);
    const reply = await postParts(gateway, [root(xml), part('a', 'A'), part('b', 'B'), part('c', 'C')]);
    expect(partsOf(reply)[0]!.body).toContain(`${seen('', 'A')}${seen('', 'B')}${seen('', 'C')}</seen>`);
  });

  it('are none where there are none', async () => {
    expect(bodyOf(await callSoap(gateway, 'RAW', '<a xmlns=""/>'))).toContain('<seen><a/></seen>');
  });

  it('of a reply stand where markers want them, or beside', async () => {
    const asked = (markers: string, accept = 'multipart/related'): Promise<SoapReply> =>
      post(gateway, envelope(wrapped('MARKED', `<COUNT>2</COUNT><MARKERS>${markers}</MARKERS>`)), '1.1', { accept });
    const reply = await asked('2');
    expect([reply.status, reply.headers['x-own']]).toEqual([200, 'yes']);
    const [xml, two, one] = partsOf(reply);
    const id = /Content-ID: <([^>]+)>/.exec(two!.head)![1];
    expect(xml!.body).toMatch(new RegExp(`<marked><xop:Include xmlns:xop="[^"]+" href="cid:${id}"/></marked>`));
    expect([two!.body, one!.body]).toEqual(['segment 1', 'segment 0']);
    expect(two!.head).toContain("filename*=UTF-8''s%C3%A9gment%201");
    expect(bodyOf(await asked('1 2', 'text/xml'))).toContain(
      `<marked>${inline('segment 0')}|${inline('segment 1')}</marked>`,
    );
    expect(faultOf(await asked('1', 'text/xml'))).toMatchObject({
      code: 'Client',
      reason: 'None of the requested media types is available; offered: multipart/related.',
    });
  });
});

describe('messages without a document', () => {
  it.each([
    ['TEXT', 'a &lt;b&gt; &amp; é', 'a &lt;b&gt; &amp; é'],
    ['JSON', '{"a":[1,"&lt;"]}', '{"a":[1,"&lt;"]}'],
    ['BINARY', inline('bytes'), inline('bytes')],
    ['BYTES', undefined, inline('abcdef')],
  ])('%s', async (operation, content, answer) => {
    const asked = content === undefined ? '' : `<content>${content}</content>`;
    expect(bodyOf(await callSoap(gateway, operation, asked))).toBe(
      `<${operation}Response xmlns="${NS}"><content>${answer}</content></${operation}Response>`,
    );
  });

  it('binary ones are parts in MTOM', async () => {
    const xml = (operation: string, content: string): string => envelope(wrapped(operation, content));
    const echoed = await postParts(gateway, [
      root(xml('BINARY', `<content>${include('a')}</content>`)),
      part('a', 'content'),
    ]);
    expect(attachments(echoed)).toEqual(['text/x-part: content']);
    const before = (globalThis as { soapBytesOfTest?: { disposed: number } }).soapBytesOfTest!.disposed;
    expect(attachments(await postParts(gateway, [root(xml('BYTES', ''))]))).toEqual(['text/x-test: abcdef']);
    expect((globalThis as { soapBytesOfTest?: { disposed: number } }).soapBytesOfTest!.disposed).toBe(before + 1);
  });

  it.each([
    ['TEXT', '<content><a/></content>', 'content holds an element "a", and is a single value.'],
    ['TEXT', '', 'content is missing.'],
    ['TEXT', 'x', 'it holds text outside of its elements.'],
    ['JSON', '<content>{</content>', 'content is not JSON'],
    ['BINARY', '<content>?</content>', 'content is not base64'],
    ['BYTES', 'x', 'it holds something, and BYTES takes nothing'],
  ])('%s refuses %j', async (operation, content, words) => {
    expect(faultOf(await callSoap(gateway, operation, content)).reason).toContain(words);
  });
});

describe('limits', () => {
  const keep = (...contents: (string | Buffer)[]): Promise<SoapReply> => {
    const xml = envelope(wrapped('PUT', `<NAME>limits</NAME><CONTENT>${include('p0')}</CONTENT>`));
    return postParts(gateway, [root(xml), ...contents.map((content, index) => part(`p${index}`, content))]);
  };

  it('of one attachment: to the last byte, and one more', async () => {
    expect((await keep(Buffer.alloc(LIMITS.attachment))).status).toBe(200);
    const before = keptFiles(gateway);
    expect(faultOf(await keep(Buffer.alloc(LIMITS.attachment + 1)))).toMatchObject({
      status: 413,
      code: 'Client',
      reason: `An attachment is larger than ${LIMITS.attachment} bytes (\`limits.attachment\`).`,
    });
    expect(keptFiles(gateway)).toEqual(before);
  });

  it('of one that nobody wants', async () => {
    expect(faultOf(await keep('a', Buffer.alloc(LIMITS.attachment + 1))).status).toBe(413);
  });

  it('of their number: as many, and one more', async () => {
    expect((await keep('a', 'b', 'c', 'd')).status).toBe(200);
    const { status, reason } = faultOf(await keep('a', 'b', 'c', 'd', 'e'));
    expect([status, reason]).toEqual([
      413,
      `The message has more than ${LIMITS.attachments} attachments (\`limits.attachments\`).`,
    ]);
    const parts = ['a', 'b', 'c', 'd', 'e'].map((id) => part(id, id));
    const late = await postParts(gateway, [...parts, root(echo('<S>a</S>'))], {
      'content-type': `${RELATED}; start=root`,
    });
    expect(faultOf(late).status).toBe(413);
  });

  it('of the envelope, with what stands inline in it', async () => {
    const fits = echo(`<BIN>${inline('x'.repeat(45_000))}</BIN>`);
    const over = echo(`<BIN>${inline('x'.repeat(50_000))}</BIN>`);
    expect((await post(gateway, fits)).status).toBe(200);
    expect((await postParts(gateway, [root(fits)])).status).toBe(200);
    for (const reply of [await post(gateway, over), await postParts(gateway, [root(over)])]) {
      expect(faultOf(reply)).toMatchObject({
        status: 413,
        reason: `The request body is larger than ${LIMITS.body} bytes (\`limits.body\`).`,
      });
    }
  });
});
