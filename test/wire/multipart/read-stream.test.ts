import { describe, expect, it } from 'vitest';
import { MultipartReader } from '../../../src/wire/multipart/read-multipart.ts';
import { bytes, cut, LIMITS, readAll, Source, textOf } from './support.ts';

describe('reading', () => {
  const message = (content: string): Buffer => bytes(`--b\r\n\r\n${content}\r\n--b\r\nA: 2\r\n\r\ny\r\n--b--\r\n`);

  it('takes a chunk when one is asked for, and gives views of it', async () => {
    const chunks = [bytes('--b\r\n\r\nfirst'), bytes('second'), bytes('third\r\n--b--')];
    const source = new Source(chunks);
    const part = await new MultipartReader(source, 'b', LIMITS).next();
    expect(source.taken).toBe(1);
    const body = part?.body()[Symbol.asyncIterator]();
    expect(source.taken).toBe(1);
    expect(String((await body?.next())?.value)).toBe('first');
    expect(source.taken).toBe(1);
    const second = (await body?.next())?.value;
    expect(second?.buffer).toBe(chunks[1]?.buffer);
    expect(second?.byteOffset).toBe(chunks[1]?.byteOffset);
    expect(source.taken).toBe(2);
  });

  it('skips what is left of a part, begun or not', async () => {
    for (const begin of [true, false]) {
      const reader = new MultipartReader(new Source(cut(message('x'.repeat(100)), [10])), 'b', LIMITS);
      const first = await reader.next();
      if (begin && first !== undefined) {
        for await (const piece of first.body()) if (piece.length > 0) break;
      }
      const second = await reader.next();
      expect(second?.headers.get('a')).toBe('2');
      expect(await textOf(second!.body())).toBe('y');
      expect(await reader.next()).toBeUndefined();
      expect(await reader.next()).toBeUndefined();
    }
  });

  it('gives a body once, and none of a part that is past', async () => {
    const reader = new MultipartReader(new Source([message('x')]), 'b', LIMITS);
    const first = (await reader.next())!;
    const second = (await reader.next())!;
    await expect(textOf(first.body())).rejects.toThrow('the reader is past this part');
    expect(await textOf(second.body())).toBe('y');
    await expect(textOf(second.body())).rejects.toThrow('the body of a part can be read once');
  });

  it('stops a body whose part is left while it is read', async () => {
    const reader = new MultipartReader(new Source(cut(message('xxxxxxxxxx'), [10])), 'b', LIMITS);
    const body = (await reader.next())!.body()[Symbol.asyncIterator]();
    await body.next();
    await reader.next();
    await expect(body.next()).rejects.toThrow('the reader is past this part');
  });

  it('refuses two reads at once', async () => {
    const reader = new MultipartReader(new Source(cut(message('x'), [3])), 'b', LIMITS);
    const first = reader.next();
    await expect(reader.next()).rejects.toThrow('one place at a time');
    expect(await first).toBeDefined();
  });

  it('reads the source to its end behind the last part', async () => {
    const source = new Source([bytes('--b\r\n\r\nx\r\n--b--'), bytes('\r\n'), bytes('bye')]);
    const reader = new MultipartReader(source, 'b', LIMITS);
    await reader.next();
    await reader.next();
    expect(source.taken).toBe(3);
    reader.close();
    expect(source.ended).toBe(0);
  });

  it('ends the source when it is closed, once', async () => {
    const source = new Source(cut(message('x'.repeat(1000)), [50]));
    const reader = new MultipartReader(source, 'b', LIMITS);
    const part = (await reader.next())!;
    reader.close();
    reader.close();
    expect(source.ended).toBe(1);
    expect(await reader.next()).toBeUndefined();
    await expect(textOf(part.body())).rejects.toThrow('the reader is past this part');
  });

  it('lets the errors of the source through, in a header and in a body', async () => {
    const broken = new Error('connection reset');
    const early = new MultipartReader(new Source([bytes('--b\r\nA'), broken]), 'b', LIMITS);
    await expect(early.next()).rejects.toBe(broken);
    const late = new MultipartReader(new Source([bytes('--b\r\n\r\nx'), broken]), 'b', LIMITS);
    await expect(textOf((await late.next())!.body())).rejects.toBe(broken);
  });

  it('takes bytes that are no Buffer', async () => {
    const parts = await readAll([new Uint8Array(message('x')), new Uint8Array(0)]);
    expect(parts.map(([, content]) => content)).toEqual(['x', 'y']);
  });
});
