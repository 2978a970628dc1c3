import { parse, seedOf, TEXT, UsageError } from '../support/command-line.ts';

/** What a soak is to be. */
export interface SoakOptions {
  readonly minutes: number;
  /** Decides who asks for what. */
  readonly seed: number;
}

const HELP = `node scripts/soak.ts [options]

Keeps the sample's gateway busy with lookups, queries, SOAP, attachments, polled queries, processes and saves, one request in ten a
hostile one, the others with credentials of all schemes. Ends with 1 where a request has no answer, or another than it must have,
where memory and handles do not come back to the start, or, in a run of 4 minutes and more, where the last quarter of the time is
slower than twice the first (99th percentile of a lookup, and no more than the machine is by itself). Runs what is in dist/.

  --minutes <n>    5 unless said otherwise; 0.5 is half a one
  --seed <n>       a number of an earlier run
  --help           this text
`;

/** The options; undefined where help was asked for, and given. @throws UsageError */
export function readOptions(args: readonly string[]): SoakOptions | undefined {
  const values = parse(args, HELP, { minutes: TEXT, seed: TEXT });
  if (values === undefined) return undefined;
  const minutes = Number(values.minutes ?? 5);
  if (!(minutes >= 0.1 && minutes <= 10_000))
    throw new UsageError(`--minutes takes a number from 0.1 to 10000, not '${values.minutes}'`);
  return { minutes, seed: seedOf(values.seed) };
}
