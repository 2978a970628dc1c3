import { parseArgs } from 'node:util';

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

/** What stands in the way of the test; said without a stack. */
export class UsageError extends Error {}

/** The options; undefined where help was asked for, and given. @throws UsageError */
export function readOptions(args: readonly string[]): FleetOptions | undefined {
  const { values } = parse(args);
  if (values.help) {
    process.stdout.write(HELP);
    return undefined;
  }
  return {
    seconds: numberOf('--seconds', values.seconds, 120, 3600),
    gateways: numberOf('--gateways', values.gateways, 3, 16),
    workers: numberOf('--workers', values.workers, 2, 8),
    seed: numberOf('--seed', values.seed, Math.floor(Math.random() * 2 ** 31) + 1, 2 ** 32),
  };
}

function parse(args: readonly string[]) {
  const text = { type: 'string' } as const;
  const options = {
    seconds: text,
    gateways: text,
    workers: text,
    seed: text,
    help: { type: 'boolean', default: false },
  } as const;
  try {
    return parseArgs({ args: [...args], options });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function numberOf(name: string, text: string | undefined, otherwise: number, most: number): number {
  const number = text === undefined ? otherwise : Number(text);
  if (Number.isInteger(number) && number >= 1 && number <= most) return number;
  throw new UsageError(`${name} takes a number from 1 to ${most}, not '${text}'`);
}
