import type { Figure } from './figure.ts';
import type { Bench, Server } from './harness.ts';
import { peakMemory } from './memory.ts';

const MB = 1_048_576;
/** The additional memory, in MB, that ten times the rows may take. The rows themselves are about 60 MB as JSON, and 200 MB as a sheet. */
const WITHIN = 16;

/** A result of any number of rows, read to its end. */
interface Reading {
  /** Name of the result in the table. */
  readonly what: string;
  /** The database of the gateway. */
  readonly data: string;
  readonly rows: number;
  readonly read: (server: Server, rows: number) => Promise<void>;
}

/**
 * Memory of gateway and readers for all rows, compared with a tenth of the rows requested ten times. Each is measured on
 * its own gateway, because a process that has grown does not shrink again, and would hide the memory of the next result.
 */
export async function flatMemory(bench: Bench, { what, data, rows, read }: Reading): Promise<Figure> {
  const peak = async (work: (server: Server) => Promise<void>): Promise<number> => {
    const server = await bench.serve('gateway-server.ts', [data]);
    await read(server, rows / 100);
    const bytes = await peakMemory(server.pid, () => work(server));
    await server.stop();
    return bytes / MB;
  };
  const pair = await bench.compare(
    `${what}, memory`,
    () =>
      peak(async (server) => {
        for (let time = 0; time < 10; time += 1) await read(server, rows / 10);
      }),
    () => peak((server) => read(server, rows)),
  );
  const job = `${what}: gateway and readers`;
  return { job, beside: 'a tenth of the rows', unit: 'MB', ...pair, target: { kind: 'within', more: WITHIN } };
}
