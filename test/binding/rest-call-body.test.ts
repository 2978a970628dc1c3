import { describe, expect, it } from 'vitest';
import { Pending } from '../../src/binding/call/values.ts';
import { MemoryAttachment } from '../../src/codec/binary.ts';
import type { DocumentValue } from '../../src/model/value.ts';
import type { RestOptions } from '../support/consumer.ts';
import { compound, document, field, listOf } from '../support/registry.ts';
import { bytesOf, complaint, stream, text, UPLOAD, UPLOAD_INPUT, write } from './call-support.ts';

describe('content in base64', () => {
  const File = Buffer.from('%PDF-1.7 and more').toString('base64');
  const input = { ...UPLOAD_INPUT, FileName: 'a.pdf' };

  it('is sent as the bytes that it stands for, with their number', async () => {
    const request = write(UPLOAD, { ...input, File: `${File.slice(0, 5)}\r\n ${File.slice(5)}` });
    expect(request.content).toMatchObject({ length: 17, again: true });
    expect(String(await bytesOf(request))).toBe('%PDF-1.7 and more');
    expect(request.headers['Content-Type']).toBe('application/pdf');
  });

  it('is decoded in slices, whose ends fall anywhere', async () => {
    const bytes = Buffer.alloc(1_000_001, 'abcdefg');
    const lines = bytes.toString('base64').replace(/.{76}/g, '$&\r\n');
    expect((await bytesOf(write(UPLOAD, { ...input, File: lines }))).equals(bytes)).toBe(true);
  });

  it.each([
    ['a character of none', `${File}!`],
    ['one beyond Latin-1 that ends in a good byte', `Ł${File.slice(1)}`],
    ['the alphabet of URLs', 'a-_b'],
    ['no padding', File.replaceAll('=', '')],
    ['padding inside', `${File}${File}`],
  ])('with %s is refused before anything is sent', (_, wrong) => {
    expect(complaint(UPLOAD, { ...input, File: wrong })).toMatch(/^File can't be decoded: its base64 /);
  });

  it('is refused where the operation does not say that it may be', () => {
    expect(complaint({ ...UPLOAD, properties: {} }, { ...input, File })).toBe(
      'File is not content with a stream; Base64toBinary: Y takes one in base64',
    );
  });
});

describe('a body', () => {
  const inner = document('INNER', [field('PIN', 'integer', { sensitive: true }), field('NOTE', 'text')]);
  const fields = [
    text('ID'),
    field('AMOUNT', 'decimal'),
    field('KEY', 'integer', { sensitive: true }),
    field('INNER', compound(inner)),
    field('LIST', listOf(inner)),
    field('SCAN', 'binary'),
    text('REGION'),
  ];
  const options: RestOptions = {
    templates: ['a/{ID}'],
    fields,
    body: 'document',
    filled: { REGION: '${secret:SECRET}' },
  };
  const input = {
    ID: '1',
    AMOUNT: '1.50',
    KEY: 7,
    INNER: { PIN: 1234, NOTE: 'n' },
    LIST: [{ PIN: 5 }, { NOTE: 'm' }],
    SCAN: new MemoryAttachment(Buffer.from('scan')),
  };

  it('holds in JSON what the URI does not, and shows it masked at any depth', () => {
    const { headers, content } = write(options, input);
    expect(headers['Content-Type']).toBe('application/json');
    expect(content?.text).toBe(
      '{"AMOUNT":1.50,"KEY":7,"INNER":{"PIN":1234,"NOTE":"n"},"LIST":[{"PIN":5},{"NOTE":"m"}],"SCAN":"c2Nhbg==","REGION":"s&cr=t"}',
    );
    expect(content?.shown()).toBe(
      '{"AMOUNT":1.50,"KEY":"***","INNER":{"PIN":"***","NOTE":"n"},"LIST":[{"PIN":"***"},{"NOTE":"m"}],"SCAN":"(4 bytes)","REGION":"***"}',
    );
    expect([...(content?.secrets() ?? [])].toSorted()).toEqual(['1234', '5', '7', 's&cr=t']);
  });

  it('is XML where Content-Type says so', () => {
    const { content } = write(
      { ...options, headers: { 'Content-Type': 'text/xml' } },
      { ID: '1', KEY: 7, REGION: 'r' },
    );
    const xml = (key: string): string =>
      `<SOME_BODY xmlns="urn:test:Some.v1"><KEY>${key}</KEY><REGION>r</REGION></SOME_BODY>`;
    expect(content?.text).toBe(xml('7'));
    expect(content?.shown()).toBe(xml('***'));
  });

  it('encodes a stream in it as it is sent', async () => {
    const request = write(options, { ID: '1', REGION: 'r', SCAN: stream('some scanned content') });
    const expected = `{"SCAN":"${Buffer.from('some scanned content').toString('base64')}","REGION":"r"}`;
    expect(String(await bytesOf(request))).toBe(expected);
    expect(request.content).toMatchObject({ length: expected.length, text: undefined, again: false });
  });

  it('shows what is pending of it', () => {
    const { content } = write(options, { ID: '1', KEY: new Pending('KEY'), REGION: 'r' });
    expect(content?.shown()).toBe('{"KEY":"<KEY>","REGION":"r"}');
  });

  it.each<[string, NonNullable<RestOptions['body']>, string, unknown, string, string]>([
    ['JSON text', 'json', 'json', '[ {"a":1} ]', '[ {"a":1} ]', 'application/json'],
    ['a JSON value', 'json', 'json', [1, 2n ** 60n], '[1,1152921504606846976]', 'application/json'],
    ['a string as a field', { field: 'content' }, 'json', 'a', '"a"', 'application/json'],
    ['text', 'text', 'text', 'Grüße', 'Grüße', 'text/plain; charset=utf-8'],
    ['XML', 'xml', 'xml', '<a/>', '<a/>', 'application/xml'],
    ['a number as a field', { field: 'content' }, 'integer', 7, '7', 'text/plain; charset=utf-8'],
  ])('may be %s', (_, body, type, content, sent, contentType) => {
    const request = write({ templates: ['x'], fields: [field('content', type)], body }, { content } as DocumentValue);
    expect(request.content?.text).toBe(sent);
    expect(request.headers['Content-Type']).toBe(contentType);
  });

  it.each<[string, NonNullable<RestOptions['body']>, string, unknown, string]>([
    ['JSON', 'json', 'json', '[1,', 'content is not JSON: it ends too early'],
    ['XML', 'xml', 'xml', '<a>', 'content is not well-formed XML'],
    ['text', 'text', 'text', 'a\ud800', 'content holds half of a surrogate pair'],
    ['bytes', 'binary', 'binary', 'a', 'content is not content with a stream'],
    [
      'a media type',
      'binary',
      'binary',
      stream('a', { contentType: 'a\r\nb' }),
      'content has the content type "a\\r\\nb", which is not valid',
    ],
  ])('that is no %s is refused', (_, body, type, content, message) => {
    const options: RestOptions = { templates: ['x'], fields: [field('content', type)], body };
    expect(complaint(options, { content } as DocumentValue)).toContain(message);
  });

  it('that is a form is encoded where it is not said to be so', () => {
    const form: RestOptions = {
      templates: ['x'],
      fields: [text('content')],
      body: 'text',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      properties: { bodyAsBuilt: false },
    };
    expect(write(form, { content: 'a=b c&d=e=f/ü&g' }).content?.text).toBe('a=b%20c&d=e%3Df%2F%C3%BC&g');
    expect(write({ ...form, properties: {} }, { content: 'a=b c' }).content?.text).toBe('a=b c');
  });

  it.each([
    ['more', 3, 'File changed while it was read: it holds more than its 3 bytes'],
    ['less', 9, 'File changed while it was read: it holds 6 of its 9 bytes'],
  ])('that holds %s than it says fails', async (_, length, message) => {
    const request = write(UPLOAD, { ...UPLOAD_INPUT, File: stream('%PDF-1', { name: 'a', length }) });
    await expect(bytesOf(request)).rejects.toThrow(message);
  });
});
