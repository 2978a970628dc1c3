import { join } from 'node:path';
import type { Figure } from '../figure.ts';
import type { Row } from '../harness.ts';

const KIB = 1024;
const beside = 'undici Pool.request and JSON.parse';

export const rest: Row = {
  name: 'rest',
  about: "calls of a REST operation with replies of 1 and 100 KiB, 16 at a time; limit: undici's pool and JSON.parse",
  async measure(bench) {
    const target = await bench.serve('rest-target.ts');
    const spool = join(bench.folder, 'spool');
    const seconds = `${bench.seconds}`;
    const figures: Figure[] = [];
    for (const size of [KIB, 100 * KIB]) {
      const url = `http://127.0.0.1:${target.port}/${size}`;
      const job = `REST call, ${size / KIB} KiB`;
      const pair = await bench.compare(
        job,
        () => bench.figure('rest-limit.ts', [url, `${size}`, seconds]),
        () => bench.figure('rest-ours.ts', [url, `${size}`, seconds, spool]),
      );
      figures.push({ job, beside, unit: 'calls/s', ...pair, target: { kind: 'at-least', ratio: 0.7 } });
    }
    await target.stop();
    return figures;
  },
};
