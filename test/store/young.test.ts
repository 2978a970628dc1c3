import { expect, test } from 'vitest';
import { passing } from '../../src/store/file/young.ts';

const PIECE = 64 * 1024;
const MIB = 1024 * 1024;

test('what long transfers leave behind does not pile up', () => {
  // What other tests of the process left behind may be freed meanwhile.
  let least = process.memoryUsage().arrayBuffers;
  let most = 0;
  for (let sent = 0; sent < 512 * MIB; sent += PIECE) {
    const piece = Buffer.allocUnsafeSlow(PIECE);
    passing(piece.length);
    const held = process.memoryUsage().arrayBuffers;
    least = Math.min(least, held);
    most = Math.max(most, held - least);
  }
  // A collection comes every 16 MiB, and what it frees is given back a little later; without one it is 80 MiB.
  expect(most).toBeGreaterThan(MIB);
  expect(most).toBeLessThan(64 * MIB);
});
