import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { InvokeError } from '../../src/invoke/index.ts';
import { readParts } from './multipart.ts';
import {
  attachment,
  type ConsumerOptions,
  client,
  envelope,
  FILE,
  listen,
  node,
  partner,
  type Seen,
  SOAP_12,
  SUM,
  SUM_REPLY,
  target,
  thrown,
} from './support.ts';

/** Calls a target, and shows what it got. */
async function sent(
  options: ConsumerOptions,
  input: Parameters<ReturnType<typeof client>['call']>[1],
  call: Parameters<ReturnType<typeof client>['call']>[2] = {},
): Promise<Seen> {
  const { url, seen } = await target(SUM_REPLY);
  const made = client(partner(node('PARTNER', [url]), { request: FILE, response: SUM, ...options }));
  await made.call('FILE_SEND', input, call);
  expect(seen).toHaveLength(1);
  return seen[0]!;
}

describe('SOAP 1.1', () => {
  it('a document stands in an element of the operation, with base64 where it holds binary content', async () => {
    const { method, headers, body } = await sent({}, { name: 'a & b', content: attachment('PDF!') });
    expect(method).toBe('POST');
    const text = body.toString();
    expect(text).toMatch(/^<soap:Envelope xmlns:soap="http:\/\/schemas.xmlsoap.org\/soap\/envelope\/"><soap:Body>/);
    expect(text).toContain('>a &amp; b</');
    expect(text).toContain('>UERGIQ==</');
    expect(headers).toMatchObject({
      'content-type': 'text/xml; charset=utf-8',
      soapaction: '"FILE_SEND.v1"',
      'content-length': String(body.length),
      accept: 'text/xml',
    });
    expect(headers['transfer-encoding']).toBeUndefined();
    expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  it.each([
    'SOAPAction',
    'soapaction',
  ])('headers of the definitions travel as they are (%s), and Content-Type as the version it stands for', async (name) => {
    const { headers } = await sent(
      { headers: { 'content-type': 'text/xml', [name]: '"urn:other"', Accept: 'text/xml;q=1', 'X-Site': 'A b' } },
      { name: 'a' },
    );
    expect(headers).toMatchObject({
      'content-type': 'text/xml; charset=utf-8',
      soapaction: '"urn:other"',
      accept: 'text/xml;q=1',
      'x-site': 'A b',
    });
  });

  it('content of unknown length travels in chunks', async () => {
    const { length: _, ...unknown } = attachment('PDF!');
    const { headers, body } = await sent({}, { name: 'a', content: unknown });
    expect(headers['transfer-encoding']).toBe('chunked');
    expect(headers['content-length']).toBeUndefined();
    expect(body.toString()).toContain('UERGIQ==');
  });
});

it('SOAP 1.2 where the Content-Type of the definitions says so', async () => {
  const { headers, body } = await sent({ headers: { 'Content-Type': 'application/soap+xml' } }, { name: 'a' });
  expect(headers['content-type']).toBe('application/soap+xml; charset=utf-8; action="FILE_SEND.v1"');
  expect(headers.soapaction).toBeUndefined();
  expect(headers.accept).toBe('application/soap+xml');
  expect(body.toString()).toContain(`"${SOAP_12}"`);
});

it.each<[Record<string, string>, string | undefined, string]>([
  [{ SOAPAction: 'urn:other' }, '"urn:other"', ''],
  [{ SOAPAction: '"urn:other"' }, '"urn:other"', ''],
  [{ SOAPAction: '""' }, '""', ''],
  [{ 'Content-Type': 'application/soap+xml', SOAPAction: 'urn:other' }, undefined, '; action="urn:other"'],
  [{ 'Content-Type': 'application/soap+xml; action="urn:other"' }, undefined, '; action="urn:other"'],
  [{ 'Content-Type': 'application/soap+xml; action=a', soapaction: '"a"' }, undefined, '; action="a"'],
  [{ 'Content-Type': 'application/soap+xml', SOAPAction: '""' }, undefined, ''],
])('the action of the definitions %j is that of the message, in its version', async (headers, soapAction, parameter) => {
  const is12 = headers['Content-Type'] !== undefined;
  const plain = await sent({ headers }, { name: 'a' });
  expect(plain.headers['content-type']).toBe(
    `${is12 ? 'application/soap+xml' : 'text/xml'}; charset=utf-8${parameter}`,
  );
  expect(plain.headers.soapaction).toBe(soapAction);
  const packed = await sent({ headers, properties: { mtom: true } }, { name: 'a' });
  expect(packed.headers['content-type']?.endsWith(`"${parameter}`)).toBe(true);
  expect(packed.headers.soapaction).toBe(soapAction);
});

describe('MTOM=Y', () => {
  it('binary fields and segments are attachments', async () => {
    const { headers, body } = await sent(
      { properties: { mtom: true, segmentContentType: 'application/xml' } },
      { name: 'a.pdf', content: attachment('PDF\r\n--!\0\xff', 'application/pdf', 'a "b".pdf') },
      { segments: [{ stream: attachment('<x/>').stream }, attachment('two', 'text/plain')] },
    );
    const type = headers['content-type']!;
    expect(type).toMatch(
      /^multipart\/related; type="application\/xop\+xml"; start="<[^>]+>"; start-info="text\/xml"; boundary="/,
    );
    const [root, ...others] = readParts(type, body);
    expect(root!.headers).toMatchObject({
      'content-type': 'application/xop+xml; charset=UTF-8; type="text/xml"',
      'content-transfer-encoding': '8bit',
      'content-id': /start="([^"]+)"/.exec(type)![1],
    });
    const href = /<xop:Include xmlns:xop="http:\/\/www.w3.org\/2004\/08\/xop\/include" href="cid:([^"]+)"\/>/.exec(
      root!.body,
    )![1];
    expect(others.map((part) => [part.headers['content-type'], part.headers['content-transfer-encoding']])).toEqual([
      ['application/pdf', 'binary'],
      ['application/xml', 'binary'],
      ['text/plain', 'binary'],
    ]);
    expect(others[0]!.headers['content-id']).toBe(`<${href}>`);
    expect(Buffer.from(others[0]!.body, 'latin1').toString()).toBe('PDF\r\n--!\0\xff');
    expect(others.slice(1).map((part) => part.body)).toEqual(['<x/>', 'two']);
    expect(headers.accept).toBe('multipart/related; type="application/xop+xml", multipart/related, text/xml');
    // The second segment does not know its length.
    expect(headers['transfer-encoding']).toBe('chunked');
  });

  it('the length is said where every content knows its own', async () => {
    const { headers, body } = await sent({ properties: { mtom: true } }, { name: 'a', content: attachment('PDF') });
    expect(headers['content-length']).toBe(String(body.length));
  });

  it('SegmentContentTransfer base64', async () => {
    const { headers, body } = await sent(
      { properties: { mtom: true, segmentContentTransfer: 'base64' } },
      { name: 'a', content: attachment('PDF!') },
    );
    expect(readParts(headers['content-type']!, body)[1]).toMatchObject({
      headers: { 'content-transfer-encoding': 'base64' },
      body: 'UERGIQ==',
    });
  });
});

