import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { InvokeError } from '../../src/invoke/index.ts';
import { answered, include, inPartner, multipart, RAW } from './reply-support.ts';
import { client, envelope, FILE, node, partner, read, reply, target, thrown } from './support.ts';

describe('a reply with attachments', () => {
  it('holds them in the fields that include them, and gives the others as segments', async () => {
    const got = await answered(
      multipart(
        'multipart/related; boundary="b:1"; type="application/xop+xml"; start="<root@a>"; start-info="text/xml"',
        [
          'a preamble',
          '--b:1',
          'content-type: text/csv',
          'CONTENT-ID: <early@a>',
          '',
          'first',
          '--b:1',
          'Content-Type: application/xop+xml; charset=UTF-8;',
          '\ttype="text/xml"',
          'Content-ID: <root@a>',
          '',
          include('cid:one%40a'),
          '--b:1',
          'Content-Type: application/pdf',
          'Content-Transfer-Encoding: base64',
          'Content-ID: one@a',
          '',
          'UERG',
          'IQ==',
          '--b:1',
          'Content-Type: text/plain; name="two.txt"',
          'Content-Transfer-Encoding: quoted-printable',
          '',
          'a=3Db',
          '--b:1--',
          'an epilogue',
        ],
      ),
      { response: FILE },
    );
    expect(got.value).toMatchObject({ name: 'a', content: { contentType: 'application/pdf' } });
    expect(await read(got.value.content)).toBe('PDF!');
    const segments: unknown[] = [];
    for await (const segment of got.segments()) segments.push([segment.contentType, segment.name, await read(segment)]);
    expect(segments).toEqual([
      ['text/csv', undefined, 'first'],
      ['text/plain; name="two.txt"', 'two.txt', 'a=b'],
    ]);
    await got.finish();
  });

  it('may have line feeds alone, and a root of another type', async () => {
    const lines = [
      '--b',
      'Content-Type: text/xml',
      'Content-ID: root',
      '',
      include('cid:one'),
      '--b',
      'Content-ID: one',
      '',
      'PDF!',
      '--b--',
    ];
    const got = await answered(multipart('Multipart/Related; boundary=b', lines, '\n'), { response: FILE });
    expect(await read(got.value.content)).toBe('PDF!');
    await got.finish();
  });

  it('gives every part to a caller who reads the envelope', async () => {
    const lines = [
      '--b',
      'Content-Type: text/xml',
      '',
      include('cid:one'),
      '--b',
      'Content-ID: one',
      '',
      'PDF!',
      '--b--',
    ];
    const { url } = await target(multipart('multipart/related; boundary=b', lines));
    const got = await client(partner(node('PARTNER', [url]), RAW)).call('FILE_SEND', { content: envelope('<w/>') });
    expect(got.value.content).toContain('cid:one');
    expect(await Promise.all(await Array.fromAsync(got.segments(), read))).toEqual(['PDF!']);
  });

  it('frees its connection for the next call once it is read to the end', async () => {
    const lines = [
      '--b',
      'Content-Type: text/xml',
      '',
      include('cid:one'),
      '--b',
      'Content-ID: one',
      '',
      'PDF!',
      '--b--',
      '',
    ];
    const { url, connections } = await target(multipart('multipart/related; boundary=b', lines));
    const made = client(partner(node('PARTNER', [url]), { request: FILE, response: FILE }));
    for (let n = 0; n < 10; n++) {
      const got = await made.call('FILE_SEND', { name: 'a' });
      await read(got.value.content);
      await got.finish();
    }
    // A call right behind another may find its connection not quite free.
    expect(connections()).toBeLessThan(5);
  });

  const files = fileURLToPath(new URL('../../../shared/corpus/mtom', import.meta.url));
  it.skipIf(!existsSync(files))('as Spring-WS writes it is read (shared corpus)', async () => {
    const body = readFileSync(`${files}/spring-ws-soap11-mtom.bin`);
    const { url } = await target({
      headers: {
        'Content-Type':
          'multipart/related; boundary=MIMEBoundaryurn_uuid_492264AB42E57108E01176731445507; type="application/xop+xml"',
      },
      body,
    });
    const got = await client(partner(node('PARTNER', [url]), RAW)).call('FILE_SEND', { content: envelope('<w/>') });
    expect(got.value.content).toContain('sws:image');
    const [png] = await Array.fromAsync(got.segments(), async (each) => [each.contentType, await read(each)]);
    expect(png![0]).toBe('image/png');
    expect(png![1]!.slice(0, 8)).toBe('\x89PNG\r\n\x1a\n');
  });
});

