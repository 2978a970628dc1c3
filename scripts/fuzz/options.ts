import { parseArgs } from 'node:util';
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

/** Said without a stack. */
export class UsageError extends Error {}

/** The options; undefined where help was asked for, and given. @throws UsageError */
export function readOptions(args: readonly string[]): FuzzOptions | undefined {
  const { values } = parse(args);
  if (values.help) {
    process.stdout.write(HELP);
    return undefined;
  }
  if (values.only !== undefined && !ALL_KINDS.includes(values.only))
    throw new UsageError(`--only takes one of ${ALL_KINDS.join(', ')}, not '${values.only}'`);
  return {
    seconds: numberOf('--seconds', values.seconds, 60, 86_400),
    seed: numberOf('--seed', values.seed, Math.floor(Math.random() * 2 ** 31) + 1, 2 ** 31),
    kinds: values.only === undefined ? ALL_KINDS : [values.only],
  };
}

function parse(args: readonly string[]) {
  const text = { type: 'string' } as const;
  try {
    const options = { seconds: text, seed: text, only: text, help: { type: 'boolean', default: false } } as const;
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
