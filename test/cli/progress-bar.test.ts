import { expect, test } from 'vitest';
import { renderBytes, renderCount, size } from '../../src/cli/progress.ts';

test.each([
  [0, 0, ''],
  [1_500, 0, '1.5 KB, '],
  [0, 1_000_000, '░░░░░░░░░░░░░░░░░░░░   0 % of 1.0 MB, '],
  [450_000, 1_000_000, '█████████░░░░░░░░░░░  45 % of 1.0 MB, '],
  [1_000_000, 1_000_000, '████████████████████ 100 % of 1.0 MB, '],
  [2_000_000, 1_000_000, '████████████████████ 100 % of 1.0 MB, '],
])('%d of %d bytes', (done, total, shown) => {
  expect(renderBytes(done, total)).toBe(shown);
});

test('things that are counted have the same bar, and their number', () => {
  expect(renderCount(450_000, 1_000_000)).toBe('█████████░░░░░░░░░░░  45 % of 1000000, ');
  expect(renderCount(7, 0)).toBe('7, ');
});

test.each([
  [0, '0 bytes'],
  [1, '1 byte'],
  [999, '999 bytes'],
  [1_000, '1.0 KB'],
  [9_940, '9.9 KB'],
  [12_345, '12 KB'],
  [999_499, '999 KB'],
  [999_500, '1.0 MB'],
  [1_073_741_824, '1.1 GB'],
  [5e15, '5000 TB'],
])('the size of %d', (bytes, shown) => {
  expect(size(bytes)).toBe(shown);
});
