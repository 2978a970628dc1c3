import { numberOf, parse, seedOf, TEXT } from '../support/command-line.ts';

/** What a run of the fleet test is to be. */
export interface FleetOptions {
  /** Of load and of mishaps; what was entered is let end after them. */
  readonly seconds: number;
  readonly gateways: number;
  /** Of the last gateway: processes that share its port. */
  readonly workers: number;
  /** Decides what happens, and to whom; not when exactly. */
  readonly seed: number;
}

const HELP = `node scripts/fleet-test.ts [options]

Starts a PostgreSQL and some gateways over it, keeps them busy with processes, saves and polled queries, kills gateways and
restarts the database at random, lets what was entered end, and accounts for every item. Ends with 1 where one is missing, was
done twice, or ran twice at the same time. Runs what is in dist/; needs PostgreSQL's server programs.

  --seconds <n>    of load and of mishaps; 120 unless said otherwise
  --gateways <n>   3 unless said otherwise
  --workers <n>    processes that the last gateway is made of (serve --workers); 2 unless said otherwise
  --seed <n>       a number of an earlier run: the same mishaps in the same order
  --help           this text
`;

/** The options; undefined where help was asked for, and given. @throws UsageError */
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
