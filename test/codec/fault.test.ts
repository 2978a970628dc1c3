import { describe, expect, it } from 'vitest';
import { MemoryAttachment, readAttachment } from '../../src/codec/binary.ts';
import { compileDocument, compileFault } from '../../src/codec/index.ts';
import { Fault } from '../../src/model/fault.ts';
import type { Attachment } from '../../src/model/value.ts';
import { compound, document, FAILURE, field, list, messageOf } from './support.ts';

const options = { namespace: 'urn:test' };
const words = { message: 'REGION is longer than 1 character.', detail: '', code: 'BAD_PARAMETER', status: 400 };

describe('fault documents', () => {
  it('fills the words of a fault into defaults, at any depth', () => {
    const failure = compileFault(FAILURE, options);
    expect(failure.toJson(words)).toBe(
      '{"status":"failure","error":{"message":"REGION is longer than 1 character.","detail":""}}',
    );
    expect(failure.toXml({ ...words, message: 'a < b', detail: 'd' })).toBe(
      '<FAILURE><status>failure</status><error><message>a &lt; b</message><detail>d</detail></error></FAILURE>',
    );
  });

  it('takes a fault as it is', () => {
    const fault = Fault.of('MISSING_PARAMETER', { name: 'region' });
    const LOC_FAULT = document('LOC_FAULT', [field('MESSAGE', 'text', { default: '{fault.message}' })]);
    expect(compileFault(LOC_FAULT, options).toJson(fault)).toBe('{"MESSAGE":"region is missing."}');
  });

  it('fills words of any type into texts of any form', () => {
    const d = document(
      'F',
      [
        field('CODE', 'string', { default: '{fault.code}/{fault.status} {other} {fault.none}' }),
        field('STATUS', 'integer', { default: '{fault.status}' }),
        field('WRONG', 'integer', { default: '{fault.message}' }),
        field('PLAIN', 'integer', { default: 7 }),
      ],
      { root: true },
    );
    expect(compileFault(d, options).toJson(words)).toBe(
      '{"F":{"CODE":"BAD_PARAMETER/400 {other} {fault.none}","STATUS":400,"PLAIN":7}}',
    );
  });

  it('writes a fault whatever its words are', () => {
    const d = document('F', [
      field('SHORT', 'string(3)', { default: '{fault.message}' }),
      field('TEXT', 'text', { default: '{fault.message}' }),
      field('DETAIL', 'text', { default: '{fault.detail}', minimum: 1 }),
      field('LIST', list(document('ENTRY', [field('A', 'text', { default: '{fault.message}' })]))),
    ]);
    const fault = compileFault(d, options);
    expect(fault.toJson({ ...words, message: '😀😀😀😀\ud800\0{fault.code}' })).toBe(
      '{"SHORT":"😀😀😀","TEXT":"😀😀😀😀\u{FFFD}\u{FFFD}{fault.code}"}',
    );
  });

  it('is refused at load where it could never be written', () => {
    const d = document('F', [field('A', compound(document('G', [field('ID', 'integer', { required: true })])))]);
    expect(compileFault(d, options).toJson(words)).toBe('{}');
    const needs = document('F', [field('ID', 'integer', { required: true })]);
    expect(messageOf(() => compileFault(needs, options))).toBe('ID is missing');
  });

  it('ends at a document that holds itself', () => {
    const self: { -readonly [K in keyof typeof FAILURE]: (typeof FAILURE)[K] } = { ...FAILURE };
    self.fields = [field('M', 'text', { default: '{fault.code}' }), field('CAUSE', compound(self))];
    expect(compileFault(self, options).toJson(words)).toBe('{"M":"BAD_PARAMETER"}');
  });

  it('leaves unfilled words out of any other reply', () => {
    expect(compileDocument(FAILURE, options).toJson({ error: {} })).toBe('{"status":"failure","error":{}}');
  });
});

describe('binary content in documents', () => {
  const codec = compileDocument(document('D', [field('FILE', 'binary')]), options);
  const stream = (chunks: readonly string[]): Attachment => ({
    contentType: 'text/plain',
    name: 'a.txt',
    async *stream() {
      for (const chunk of chunks) yield Buffer.from(chunk);
    },
  });

  it('is base64 both ways', () => {
    const json = '{"FILE":"AQID/w=="}';
    const value = codec.fromJson(json);
    expect(value.FILE).toMatchObject({ length: 4 });
    expect(codec.toJson(value)).toBe(json);
    expect(codec.toXml(value)).toBe('<D xmlns="urn:test"><FILE>AQID/w==</FILE></D>');
  });

  it('is written from memory only, where a stream can be read to', async () => {
    const file = stream(['ab', 'c']);
    expect(messageOf(() => codec.toJson({ FILE: file }))).toBe(
      'FILE is a stream, which no document can hold before it is read',
    );
    const read = await readAttachment(file, 3);
    expect(read).toMatchObject({ contentType: 'text/plain', name: 'a.txt', length: 3 });
    expect(codec.toJson({ FILE: read })).toBe('{"FILE":"YWJj"}');
    expect(await readAttachment(read, 0)).toBe(read);
  });

  it('is not read beyond its limit', async () => {
    let opened = 0;
    const endless: Attachment = {
      contentType: 'text/plain',
      async *stream() {
        for (;;) {
          opened++;
          yield Buffer.alloc(10);
        }
      },
    };
    await expect(readAttachment(endless, 25)).rejects.toThrow('is longer than 25 bytes');
    expect(opened).toBe(3);
  });

  it('is written from part of a larger buffer', () => {
    const part = new Uint8Array([0, 1, 2, 3]).subarray(1, 3);
    expect(codec.toJson({ FILE: new MemoryAttachment(part) })).toBe('{"FILE":"AQI="}');
  });
});
