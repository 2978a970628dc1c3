import { numberOf, parse, seedOf, TEXT, UsageError } from '../support/command-line.ts';
import { KINDS } from './seeds.ts';

/** What a fuzz run is to be. */
export interface FuzzOptions {
  /** Of all kinds together, which run side by side. */
  readonly seconds: number;
  /** Decides what is tried, in which order; not how much of it fits into the time. */
  readonly seed: number;
  readonly kinds: readonly string[];
}

/** Kinds of input that are tried: those of requests, and definitions. */
const ALL_KINDS: readonly string[] = [...Object.keys(KINDS), 'definitions'];

const HELP = `node scripts/fuzz.ts [options]

Sends mutated requests to the sample's gateway, and mutated definitions to the loader, each in a process of its own. Ends with 1
where one crashes, hangs, answers something that is no HTTP, breaks by its own fault (INTERNAL), or keeps memory. What was found
is shrunk and written to test/attacks/cases, where a test replays it. Runs what is in dist/.

  --seconds <n>    60 unless said otherwise
  --seed <n>       a number of an earlier run
  --only <kind>    one of ${ALL_KINDS.join(', ')}
  --help           this text
`;

/** The options; undefined where help was asked for, and given. @throws UsageError */
export function readOptions(args: readonly string[]): FuzzOptions | undefined {
  const values = parse(args, HELP, { seconds: TEXT, seed: TEXT, only: TEXT });
  if (values === undefined) return undefined;
  const { seconds, seed, only } = values;
  if (only !== undefined && !ALL_KINDS.includes(only))
    throw new UsageError(`--only takes one of ${ALL_KINDS.join(', ')}, not '${only}'`);
  return {
    seconds: numberOf('--seconds', seconds, 60, 86_400),
    seed: seedOf(seed),
    kinds: only === undefined ? ALL_KINDS : [only],
  };
}
