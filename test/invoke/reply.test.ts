import { getEventListeners } from 'node:events';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { InvokeError } from '../../src/invoke/index.ts';
import { answered, FILE_XML, include, inPartner, multipart, RAW } from './reply-support.ts';
import {
  type Answer,
  attachment,
  client,
  envelope,
  FILE,
  listen,
  node,
  partner,
  rawTarget,
  read,
  reply,
  SOAP_12,
  SUM,
  SUM_REPLY,
  target,
  thrown,
} from './support.ts';

describe('a reply without attachments', () => {
  it('is its document, with the code, the status and the headers', async () => {
    const got = await answered({ ...SUM_REPLY, headers: { ...SUM_REPLY.headers, 'X-Site': 'A', 'Set-Cookie': 'a=1' } });
    expect(got.value).toEqual({ name: 'a.pdf', length: 3 });
    expect(got).toMatchObject({ httpResponseCode: 200, responseStatus: 0 });
    expect(got.headers).toMatchObject({
      'x-site': 'A',
      'set-cookie': 'a=1',
      'content-type': 'text/xml; charset=utf-8',
    });
    expect(got.requestId).toMatch(/^[0-9a-f-]{36}$/);
    expect(got.timings.value).toBeGreaterThanOrEqual(got.timings.head);
    expect(await Array.fromAsync(got.segments())).toEqual([]);
    await got.finish();
    got.close();
  });

  it('holds binary content in base64', async () => {
    const { value } = await answered(reply(FILE_XML), { response: FILE });
    expect(await read(value.content)).toBe('PDF!');
  });

  it.each([
    ['SOAP 1.2', { headers: { 'Content-Type': 'application/soap+xml' }, body: envelope(inPartner(''), SOAP_12) }],
    ['application/xml', { headers: { 'Content-Type': 'application/xml' }, body: envelope(inPartner('')) }],
    ['no Content-Type', { body: envelope(inPartner('')) }],
    [
      'UTF-16',
      { headers: { 'Content-Type': 'text/xml' }, body: Buffer.from(`\ufeff${envelope(inPartner(''))}`, 'utf16le') },
    ],
    [
      'gzip',
      { headers: { 'Content-Type': 'text/xml', 'Content-Encoding': 'gzip' }, body: gzipSync(envelope(inPartner(''))) },
    ],
  ])('may come as %s', async (_, answer) => {
    expect((await answered(answer)).value).toEqual({});
  });

  it.each([
    ['<p:FILE_SEND xmlns:p="urn:signalbox:test:Partner.v1"/>', '{urn:signalbox:test:Partner.v1}FILE_SEND'],
    ['<FILE_SENDResponse xmlns="urn:other"/>', '{urn:other}FILE_SENDResponse'],
    ['<FILE_SENDResponse/>', 'FILE_SENDResponse'],
  ])('whose element is another one names both: %s', async (xml, found) => {
    for (const response of [SUM, 'xml'] as const)
      expect(await thrown(answered(reply(xml), { response }))).toMatchObject({
        code: 'BAD_REPLY',
        message: `FILE_SEND: the reply has ${found} in its Body, not {urn:signalbox:test:Partner.v1}FILE_SENDResponse`,
      });
  });

  it('may have the element that its document has by itself', async () => {
    const xml = '<SUM xmlns="urn:signalbox:test:Partner.v1"><name>a</name></SUM>';
    expect((await answered(reply(xml))).value).toEqual({ name: 'a' });
  });

  it.each([
    ['xml', '<b>1</b><c/>', '<b>1</b><c/>'],
    ['text', '<p:content>a &lt; b</p:content>', 'a < b'],
    ['json', '<p:content>{"a":[1]}</p:content>', { a: [1] }],
  ] as const)('without a document is its content: %s', async (response, inside, content) => {
    expect((await answered(reply(inPartner(inside)), { response })).value).toEqual({ content });
  });

  it('of a caller who writes envelopes is the envelope', async () => {
    const header = '<SOAP-ENV:Header><h xmlns="urn:h" SOAP-ENV:mustUnderstand="1"/></SOAP-ENV:Header><SOAP-ENV:Body>';
    const body = envelope('<w><Document>1</Document></w>').replace('<SOAP-ENV:Body>', header);
    const { url } = await target({ headers: { 'Content-Type': 'text/xml' }, body });
    const { value } = await client(partner(node('PARTNER', [url]), RAW)).call('FILE_SEND', {
      content: envelope('<w/>'),
    });
    expect(value.content).toMatch(/^<SOAP-ENV:Envelope .*<Document>1<\/Document>.*<\/SOAP-ENV:Envelope>$/s);
    expect(value.content).toContain('mustUnderstand="1"');
  });
});