describe("SOAPUpContent=N: the caller's text is the envelope", () => {
  const own = { request: 'xml', properties: { mtom: true, upContent: false } } as const;
  const marked = envelope('<w><Document><Include SegmentNumber="1"/></Document></w><!-- kept -->');

  it('its markers become cids of the segments, everything else stays as written', async () => {
    const { headers, body } = await sent(
      own,
      { content: marked },
      { segments: [attachment('<a/>', 'application/xml')] },
    );
    const [root, segment, ...rest] = readParts(headers['content-type']!, body);
    const id = segment!.headers['content-id']!.slice(1, -1);
    const include = `<xop:Include xmlns:xop="http://www.w3.org/2004/08/xop/include" href="cid:${id}"/>`;
    const written = marked.slice(marked.indexOf('<SOAP-ENV')).replace('<Include SegmentNumber="1"/>', include);
    expect(root!.body).toBe(written);
    expect(segment).toMatchObject({ headers: { 'content-type': 'application/xml' }, body: '<a/>' });
    expect(rest).toEqual([]);
  });

  it('with MTOM=N a marked segment stands as base64 in its place', async () => {
    const options = { ...own, properties: { upContent: false } };
    const { headers, body } = await sent(options, { content: marked }, { segments: [attachment('<a/>')] });
    expect(headers['content-type']).toBe('text/xml; charset=utf-8');
    expect(body.toString()).toContain('<Document>PGEvPg==</Document>');
  });

  it('a segment that no marker names is sent beside where the message is not MTOM', async () => {
    const { headers, body } = await sent(
      { ...own, properties: { upContent: false } },
      { content: envelope('<w/>') },
      { segments: [attachment('x', 'text/csv')] },
    );
    expect(readParts(headers['content-type']!, body)[1]).toMatchObject({
      headers: { 'content-type': 'text/csv' },
      body: 'x',
    });
  });

  it.each([
    ['<w/>', 1, 'segment 1 is not included: the message has no marker <Include SegmentNumber="1"/>'],
    ['<w><Include SegmentNumber="1"/></w>', 2, 'segment 2 is not included'],
    [
      '<w><Include SegmentNumber="1"/></w>',
      0,
      'Include SegmentNumber="1" wants a segment that is not given: there is none',
    ],
    ['<w><Include/></w>', 0, 'Include names no segment; the marker of the first is <Include SegmentNumber="1"/>'],
    ['<w><i:Include xmlns:i="urn:i"><!-- --></i:Include></w>', 0, undefined],
    ['<w><Include> </Include></w>', 1, 'Include names no segment'],
    ['<w><Include>of the caller</Include></w>', 0, undefined],
  ])('markers and segments of MTOM belong together: %s with %i segments', async (body, count, words) => {
    const segments = Array.from({ length: count }, () => attachment('x', 'text/csv'));
    const calling = sent(own, { content: envelope(body) }, { segments });
    if (words === undefined) expect((await calling).method).toBe('POST');
    else
      expect(await thrown(calling)).toMatchObject({
        code: 'BAD_INPUT',
        message: expect.stringContaining(`FILE_SEND: ${words}`),
      });
  });

  it('a segment is Base64 text, in lines too, and is decoded as it is sent', async () => {
    const text = Buffer.from('<a>é</a>')
      .toString('base64')
      .replace(/(.{4})/g, '$1\r\n');
    const { headers, body } = await sent(
      own,
      { content: marked },
      { segments: [{ base64: text, contentType: 'application/xml', name: 'x.bin' }] },
    );
    const [, segment] = readParts(headers['content-type']!, body);
    expect(segment).toMatchObject({ headers: { 'content-type': 'application/xml' } });
    expect(Buffer.from(segment!.body, 'latin1').toString()).toBe('<a>é</a>');
  });

  it('and is refused by name where it is not', async () => {
    const calling = sent(own, { content: marked }, { segments: [{ base64: 'PGE?' }] });
    expect(await thrown(calling)).toMatchObject({
      code: 'BAD_INPUT',
      message: expect.stringMatching(/^FILE_SEND: segment 1 can't be decoded/),
    });
  });

  it.each([
    ['text/csv', 'x.xml', 'application/json', 'text/csv'],
    ['application/octet-stream', 'x.xml', 'application/json', 'application/xml'],
    [undefined, 'x.xml', 'application/json', 'application/xml'],
    [undefined, 'x.unknown', 'application/json', 'application/json'],
    [undefined, undefined, 'application/json', 'application/json'],
    [undefined, undefined, undefined, 'application/octet-stream'],
  ])('the media type of a segment: its own %s, by its name %s, SegmentContentType %s', async (own, name, property, expected) => {
    const { headers, body } = await sent(
      {
        request: 'xml',
        properties: { mtom: true, upContent: false, ...(property && { segmentContentType: property }) },
      },
      { content: marked },
      { segments: [{ base64: 'UERG', ...(own && { contentType: own }), name }] },
    );
    expect(readParts(headers['content-type']!, body)[1]!.headers['content-type']).toBe(expected);
  });

  it.each([
    ['no envelope', '<w/>', 'content is not a SOAP envelope'],
    ['not well-formed', '<w>', 'content is not well-formed XML'],
    ['of the other version', envelope('<w/>', SOAP_12), 'content is an envelope of SOAP 1.2'],
    ['nothing', undefined, 'content is missing'],
    ['a marker without a segment', marked, 'Include SegmentNumber="1" wants a segment'],
    [
      'an Include of a part that is not sent',
      envelope('<w><i:Include xmlns:i="http://www.w3.org/2004/08/xop/include" href="cid:a"/></w>'),
      'content includes "cid:a", which the message won\'t have: the first segment is <Include SegmentNumber="1"/>',
    ],
  ])('refused: %s', async (_, content, words) => {
    const made = client(partner(node('PARTNER', ['http://127.0.0.1:1']), { response: SUM, ...own }));
    const error = await thrown(made.call('FILE_SEND', content === undefined ? {} : { content }));
    expect(error).toBeInstanceOf(InvokeError);
    expect(error).toMatchObject({ code: 'BAD_INPUT', responseStatus: 20, message: expect.stringContaining(words) });
  });
});

it('sendUncompressed=N: the body travels in gzip', async () => {
  const { headers, body } = await sent(
    { properties: { compress: true } },
    { name: 'a.pdf', content: attachment('PDF!') },
  );
  expect(headers).toMatchObject({ 'content-encoding': 'gzip', 'transfer-encoding': 'chunked' });
  expect(headers['content-length']).toBeUndefined();
  expect(gunzipSync(body).toString()).toContain('UERGIQ==');
});

it('input that does not fit the operation is refused with its place, and nothing is sent', async () => {
  const { url, seen } = await target(SUM_REPLY);
  const made = client(partner(node('PARTNER', [url]), { request: FILE, response: SUM }));
  for (const [input, words] of [
    [{ name: 7 }, 'FILE_SEND: name '],
    [{ nam: 'a' }, 'nam'],
    [{ content: 'text' }, 'content '],
  ] as const) {
    expect(await thrown(made.call('FILE_SEND', input))).toMatchObject({
      code: 'BAD_INPUT',
      message: expect.stringContaining(words),
    });
  }
  const bad = { segments: [{ ...attachment('x'), contentType: 'no type' }] };
  expect(await thrown(made.call('FILE_SEND', { name: 'a' }, bad))).toMatchObject({
    code: 'BAD_INPUT',
    message: 'FILE_SEND: segment 1 has the invalid content type "no type"',
  });
  expect(seen).toEqual([]);
});

it.each([
  ['shorter', 5],
  ['longer', 3],
])('content that is %s than it says ends the call', async (_, length) => {
  const { url } = await target(SUM_REPLY);
  const made = client(partner(node('PARTNER', [url]), { request: FILE, response: SUM, properties: { mtom: true } }));
  const content = { ...attachment('PDF!'), length };
  expect(await thrown(made.call('FILE_SEND', { name: 'a', content }))).toMatchObject({
    code: 'BAD_INPUT',
    message: expect.stringContaining('the input could not be read'),
  });
});

it('says how much of the request is sent, up to all of it', async () => {
  const steps: [number, number | undefined][] = [];
  const onSent = (...step: [number, number | undefined]) => void steps.push(step);
  const { body } = await sent(
    { properties: { mtom: true } },
    { name: 'a', content: attachment('x'.repeat(100)) },
    { onSent },
  );
  expect(steps.at(-1)).toEqual([body.length, body.length]);
  expect(steps.length).toBeGreaterThan(10);
  expect(steps.map(([now]) => now)).toEqual(steps.map(([now]) => now).toSorted((a, b) => a - b));
});

it('content is made as it is taken, not before', async () => {
  const piece = Buffer.alloc(64 * 1024);
  const length = 1024 * piece.length;
  let received = 0;
  const { url } = await listen((request, response) => {
    request.on('data', (chunk: Buffer) => {
      received += chunk.length;
    });
    request.on('end', () => response.writeHead(200, SUM_REPLY.headers).end(SUM_REPLY.body));
  });
  let underWay = 0;
  const content = {
    contentType: 'application/octet-stream',
    length,
    async *stream() {
      for (let made = 0; made < length; made += piece.length) {
        underWay = Math.max(underWay, made - received);
        yield piece;
      }
    },
  };
  const registry = partner(node('PARTNER', [url]), { request: FILE, response: SUM, properties: { mtom: true } });
  await client(registry).call('FILE_SEND', { name: 'a', content });
  expect(received).toBeGreaterThan(length);
  // What the buffers of two sockets hold.
  expect(underWay).toBeLessThan(length / 2);
});
