import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { MultipartReader } from '../../../src/wire/multipart/read-multipart.ts';
import { bytes, cut, LIMITS, Source, textOf } from './support.ts';

const corpus = new URL('../../../../shared/corpus/mtom/', import.meta.url);

describe.skipIf(!existsSync(corpus))('messages of other makers (skipped where ../shared/corpus is missing)', () => {
  async function partsOf(file: string, boundary: string, length: number) {
    const reader = new MultipartReader(
      new Source(cut(readFileSync(new URL(file, corpus)), [length])),
      boundary,
      LIMITS,
    );
    const parts: { id: string | undefined; type: string | undefined; content: Buffer }[] = [];
    for (let part = await reader.next(); part !== undefined; part = await reader.next()) {
      const content = bytes(await textOf(part.body()));
      parts.push({ id: part.headers.get('content-id'), type: part.headers.get('content-type'), content });
    }
    return parts;
  }

  const sha256 = (content: Buffer | undefined): string => createHash('sha256').update(content!).digest('hex');

  it.each([1, 1000, 100_000])('Apache CXF, in chunks of %i bytes', async (length) => {
    const [root, image, ...more] = await partsOf('cxf-mimedata.bin', '----=_Part_4_701508.1145579811786', length);
    expect(root).toMatchObject({ id: '<echo.xml>', type: 'text/xml' });
    expect(root?.content.toString()).toMatch(/^<env:Envelope [\s\S]*<\/env:Envelope>$/);
    expect(image).toMatchObject({ id: '<xfire_logo.jpg>', type: 'image/jpeg' });
    expect(image?.content).toHaveLength(27_364);
    expect(image?.content.subarray(0, 3).toString('hex')).toBe('ffd8ff');
    expect(image?.content.subarray(-2).toString('hex')).toBe('ffd9');
    expect(sha256(image?.content)).toBe('7151c43a7385317d6c0109a3799fd14803a51efdbd7b4c88a700d8a6c6980ab5');
    expect(more).toEqual([]);
  });

  it.each([1, 1000, 100_000])('Spring-WS, in chunks of %i bytes', async (length) => {
    const boundary = 'MIMEBoundaryurn_uuid_492264AB42E57108E01176731445507';
    const [root, image, ...more] = await partsOf('spring-ws-soap11-mtom.bin', boundary, length);
    expect(root?.id).toBe('<0.urn:uuid:492264AB42E57108E01176731445508@apache.org>');
    expect(root?.content.toString()).toMatch(/^<\?xml [\s\S]*<\/soapenv:Envelope>$/);
    expect(image?.type).toBe('image/png');
    expect(image?.content.subarray(1, 4).toString()).toBe('PNG');
    expect(image?.content.subarray(-8, -4).toString()).toBe('IEND');
    expect(more).toEqual([]);
  });
});
