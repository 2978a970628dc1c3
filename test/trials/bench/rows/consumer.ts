import { join } from 'node:path';
import { echoWsdl } from '../bench-project.ts';
import type { Figure } from '../figure.ts';
import type { Row } from '../harness.ts';

const KIB = 1024;
const SIZES = [KIB, 10 * KIB, 100 * KIB];

export const consumer: Row = {
  name: 'consumer',
  about: "calls of a SOAP echo of 1, 10 and 100 KiB, 16 at a time; limit: the `soap` package's client",
  async measure(bench) {
    const target = await bench.serve('consumer-target.ts');
    const wsdl = echoWsdl(bench.folder);
    const spool = join(bench.folder, 'spool');
    const seconds = `${bench.seconds}`;
    const figures: Figure[] = [];
    for (const size of bench.smoke ? SIZES.slice(0, 1) : SIZES) {
      const url = `http://127.0.0.1:${target.port}/${size}`;
      const job = `SOAP call, ${size / KIB} KiB`;
      const pair = await bench.compare(
        job,
        () => bench.figure('consumer-limit.ts', [url, `${size}`, seconds, wsdl]),
        () => bench.figure('consumer-ours.ts', [url, `${size}`, seconds, spool]),
      );
      figures.push({
        job,
        beside: "npm's soap client",
        unit: 'calls/s',
        ...pair,
        target: { kind: 'at-least', ratio: 5 },
      });
    }
    await target.stop();
    return figures;
  },
};
