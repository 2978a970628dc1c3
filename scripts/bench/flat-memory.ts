import type { Figure } from './figure.ts';
import type { Bench, Server } from './harness.ts';
import { peakMemory } from './memory.ts';

const MB = 1_048_576;
/** Memory in MB that ten times the rows may take more. The rows themselves are some 60 MB as JSON, and 200 MB as a sheet. */
const WITHIN = 16;

/** A result of any number of rows, read whole. */
interface Reading {
  /** What is read, for the table. */
  readonly what: string;
  /** The database of the gateway. */
  readonly data: string;
  readonly rows: number;
  readonly read: (server: Server, rows: number) => Promise<void>;
}

/**
 * What all rows take of gateway and readers, beside a tenth of them asked for ten times. Each on a gateway of its own: a
 * process that has grown once does not become small again, and would hide what the next result takes.
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
  const job = `${what}: gateway and readers, beside a tenth of the rows`;
  return { job, unit: 'MB', ...pair, target: { kind: 'within', more: WITHIN } };
}
