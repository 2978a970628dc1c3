import { numberOf, parse, seedOf, TEXT, UsageError } from '../support/command-line.ts';

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

const HELP = `node test/trials/fleet.ts [options]

Starts PostgreSQL, several gateways that share it, and a second installation in another schema of it. Keeps them busy through
nginx with processes, saves, polled queries, and messages to code and to a receiver that fails, is late, closes in the middle of a
reply and answers twice. Gateway 1 reaches the database through a proxy of the test, gateway 2 through
PgBouncer. Meanwhile, at random:

  - gateways and workers are killed, the database restarts
  - gateways are frozen for longer than their jobs and transactions are kept for them
  - the database stops answering gateway 1, without closing connections
  - gateways and workers are replaced one by one, by ones with other definitions, and back
  - a gateway is replaced by one of the version before, and back
  - a gateway is started behind PgBouncer in the modes that it must refuse

Each happens at least once, even if that takes longer than --seconds. Then waits until all entered items have ended, and accounts
for each. Exits with 1 if an item is missing, was done twice, arrived out of order or with another id, ran twice at the same time or in the other installation; if a call
was lost although nothing was killed, frozen or away; or if a gateway did not end, or start, as it should. Runs the build in
dist/; needs PostgreSQL's server programs, PgBouncer and nginx, and the commit in test/trials/fleet/version-before.

  --seconds <n>    duration of load and failures (default: 120)
  --gateways <n>   number of gateways of the first installation, at least 2 (default: 3)
  --workers <n>    workers of its last gateway, as in serve --workers (default: 2)
  --seed <n>       seed of an earlier run: repeats its failures in the same order
  --help           print this help
`;

/** The options; `undefined` if help was requested and printed. @throws UsageError */
export function readOptions(args: readonly string[]): FleetOptions | undefined {
  const values = parse(args, HELP, { seconds: TEXT, gateways: TEXT, workers: TEXT, seed: TEXT });
  if (values === undefined) return undefined;
  const { seconds, gateways, workers, seed } = values;
  const count = numberOf('--gateways', gateways, 3, 16);
  if (count < 2) throw new UsageError('--gateways must be at least 2: one is replaced while the others run');
  return {
    seconds: numberOf('--seconds', seconds, 120, 3600),
    gateways: count,
    workers: numberOf('--workers', workers, 2, 8),
    seed: seedOf(seed),
  };
}
