import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BlockCounter } from '../../src/query/runs/run-rows.ts';

/** Cuts bytes at places, in whatever order they come. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const at = [0, ...places.map((place) => place % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
  return at.slice(1).map((end, index) => bytes.subarray(at[index], end));
}

function count(chunks: readonly Buffer[]): BlockCounter {
  const counter = new BlockCounter();
  for (const chunk of chunks) counter.push(chunk);
  return counter;
}

describe('blocks of rows', () => {
  it('hold whole lines, each in one of them, however the bytes come', () => {
    const lines = fc.array(fc.integer({ min: 0, max: 30 }), { maxLength: 2500 });
    fc.assert(
      fc.property(lines, fc.array(fc.nat(), { maxLength: 8 }), (lengths, places) => {
        const all = Buffer.from(lengths.map((length) => `${'x'.repeat(length)}\n`).join(''));
        const counter = count(cut(all, places));
        expect([counter.rows, counter.bytes]).toEqual([lengths.length, all.length]);
        const blocks = counter.starts.map(([start, row], index) => {
          const end = counter.starts[index + 1]?.[0] ?? all.length;
          return { row, lines: all.toString('utf8', start, end).split('\n').slice(0, -1) };
        });
        let row = 1;
        for (const block of blocks) {
          expect(block.row).toBe(row);
          expect(block.lines.length).toBeLessThanOrEqual(1000);
          row += block.lines.length;
        }
        expect(row).toBe(lengths.length + 1);
      }),
      { numRuns: 50 },
    );
  });

  it('end at 1,000 rows', () => {
    expect(count([Buffer.from('a\n'.repeat(2001))]).starts).toEqual([
      [0, 1],
      [2000, 1001],
      [4000, 2001],
    ]);
  });

  it('end before 1 MiB is passed, and a row that is larger has one of its own', () => {
    const half = `${'x'.repeat(524_287)}\n`;
    const large = `${'y'.repeat(3_000_000)}\n`;
    const { starts } = count([Buffer.from(half + half + half + large + half)]);
    expect(starts).toEqual([
      [0, 1],
      [1_048_576, 3],
      [1_572_864, 4],
      [1_572_864 + large.length, 5],
    ]);
  });

  it('are one where there are no rows', () => {
    expect(new BlockCounter().starts).toEqual([[0, 1]]);
  });
});
