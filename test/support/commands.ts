import type { Command } from 'commander';
import { createProgram } from '../../src/cli/program.ts';

/** The command line, as built for each run. */
export const program = await createProgram();

/** The command that a line calls (`user key add`), with its arguments. @throws Error for an unknown command or option */
export function subcommand(words: readonly string[]): Command {
  let command: Command = program;
  let depth = 0;
  while (command.commands.length > 0) {
    const name = words[depth] ?? '';
    const next = command.commands.find((each) => each.name() === name);
    if (next === undefined) {
      if (command !== program && (name === '' || name.startsWith('-'))) break;
      throw new Error(`'signalbox ${words.slice(0, depth + 1).join(' ')}' is not a command.`);
    }
    command = next;
    depth += 1;
  }
  const known = [...program.options, ...command.options].flatMap(({ long, short }) => [long, short]);
  // A hyphen alone is standard input.
  for (const option of words.slice(depth).filter((word) => word.startsWith('-') && word !== '-'))
    if (!known.includes(option)) throw new Error(`'signalbox ${words.join(' ')}' has no option ${option}.`);
  return command;
}
