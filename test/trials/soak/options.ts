import { parse, seedOf, TEXT, UsageError } from '../support/command-line.ts';

/** Options of a soak. */
export interface SoakOptions {
  readonly minutes: number;
  /** Determines which client sends which requests. */
  readonly seed: number;
}

const HELP = `node test/trials/soak.ts [options]

Keeps the sample's gateway busy with lookups, queries, SOAP, attachments, polled queries, processes and saves. One request in ten
is hostile, the others have credentials of all schemes. Exits with 1 if a request gets no answer or a wrong one, or if memory and
handles do not return to their initial values. In a run of 4 minutes or more it also exits with 1 if the 99th percentile of a
lookup in the last quarter is more than twice that of the first, after allowing for a slower machine. Runs the build in dist/.

  --minutes <n>    duration, such as 0.5 (default: 5)
  --seed <n>       seed of an earlier run
  --help           print this help
`;

/** The options; `undefined` if help was requested and printed. @throws UsageError */
export function readOptions(args: readonly string[]): SoakOptions | undefined {
  const values = parse(args, HELP, { minutes: TEXT, seed: TEXT });
  if (values === undefined) return undefined;
  const minutes = Number(values.minutes ?? 5);
  if (!(minutes >= 0.1 && minutes <= 10_000))
    throw new UsageError(`--minutes must be a number from 0.1 to 10000, not '${values.minutes}'`);
  return { minutes, seed: seedOf(values.seed) };
}
