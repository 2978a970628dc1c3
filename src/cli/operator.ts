import { createInterface } from 'node:readline/promises';
import { InvalidArgumentError } from 'commander';
import { CliFailure } from './failure.ts';
import { note } from './terminal.ts';

/** Reads the number of entries of a list. */
export function readLimit(text: string): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < 1 || number > 1000)
    throw new InvalidArgumentError('It takes an integer from 1 to 1000.');
  return number;
}

/** The first line of a reason, of a length for tables. */
export function shortReason(reason: string): string {
  const [line = ''] = reason.split('\n', 1);
  return line.length > 80 ? `${line.slice(0, 77)}...` : line;
}

/** What is about to be done to many. */
interface Intent {
  readonly question: string;
  /** The same for a log: `17 deliveries to resubmit.` */
  readonly line: string;
}

/**
 * Asks on a terminal. Programs are not asked, and neither is anyone with `--yes`: a line says what is about to be done.
 * @throws CliFailure when the answer is no
 */
export async function confirm({ question, line }: Intent, yes: true | undefined): Promise<void> {
  if (yes || process.stdin.isTTY !== true || process.stderr.isTTY !== true) return note(line);
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await lines.question(`${question} [y/N] `);
    if (!/^y(es)?$/i.test(answer.trim())) throw new CliFailure('nothing was done');
  } finally {
    lines.close();
  }
}