/** An answer that says how long it is, so that it comes in one piece. */
function measured(answer: Answer): Answer {
  const length = String(Buffer.byteLength(answer.body ?? ''));
  return { ...answer, headers: { ...answer.headers, 'Content-Length': length } };
}

describe('a reply of a known length', () => {
  it('is read as one of an unknown length is', async () => {
    const got = await answered(measured(SUM_REPLY));
    expect(got.value).toEqual({ name: 'a.pdf', length: 3 });
    expect(await Array.fromAsync(got.segments())).toEqual([]);
    await got.finish();
  });

  it('holds attachments', async () => {
    const body = ['--b', '', include('cid:one'), '--b', 'Content-ID: one', '', 'PDF!', '--b--'].join('\r\n');
    const headers = { 'Content-Type': 'multipart/related; boundary=b; type="text/xml"' };
    const got = await answered(measured({ headers, body }), { response: FILE });
    expect(await read(got.value.content)).toBe('PDF!');
    await got.finish();
  });

  it('may be compressed', async () => {
    const headers = { ...SUM_REPLY.headers, 'Content-Encoding': 'gzip' };
    const got = await answered(measured({ headers, body: gzipSync(SUM_REPLY.body ?? '') }));
    expect(got.value).toEqual({ name: 'a.pdf', length: 3 });
  });

  it.each([
    ['nothing', {}, 'the reply is empty'],
    ['a page', { headers: { 'Content-Type': 'text/html' }, body: '<p>Hello' }, 'is "text/html", not a SOAP message'],
    ['XML that ends too early', { headers: { 'Content-Type': 'text/xml' }, body: '<a>' }, 'its XML is wrong'],
  ])('is refused: %s', async (_, answer, words) => {
    const error = await thrown(answered(measured(answer)));
    expect(error).toMatchObject({ code: 'BAD_REPLY', message: expect.stringContaining(words) });
  });

  it('is refused beyond the limit', async () => {
    const error = await thrown(answered(measured(SUM_REPLY), {}, { body: 50 }));
    expect(error).toMatchObject({ code: 'REPLY_TOO_LARGE' });
  });

  it('is waited for where its head comes first', async () => {
    const body = Buffer.from(String(SUM_REPLY.body));
    const rest = Promise.withResolvers<void>();
    const { url } = await listen(async (_, response) => {
      response.writeHead(200, { ...SUM_REPLY.headers, 'Content-Length': body.length });
      response.write(body.subarray(0, 100));
      await rest.promise;
      response.end(body.subarray(100));
    });
    const made = client(partner(node('PARTNER', [url]), { request: FILE, response: SUM }));
    const heads = { onReply: () => rest.resolve() };
    expect((await made.call('FILE_SEND', { name: 'a' }, { heads })).value).toEqual({ name: 'a.pdf', length: 3 });
  });

  it('is refused where it comes in chunks all the same', async () => {
    const body = String(SUM_REPLY.body);
    const head = `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const url = await rawTarget(`${head}${body.length.toString(16)}\r\n${body}\r\n1\r\n>\r\n0\r\n\r\n`);
    const made = client(partner(node('PARTNER', [url]), { request: FILE, response: SUM }));
    expect(await thrown(made.call('FILE_SEND', { name: 'a' }))).toMatchObject({
      code: 'BAD_REPLY',
      message: expect.stringContaining('it has Transfer-Encoding and Content-Length, which exclude each other'),
    });
  });

  it.each([
    ['an answer', SUM_REPLY, 'value'],
    ['a fault', reply('<SOAP-ENV:Fault><faultcode>SOAP-ENV:Server</faultcode></SOAP-ENV:Fault>', 500), 'detailXml'],
    ['a page', { status: 503, headers: { 'Content-Type': 'text/html' }, body: '<p>Busy' }, 'hint'],
  ])('leaves its connection to the next call, and nothing at the signal: %s', async (_, answer, outcome) => {
    const { url, connections } = await target(measured(answer));
    const made = client(partner(node('PARTNER', [url]), { request: FILE, response: SUM }));
    const { signal } = new AbortController();
    for (let n = 0; n < 10; n++) {
      const got = await made.call('FILE_SEND', { name: 'a' }, { signal }).catch((error: unknown) => error);
      expect(got).toHaveProperty(outcome);
    }
    await expect.poll(() => getEventListeners(signal, 'abort')).toEqual([]);
    // A call right behind another may find its connection not quite free.
    expect(connections()).toBeLessThan(5);
  });
});

describe('a one-way operation', () => {
  it.each([
    ['202', { status: 202 }],
    ['204', { status: 204 }],
    ['200 and nothing', { status: 200 }],
    ['202 and an empty envelope', { status: 202, ...reply('', 202) }],
    ['202 and a page', { status: 202, headers: { 'Content-Type': 'text/html' }, body: '<p>taken' }],
  ])('is done with %s', async (_, answer) => {
    const { url } = await target(answer);
    const got = await client(partner(node('PARTNER', [url]), { request: FILE })).call('FILE_SEND', { name: 'a' });
    expect(got).toMatchObject({ value: {}, httpResponseCode: answer.status, responseStatus: 0 });
  });
});

describe('what is no reply', () => {
  it.each([
    ['nothing', {}, 'the reply is empty'],
    ['nothing, with 202', { status: 202 }, 'has the status 202 of a one-way operation'],
    [
      'a page',
      { headers: { 'Content-Type': 'text/html' }, body: '<p>Hello\n\x1b[31m' },
      'is "text/html", not a SOAP message',
    ],
    ['no XML', { headers: { 'Content-Type': 'text/xml' }, body: '<a>' }, "can't be read: its XML is wrong"],
    ['a document type', { headers: { 'Content-Type': 'text/xml' }, body: '<!DOCTYPE a><a/>' }, 'its XML is wrong'],
    [
      'no envelope',
      { headers: { 'Content-Type': 'text/xml' }, body: '<a/>' },
      'is no SOAP message to be read: the root is a',
    ],
    ['an empty Body', reply(''), 'has nothing in its Body'],
    ['two elements', reply('<a/><b/>'), 'the Body holds more than one element'],
    ['a field of another type', reply(inPartner('<p:length>x</p:length>')), 'does not fit the operation: length'],
    ['a field that is not there', reply(inPartner('<p:size>1</p:size>')), 'size'],
    [
      'an unknown encoding',
      { ...SUM_REPLY, headers: { ...SUM_REPLY.headers, 'Content-Encoding': 'zstd' } },
      "Content-Encoding zstd can't be decoded",
    ],
    ['no gzip', { ...SUM_REPLY, headers: { ...SUM_REPLY.headers, 'Content-Encoding': 'gzip' } }, 'is not valid gzip'],
    ['no boundary', multipart('multipart/related', ['--b']), 'boundary'],
    [
      'an unknown charset',
      { headers: { 'Content-Type': 'text/xml; charset=x-none' }, body: envelope('<a/>') },
      'x-none',
    ],
  ] as const)('%s', async (_, answer, words) => {
    const error = await thrown(answered(answer));
    expect(error).toBeInstanceOf(InvokeError);
    expect(error).toMatchObject({ code: 'BAD_REPLY', responseStatus: 20, message: expect.stringContaining(words) });
    expect((error as InvokeError).httpResponseCode).toBe('status' in answer ? answer.status : 200);
  });

  it('a header block that has to be understood', async () => {
    const header = '<SOAP-ENV:Header><h xmlns="urn:h" SOAP-ENV:mustUnderstand="1"/></SOAP-ENV:Header><SOAP-ENV:Body>';
    const body = envelope(inPartner('')).replace('<SOAP-ENV:Body>', header);
    expect(await thrown(answered({ headers: { 'Content-Type': 'text/xml' }, body }))).toMatchObject({
      code: 'BAD_REPLY',
      message: expect.stringContaining('{urn:h}h'),
    });
  });

  it.each([
    ['http://example.org/a', 'http'],
    ['file:///etc/passwd', 'file'],
    ['cid:other', 'cid:'],
  ])('an include of %s', async (href, words) => {
    const lines = ['--b', 'Content-Type: text/xml', '', include(href), '--b', 'Content-ID: one', '', 'x', '--b--'];
    const error = await thrown(answered(multipart('multipart/related; boundary=b', lines), { response: FILE }));
    expect(error).toMatchObject({ code: 'BAD_REPLY', message: expect.stringContaining(words) });
  });
});

it('what is sent and what is received are one value: a partner that echoes', async () => {
  const { url } = await target(({ headers, body }) => ({
    headers: { 'Content-Type': headers['content-type']! },
    body: Buffer.from(body.toString('latin1').replaceAll('FILE_SEND', 'FILE_SENDResponse'), 'latin1'),
  }));
  for (const mtom of [true, false]) {
    const made = client(partner(node('PARTNER', [url]), { request: FILE, response: FILE, properties: { mtom } }));
    const got = await made.call('FILE_SEND', { name: 'å', content: attachment('PDF\r\n--!') });
    expect(got.value.name).toBe('å');
    expect(await read(got.value.content)).toBe('PDF\r\n--!');
    await got.finish();
  }
});
