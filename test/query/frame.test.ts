import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FrameDecoder, HEAD, type ReplyFrame, writeHead } from '../../src/query/sqlite/frame.ts';

describe('replies', () => {
  it('are put together from any cut of the bytes', () => {
    const reply = fc.record({
      kind: fc.integer({ min: 1, max: 5 }),
      truncated: fc.boolean(),
      rows: fc.nat(4_294_967_295),
      payload: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    });
    const property = fc.property(
      fc.array(reply, { maxLength: 5 }),
      fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1 }),
      (replies, cuts) => {
        const bytes = Buffer.concat(
          replies.flatMap(({ kind, truncated, rows, payload }) => {
            const head = Buffer.alloc(HEAD);
            writeHead(head, 0, { kind, truncated, rows, length: payload.length });
            return [head, payload];
          }),
        );
        const found: ReplyFrame[] = [];
        const decoder = new FrameDecoder((frame) => found.push(frame));
        for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
          const size = cuts[turn % cuts.length] ?? 1;
          decoder.push(bytes.subarray(at, at + size));
          at += size;
        }
        expect(found).toEqual(replies);
      },
    );
    fc.assert(property);
  });
});
