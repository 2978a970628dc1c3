import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { expectFreed, inUse } from '../support/memory.ts';
import { DESTINATION, doclib, file } from './doclib-support.ts';

const MIB = 2 ** 20;

it('a file of 64 MiB takes no more memory at its end than after a quarter of it', async () => {
  const { library, client } = await doclib();
  const length = 64 * MIB;
  const hash = createHash('sha256');
  const content = file('', {
    length,
    async *stream() {
      for (let index = 0; index < length / MIB; index++) {
        const piece = Buffer.alloc(MIB, index);
        hash.update(piece);
        yield piece;
      }
    },
  });
  const held: number[] = [];
  const onSent = (sent: number): void => {
    if (sent >= (held.length + 1) * 16 * MIB) held.push(inUse());
  };
  await client.flow('N_DOCLIB.upload', { ...DESTINATION, File: content }, { onSent });
  expect(library.files).toMatchObject([{ length, sha256: hash.digest('hex') }]);
  expect(held).toHaveLength(4);
  const [first = 0, ...later] = held;
  expect(Math.max(...later) - first).toBeLessThan(16 * MIB);
  await expectFreed(first, MIB);
});

it('content as Base64 text is decoded in pieces, never whole', async () => {
  const { library, client } = await doclib();
  const bytes = Buffer.alloc(32 * MIB, 'Größe ');
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const text = bytes.toString('base64');
  const before = inUse();
  let most = 0;
  const onSent = (sent: number): void => {
    if (sent >= 16 * MIB && most === 0) most = inUse();
  };
  const input = { ...DESTINATION, FileName: 'large.bin', File: text };
  await client.flow('N_DOCLIB.upload', input, { onSent });
  expect(library.files).toMatchObject([{ length: 32 * MIB, sha256 }]);
  expect(most - before).toBeLessThan(16 * MIB);
});
