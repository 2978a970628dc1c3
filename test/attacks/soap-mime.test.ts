import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  BOUNDARY,
  bodyOf,
  callSoap,
  envelope,
  faultOf,
  include,
  keptFiles,
  packed,
  part,
  postParts,
  RELATED,
  root,
  SERVICES,
  type SoapReply,
  send,
  type TestPart,
  type Version,
  wrapped,
  XOP,
} from '../serve/soap-client.ts';
import { LIMITS, soapProject } from '../serve/soap-project.ts';
import { type Connection, openConnection } from '../support/connection.ts';
import { DEMO, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { expectFreed, inUse } from '../support/memory.ts';
import { eventually } from '../support/project.ts';

const IDLE = 400;
const KiB = 1024;

let gateway: TestGateway;
let files: string[];
beforeAll(async () => {
  gateway = await startTestGateway({ files: soapProject(), idleTimeout: IDLE });
  await callSoap(gateway, 'PUT', `<NAME>old</NAME><CONTENT>${Buffer.from('old').toString('base64')}</CONTENT>`);
});
afterAll(() => gateway.stop());
beforeEach(() => {
  files = keptFiles(gateway);
});
/** Whatever was sent: nothing of it stays, what was kept before does, and the gateway has no complaints of its own. */
afterEach(async () => {
  const old = await callSoap(gateway, 'GET', '<NAME>old</NAME>');
  expect(bodyOf(old)).toContain(`<CONTENT>${Buffer.from('old').toString('base64')}</CONTENT>`);
  await eventually('half-received files to go', () => (keptFiles(gateway).join() === files.join() ? true : undefined));
  expect(gateway.log().filter((line) => line.level === 'error')).toEqual([]);
});

/** Puts content in place of what is kept as `old`. */
const putXml = (content: string, version: Version = '1.1'): string =>
  envelope(wrapped('PUT', `<NAME>old</NAME><CONTENT>${content}</CONTENT>`), version);

/** The reason of a fault that blames the caller. */
function refused(reply: SoapReply, version: Version = '1.1'): string {
  const { status, code, reason } = faultOf(reply, version);
  const expected = status === 413 || status === 415 ? status : version === '1.1' ? 500 : 400;
  expect([status, code]).toEqual([expected, version === '1.1' ? 'Client' : 'Sender']);
  expect(reply.text).not.toMatch(/root:|node_modules|\.ts:\d/);
  return reason;
}

describe('an Include', () => {
  const href = (value: string): string => `<i:Include xmlns:i="${XOP}" href="${value}"/>`;
  const one = part('a', 'new');

  it.each<[string, string, readonly TestPart[], string]>([
    ['of nothing', href('cid:none'), [one], 'it includes cid:"none", and has no such part'],
    ['of nothing, where there are no parts', href('cid:none'), [], 'has no such part'],
    ['of two parts', href('cid:a'), [one, one], 'two of its parts have the Content-ID "a"'],
    ['of two parts, spelt in two ways', href('cid:a%40b'), [part('a@b', '1'), part('a%40b', '2')], 'two of its parts'],
    ['over http', href('http://127.0.0.1:1/x'), [one], 'a http: URL, not a cid:'],
    ['over https', href('https://example.org/'), [one], 'a https: URL, not a cid:'],
    ['of a file', href('file:///etc/passwd'), [one], 'a file: URL, not a cid:'],
    ['of data', href('data:,x'), [one], 'a data: URL, not a cid:'],
    ['of a path', href('/etc/passwd'), [one], 'a URL without a scheme, not a cid:'],
    ['of the empty name', href('cid:'), [one], 'names nothing'],
    ['that is no URL', href('cid:%'), [one], 'not percent-encoded UTF-8'],
    ['of the root', href('cid:root'), [one], 'has no such part'],
    ['of nothing at all', `<i:Include xmlns:i="${XOP}"/>`, [one], 'an Include in it has no href'],
    ['beside another', href('cid:a') + href('cid:b'), [one, part('b', '')], 'CONTENT holds two Includes'],
    ['beside text', `x${href('cid:a')}`, [one], 'CONTENT holds an Include and text'],
  ])('%s is refused', async (_, content, parts, words) => {
    expect(refused(await postParts(gateway, [root(putXml(content)), ...parts]))).toContain(words);
  });

  it('of one part in two places is refused', async () => {
    const twice = `<BIN>${href('cid:a')}</BIN><SUB><N>1</N><CONTENT>${href('cid:%61')}</CONTENT></SUB>`;
    const reply = await postParts(gateway, [root(envelope(wrapped('ECHO', twice))), one]);
    expect(refused(reply)).toContain('it includes "cid:%61" twice');
    const header = `<h xmlns="urn:h">${href('cid:a')}</h>`;
    const hidden = envelope(wrapped('ECHO', `<BIN>${href('cid:a')}</BIN>`), '1.1', header);
    expect(refused(await postParts(gateway, [root(hidden), one]))).toContain('twice');
  });

  it('where only text may stand is refused', async () => {
    const reply = await postParts(gateway, [root(envelope(wrapped('ECHO', `<S>${href('cid:a')}</S>`))), one]);
    expect(refused(reply)).toContain('S holds an element "Include"');
  });
});

describe('a package', () => {
  const good = [root(putXml(include('a'))), part('a', 'new')];
  const asked = (body: string | Buffer, type = RELATED): Promise<SoapReply> =>
    send(gateway, { body, headers: { 'content-type': type } });

  it.each<[string, string | Buffer, string]>([
    ['that is empty', '', 'it is missing'],
    ['whose boundary never comes', 'no part at all', 'it ends before its first boundary'],
    ['whose boundary does not come soon', 'x'.repeat(70 * KiB), 'more than 65536 bytes before its first boundary'],
    [
      'with too much behind it',
      Buffer.concat([packed([root(envelope(wrapped('ECHO')))]), Buffer.alloc(70 * KiB)]),
      'behind its last boundary',
    ],
    ['without a part', `--${BOUNDARY}--\r\n`, 'no part'],
    ['cut in a header', `--${BOUNDARY}\r\nContent-Type: text/xml`, 'it ends within part 1'],
    ['cut in its root', packed(good).subarray(0, 300), 'it ends within part 1'],
    ['cut in its attachment', packed(good).subarray(0, -2 * BOUNDARY.length), 'it ends within part 2'],
    ['without its end', packed(good).subarray(0, -6), 'it ends within part 2'],
    [
      'with a header of a megabyte',
      packed([good[0]!, part('a', '', { 'X-Long': 'x'.repeat(1024 * KiB) })]),
      'header is longer than 16384 bytes',
    ],
    [
      'with a megabyte of headers',
      packed([good[0]!, part('a', '', { 'X-Long': 'a,\r\n '.repeat(200 * KiB) })]),
      'header is longer than 16384 bytes',
    ],
    ['with a control character in a header', packed([part('a', '', { 'X-A': 'a\0b' })]), 'control character'],
    ['with a line that is no header', packed([part('a', '', { '': 'x' })]), 'a line without a name'],
    [
      'with two types of a part',
      packed([good[0]!, part('a', 'x', { 'content-type': 'text/xml' })]),
      'content-type twice',
    ],
    [
      'in an unknown encoding',
      packed([good[0]!, part('a', 'x', { 'Content-Transfer-Encoding': 'uuencode' })]),
      'Content-Transfer-Encoding "uuencode" is not known',
    ],
    [
      'in base64 that is none',
      packed([good[0]!, part('a', '*new*', { 'Content-Transfer-Encoding': 'base64' })]),
      'base64',
    ],
    [
      'in quoted-printable that is none',
      packed([good[0]!, part('a', '=XY', { 'Content-Transfer-Encoding': 'quoted-printable' })]),
      'part 2',
    ],
    ['whose root is no XML', packed([root('x'), good[1]!]), 'its XML is wrong'],
    [
      'whose root has another type',
      packed([root(putXml(include('a')), { 'Content-Type': 'image/png' }), good[1]!]),
      'Content-Type image/png is not supported',
    ],
    [
      'whose root is in an unknown charset',
      packed([root(putXml(''), { 'Content-Type': 'text/xml; charset=x-none' })]),
      'x-none',
    ],
  ])('%s is refused', async (_, body, words) => {
    expect(refused(await asked(body))).toContain(words);
  });

  it.each([
    ['no boundary', 'multipart/related; type="text/xml"', 'boundary is missing'],
    ['an empty boundary', 'multipart/related; boundary=""', 'boundary is empty'],
    ['a boundary of 71 characters', `multipart/related; boundary=${'b'.repeat(71)}`, '71 characters'],
    ['another boundary', 'multipart/related; boundary=other', 'before its first boundary'],
    ['a start that is not there', `${RELATED}; start="<nobody>"`, 'no part with the Content-ID that its start names'],
    ['a boundary that is not closed', 'multipart/related; boundary="b', 'is not supported'],
  ])('with %s is refused', async (_, type, words) => {
    expect(refused(await asked(packed(good), type))).toContain(words);
  });

  it('in SOAP 1.2 is refused in SOAP 1.2', async () => {
    const type = RELATED.replace('text/xml', 'application/soap+xml');
    const rootType = { 'Content-Type': 'application/xop+xml; type="application/soap+xml"' };
    const parts = [root(putXml(include('none'), '1.2'), rootType), part('a', 'x')];
    expect(refused(await postParts(gateway, parts, { 'content-type': type }), '1.2')).toContain('no such part');
    expect(refused(await asked('x', type), '1.2')).toContain('before its first boundary');
  });

  it('of 10,000 parts is refused at the first too many', async () => {
    const before = inUse();
    const many = Array.from({ length: 10_000 }, (_, index) => part(`p${index}`, 'x'));
    expect(refused(await postParts(gateway, [root(putXml(include('none'))), ...many]))).toContain(
      `more than ${LIMITS.attachments} attachments`,
    );
    await expectFreed(before, 8 * KiB * KiB);
  });
});

const head = (...headers: string[]): string =>
  [`POST ${SERVICES} HTTP/1.1`, 'Host: x', ...headers, '', ''].join('\r\n');

const upload = (...headers: string[]): string =>
  head(`Authorization: ${DEMO}`, `Content-Type: ${RELATED}`, 'Transfer-Encoding: chunked', ...headers);

const chunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;

/** What stands in a package before the content of its attachment. */
const begun = packed([root(putXml(include('a'))), part('a', '#')])
  .toString()
  .split('#')[0]!;

const open = (bytes: string): Connection => openConnection(gateway.port, bytes);

/** A file that has not been there before, as long as somebody writes it. */
const beingWritten = (): Promise<true> =>
  eventually('the beginning of a file', () => (keptFiles(gateway).length > files.length ? true : undefined));

describe('a part that never ends', () => {
  it('is given up where its sender stops', async () => {
    const { received, closed } = open(upload() + chunk(`${begun}new`));
    await beingWritten();
    await closed;
    expect(received()).toMatch(/^HTTP\/1\.1 500 /);
    expect(received().toLowerCase()).toContain('connection: close');
    expect(received()).toContain('<faultcode>soap:Client</faultcode><faultstring>The request did not arrive in time.');
  });

  it.each([
    ['in a header', `--${BOUNDARY}\r\nContent-Type: text/`],
    ['in the root', `--${BOUNDARY}\r\nContent-Type: text/xml\r\n\r\n<s:Envelope `],
    ['in front of all of it', 'preamble'],
  ])('or stops %s', async (_, sent) => {
    const { received, closed } = open(upload() + chunk(sent));
    await closed;
    expect(received()).toContain('The request did not arrive in time.');
  });

  it('nor is an envelope without parts waited for', async () => {
    const headers = [`Authorization: ${DEMO}`, 'Content-Type: application/soap+xml', 'Content-Length: 100'];
    const { received, closed } = open(`${head(...headers)}<s:Envelope`);
    await closed;
    expect(received()).toMatch(/^HTTP\/1\.1 400 /);
    expect(received()).toContain('<env:Value>env:Sender</env:Value>');
    expect(received()).toContain('The request did not arrive in time.');
  });

  it('ends with the connection of its sender', async () => {
    const { socket, received, closed } = open(upload() + chunk(`${begun}${'new'.repeat(1000)}`));
    await beingWritten();
    socket.destroy();
    await closed;
    expect(received()).toBe('');
    await eventually('the log', () =>
      gateway.log().find(({ operation, status }) => operation === 'PUT' && status !== 200),
    );
  });

  it.each([
    ['wanted', 'a', 'An attachment is larger than'],
    ['not wanted yet', 'b', 'An attachment is larger than'],
  ])('is cut at the limit, %s', async (_, id, words) => {
    const before = inUse();
    const start = packed([root(putXml(include('a'))), part(id, '#')])
      .toString()
      .split('#')[0]!;
    const { socket, received, closed } = open(upload() + chunk(start));
    const piece = chunk('x'.repeat(64 * KiB));
    let pieces = 0;
    while (received() === '' && pieces < 10_000) {
      pieces++;
      if (!socket.write(piece)) {
        const freed = new Promise((resolve) => socket.once('drain', resolve));
        await Promise.race([freed, closed]);
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(received()).toMatch(/^HTTP\/1\.1 413 /);
    expect(received()).toContain(words);
    socket.destroy();
    await expectFreed(before, 8 * KiB * KiB);
  });

  it('is cut where the sender ends its message in the middle of it', async () => {
    const { received, socket } = open(`${upload('Connection: close')}${chunk(`${begun}new`)}0\r\n\r\n`);
    await eventually('the reply', () => (received().includes('</soap:Envelope>') ? true : undefined));
    expect(received()).toMatch(/^HTTP\/1\.1 500 /);
    expect(received()).toContain('it ends within part 2');
    socket.destroy();
  });
});

describe('an upload without credentials', () => {
  const type = `Content-Type: ${RELATED}`;

  it('is refused once it is known what it is for, and its attachment is not asked for', async () => {
    const { received, socket } = open(head(type, 'Transfer-Encoding: chunked') + chunk(begun));
    await eventually('the reply', () => (received().includes('</soap:Envelope>') ? true : undefined));
    expect(received()).toMatch(/^HTTP\/1\.1 401 /);
    expect(received()).toContain('<faultcode>soap:Client</faultcode>');
    socket.destroy();
  });

  it('is refused before any of it is read, where nothing is public', async () => {
    const closed = { ...soapProject() };
    closed['definitions/soap.yaml'] = closed['definitions/soap.yaml']!.replace('public: true', 'public: false');
    const guarded = await startTestGateway({ files: closed });
    try {
      const { received, socket } = openConnection(guarded.port, head(type, `Content-Length: ${KiB * KiB}`));
      await eventually('the reply', () => (received().includes('</soap:Envelope>') ? true : undefined));
      expect(received()).toMatch(/^HTTP\/1\.1 401 /);
      socket.destroy();
    } finally {
      await guarded.stop();
    }
  });
});
