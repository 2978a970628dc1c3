import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';

/** An error in the command line, printed without a stack trace. */
export class UsageError extends Error {}

/** An option with a text value. */
export const TEXT = { type: 'string' } as const;

/** The options of a command line; `undefined` if help was requested and printed. @throws UsageError */
export function parse<const Options extends ParseArgsOptionsConfig>(
  args: readonly string[],
  help: string,
  options: Options,
) {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { ...options, help: { type: 'boolean', short: 'h' } },
    });
    if (!('help' in values)) return values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
  process.stdout.write(help);
  return undefined;
}

/** A whole number from 1. @throws UsageError */
export function numberOf(name: string, text: string | undefined, otherwise: number, most: number): number {
  const number = text === undefined ? otherwise : Number(text);
  if (Number.isInteger(number) && number >= 1 && number <= most) return number;
  throw new UsageError(`${name} must be a whole number from 1 to ${most}, not '${text}'`);
}

/** The seed of an earlier run, or a new one. @throws UsageError */
export function seedOf(text: string | undefined): number {
  return numberOf('--seed', text, Math.floor(Math.random() * 2 ** 31) + 1, 2 ** 31);
}

/** Prints a line of progress, with the seconds since the start. */
export type Say = (line: string) => void;

/**
 * Runs a script with its command line. Exits with 0 if `work` resolves to true, with 1 if not, and with 2 if the command line
 * is invalid.
 */
export async function runScript<Options>(
  read: (args: readonly string[]) => Options | undefined,
  work: (options: Options, say: Say) => Promise<boolean>,
): Promise<void> {
  const began = performance.now();
  const say: Say = (line) => {
    process.stdout.write(`${((performance.now() - began) / 1000).toFixed(1).padStart(6)} s  ${line}\n`);
  };
  try {
    const options = read(process.argv.slice(2));
    if (options !== undefined) process.exitCode = (await work(options, say)) ? 0 : 1;
  } catch (error) {
    const isUsage = error instanceof UsageError;
    process.stderr.write(`${isUsage ? error.message : ((error as Error).stack ?? error)}\n`);
    process.exitCode = isUsage ? 2 : 1;
  }
}
