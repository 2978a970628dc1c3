import { describe, expect, it } from 'vitest';
import { MemoryAttachment, readAttachment } from '../../src/codec/binary.ts';
import { compileDocument, compileInline } from '../../src/codec/index.ts';
import type { Document } from '../../src/model/document.ts';
import type { Attachment, DocumentValue } from '../../src/model/value.ts';
import { compound, document, field, list, messageOf } from './support.ts';

const options = { namespace: 'urn:test' };

const stream = (chunks: readonly string[]): Attachment => ({
  contentType: 'text/plain',
  name: 'a.txt',
  async *stream() {
    for (const chunk of chunks) yield Buffer.from(chunk);
  },
});

describe('binary content in documents', () => {
  const codec = compileDocument(document('D', [field('FILE', 'binary')]), options);

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

describe('streams in documents', () => {
  const node: { -readonly [K in keyof Document]: Document[K] } = { ...document('NODE', [field('FILE', 'binary')]) };
  node.fields = [...node.fields, field('NAME', 'string'), field('NEXT', compound(node)), field('ALL', list(node))];
  const codec = compileDocument(node, options);
  const inline = compileInline(node)!;
  const written = async (value: DocumentValue, limit = 100): Promise<string> =>
    codec.toJson(await inline(value, limit));

  it('are brought into memory at any depth, and what is given stays as it is', async () => {
    const value = {
      FILE: stream(['a', 'b']),
      NEXT: { ALL: [{ NAME: 'n' }, { FILE: stream(['c']) }] },
      NAME: undefined,
    };
    expect(await written(value)).toBe('{"FILE":"YWI=","NEXT":{"ALL":[{"NAME":"n"},{"FILE":"Yw=="}]}}');
    expect(value.FILE).not.toBeInstanceOf(MemoryAttachment);
  });

  it('are refused beyond the limit, by their place', async () => {
    await expect(written({ NEXT: { ALL: [{}, { FILE: stream(['abc']) }] } }, 2)).rejects.toThrow(
      'NEXT.ALL[1].FILE is longer than 2 bytes',
    );
  });

  it('are looked for in nothing else: what has another type is for the writer to refuse', async () => {
    await expect(written({ FILE: 'text' })).rejects.toThrow('FILE is a string, not an attachment');
    await expect(written({ NEXT: 'text' })).rejects.toThrow('NEXT is a string, not an object');
    await expect(written({ ALL: 'text' })).rejects.toThrow('ALL is a string, not a list');
    await expect(written({ ALL: ['text'] })).rejects.toThrow('ALL[0] is a string, not an object');
    expect(await written({ NEXT: null, ALL: [] })).toBe('{"ALL":[]}');
  });

  it('are not looked for without end in a value that holds itself', async () => {
    const circle: Record<string, DocumentValue> = {};
    circle.NEXT = circle;
    await expect(written(circle)).rejects.toThrow('is nested more than 100 levels deep');
  });

  it('need nothing where a document can hold none', () => {
    expect(compileInline(document('D', [field('A', 'string')]))).toBeUndefined();
  });
});
