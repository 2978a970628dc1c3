import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MessageLengths } from '../../../src/query/server/message-limit.ts';
import { hasPostgres } from '../../support/postgres.ts';
import { query } from '../support.ts';
import { postgresOf } from './support.ts';

/** A message whose length says `length`, with as much content as is given. */
function message(length: number, content = length - 4): Buffer {
  const bytes = Buffer.alloc(5 + content, 0xff);
  bytes.writeUInt32BE(length, 1);
  return bytes;
}

it('a message that is too long is seen at its head, wherever the chunks are cut', () => {
  const lengths = fc.array(fc.integer({ min: 4, max: 100 }), { maxLength: 20 });
  const cuts = fc.infiniteStream(fc.integer({ min: 1, max: 60 }));
  fc.assert(
    fc.property(lengths, fc.boolean(), cuts, (before, last, sizes) => {
      const watch = new MessageLengths({ head: 5, length: (bytes, at) => bytes.readUInt32BE(at + 1) - 4 }, 96);
      const bytes = Buffer.concat([...before.map((length) => message(length)), ...(last ? [message(101, 0)] : [])]);
      let seen = false;
      for (let at = 0; at < bytes.length && !seen; ) {
        const end = at + (sizes.next().value as number);
        seen = watch.exceeded(bytes.subarray(at, end));
        at = end;
      }
      expect(seen).toBe(last);
    }),
  );
});

describe.skipIf(!hasPostgres)('a row that is too large for the memory of a gateway', () => {
  it('fails its query alone', async () => {
    const port = await (await postgresOf('')).open();
    const large = query("select repeat('x', 67108864) as a", { A: 'text' });
    await expect(port.run({ query: large, prompts: {}, format: 'csv' })).rejects.toMatchObject({
      code: 'BAD_PARAMETER',
      message: 'The result has a row of more than 67108864 bytes.',
    });
    const next = await port.rows({ query: query('select 1 as n', { N: 'integer' }), prompts: {} });
    expect(next).toEqual([{ N: 1 }]);
  });
});

it('a message that is continued by others counts whole', () => {
  // As MySQL continues them, with a largest length of 50.
  const format = { head: 4, length: (bytes: Buffer, at: number) => bytes.readUIntLE(at, 3), continuedAt: 50 };
  const packet = (length: number): Buffer => {
    const bytes = Buffer.alloc(4 + length, 0xff);
    bytes.writeUIntLE(length, 0, 3);
    return bytes;
  };
  const exceeded = (...lengths: number[]): boolean => {
    const watch = new MessageLengths(format, 100);
    return lengths.map((length) => watch.exceeded(packet(length))).includes(true);
  };
  expect(exceeded(50, 50, 0, 50, 49, 20)).toBe(false);
  expect(exceeded(49, 50, 50, 1)).toBe(true);
});
