import { numberOf, parse, seedOf, TEXT, UsageError } from '../support/command-line.ts';
import { KINDS } from './seeds.ts';

/** Options of a fuzz run. */
export interface FuzzOptions {
  /** Duration of the run; all kinds run concurrently. */
  readonly seconds: number;
  /** Determines which cases are tried in which order, but not how many fit into the time. */
  readonly seed: number;
  readonly kinds: readonly string[];
}

/** Kinds of input: those of requests, definitions, and contracts that are imported. */
const ALL_KINDS: readonly string[] = [...Object.keys(KINDS), 'definitions', 'import'];

const HELP = `node test/trials/fuzz.ts [options]

Sends mutated requests to the sample's gateway, and mutated definitions to the loader, and imports mutated contracts, each in a
separate process. Exits with 1 if one of them crashes, hangs, answers with bytes that are not HTTP, has an internal error
(INTERNAL), or leaks memory, or if the definitions that an import writes are not valid. Each finding is shrunk and written to test/attacks/cases, where a test replays it. Runs the build in dist/.

  --seconds <n>    duration (default: 60)
  --seed <n>       seed of an earlier run
  --only <kind>    one of ${ALL_KINDS.join(', ')}
  --help           print this help
`;

/** The options; `undefined` if help was requested and printed. @throws UsageError */
export function readOptions(args: readonly string[]): FuzzOptions | undefined {
  const values = parse(args, HELP, { seconds: TEXT, seed: TEXT, only: TEXT });
  if (values === undefined) return undefined;
  const { seconds, seed, only } = values;
  if (only !== undefined && !ALL_KINDS.includes(only))
    throw new UsageError(`--only must be one of ${ALL_KINDS.join(', ')}, not '${only}'`);
  return {
    seconds: numberOf('--seconds', seconds, 60, 86_400),
    seed: seedOf(seed),
    kinds: only === undefined ? ALL_KINDS : [only],
  };
}
