import { numberOf, parse, seedOf, TEXT } from '../support/command-line.ts';

/** Options of the fleet test. */
export interface FleetOptions {
  /** Duration of load and failures; entered items may end after that. */
  readonly seconds: number;
  readonly gateways: number;
  /** Processes of the last gateway, which share its port. */
  readonly workers: number;
  /** Determines which failures happen to which gateway, but not the exact times. */
  readonly seed: number;
}

const HELP = `node scripts/fleet-test.ts [options]

Starts PostgreSQL and several gateways that share it, keeps them busy with processes, saves and polled queries, kills gateways
and restarts the database at random, waits until all entered items have ended, and accounts for each. Exits with 1 if an item
is missing, was done twice, or ran twice at the same time. Runs the build in dist/; needs PostgreSQL's server programs.

  --seconds <n>    duration of load and failures (default: 120)
  --gateways <n>   number of gateways (default: 3)
  --workers <n>    workers of the last gateway, as in serve --workers (default: 2)
  --seed <n>       seed of an earlier run: repeats its failures in the same order
  --help           print this help
`;

/** The options; `undefined` if help was requested and printed. @throws UsageError */
export function readOptions(args: readonly string[]): FleetOptions | undefined {
  const values = parse(args, HELP, { seconds: TEXT, gateways: TEXT, workers: TEXT, seed: TEXT });
  if (values === undefined) return undefined;
  const { seconds, gateways, workers, seed } = values;
  return {
    seconds: numberOf('--seconds', seconds, 120, 3600),
    gateways: numberOf('--gateways', gateways, 3, 16),
    workers: numberOf('--workers', workers, 2, 8),
    seed: seedOf(seed),
  };
}