describe('multipart text in the CDATA of a data element', () => {
  const boundary = '------=_Part_4_701508.1145579811786';
  const text = [
    boundary,
    'Content-Type: application/xop+xml; charset=UTF-8; type text/xml',
    'Content-Transfer-Encoding: 8bit',
    'Content-ID: <0.ABC>',
    '',
    envelope(inPartner('<p:name>\u00e5</p:name>')),
    boundary,
    'Content-Type: text/xml',
    'Content-Transfer-Encoding: 8bit',
    'Content-ID: <1.ABC>',
    '',
    '<Document>\u00e5\u{1f600}</Document>',
    `${boundary}--`,
  ].join('\n');

  it.each([
    ['the root', `<?xml version="1.0"?><data><![CDATA[${text}]]></data>`],
    ['the payload', envelope(`<data><![CDATA[\n${text}\n]]></data>`)],
    ['inside the payload', envelope(`<r><data><![CDATA[${text}]]></data></r>`)],
  ])('is the reply: %s', async (_, body) => {
    const got = await answered({ headers: { 'Content-Type': 'text/xml' }, body });
    expect(got.value).toEqual({ name: '\u00e5' });
    const segments = await Array.fromAsync(got.segments(), async (each) => [each.contentType, await read(each)]);
    expect(segments).toEqual([['text/xml', Buffer.from('<Document>\u00e5\u{1f600}</Document>').toString('latin1')]]);
  });

  it('is told from a text that only begins so', async () => {
    const { value } = await answered(reply(inPartner('<data>-- a remark</data>')), { response: 'xml' });
    expect(value).toEqual({ content: '<data>-- a remark</data>' });
  });

  it('is refused where it is cut', async () => {
    const body = `<data><![CDATA[${text.slice(0, 400)}]]></data>`;
    expect(await thrown(answered({ headers: { 'Content-Type': 'text/xml' }, body }))).toMatchObject({
      code: 'BAD_REPLY',
    });
  });
});

describe('a reply beyond the limits', () => {
  const lines = [
    '--b',
    'Content-Type: text/xml',
    '',
    include('cid:one'),
    '--b',
    'Content-ID: one',
    '',
    'x'.repeat(5000),
    '--b',
  ];
  const two = multipart('multipart/related; boundary=b', [...lines, '', 'y', '--b', '', 'z', '--b--']);

  it('its envelope', async () => {
    const error = await thrown(answered(reply(inPartner(`<p:name>${'x'.repeat(3000)}</p:name>`)), {}, { body: 2000 }));
    expect(error).toMatchObject({
      code: 'REPLY_TOO_LARGE',
      message: 'FILE_SEND: the reply is larger than 2000 bytes (`limits.body`)',
    });
  });

  it('its envelope in gzip', async () => {
    const body = gzipSync(envelope(inPartner(`<p:name>${'x'.repeat(100_000)}</p:name>`)));
    const headers = { 'Content-Type': 'text/xml', 'Content-Encoding': 'gzip' };
    expect(await thrown(answered({ headers, body }, {}, { body: 2000 }))).toMatchObject({
      code: 'REPLY_TOO_LARGE',
      message: 'FILE_SEND: the reply is larger than 2000 bytes (`limits.body`)',
    });
  });

  it('an attachment, while it is read', async () => {
    const got = await answered(two, { response: FILE }, { attachment: 4000 });
    expect(await thrown(read(got.value.content))).toMatchObject({
      code: 'REPLY_TOO_LARGE',
      httpResponseCode: 200,
      message: 'FILE_SEND: an attachment is larger than 4000 bytes (`limits.attachment`)',
    });
    got.close();
  });

  it('an attachment that has to be kept', async () => {
    const early = [
      '--b',
      'Content-ID: one',
      '',
      'x'.repeat(5000),
      '--b',
      'Content-Type: text/xml',
      'Content-ID: r',
      '',
      include('cid:one'),
      '--b--',
    ];
    const answer = multipart('multipart/related; boundary=b; start=r', early);
    expect(await thrown(answered(answer, { response: FILE }, { attachment: 4000 }))).toMatchObject({
      code: 'REPLY_TOO_LARGE',
    });
    const got = await answered(answer, { response: FILE });
    expect(await read(got.value.content)).toBe('x'.repeat(5000));
    got.close();
  });

  it('too many attachments', async () => {
    const got = await answered(two, { response: FILE }, { attachments: 1 });
    const error = await thrown(read(got.value.content));
    expect(error).toBeInstanceOf(InvokeError);
    expect(error).toMatchObject({ message: expect.stringContaining('more than 1 attachments (`limits.attachments`)') });
    got.close();
  });
});
