import type { Command } from 'commander';
import { wrongUsage } from './failure.ts';

/** Commands of an earlier version, and those that replace them. */
export const FORMER_COMMANDS: ReadonlyMap<string, string> = new Map([
  ['signalbox queue retry', 'signalbox queue resubmit'],
  ['signalbox queue drop', 'signalbox queue cancel'],
  ['signalbox message skip', 'signalbox message cancel'],
]);

/**
 * Refuses a command of an earlier version with the one that replaces it.
 * @param command was parsed, with the word as its first argument: a group of commands, or the default command of a group
 */
export function refuseFormer(command: Command): void {
  const [word = ''] = command.args;
  const now = FORMER_COMMANDS.get(`${groupOf(command)} ${word}`);
  if (now !== undefined)
    throw wrongUsage(`unknown command '${word}'`, `Write '${now}' instead: it replaces '${word}'.`);
}

/** `signalbox queue`, of itself and of its default command. */
function groupOf(command: Command): string {
  const { parent } = command;
  if (parent === null) return command.name();
  return command.commands.length === 0 ? groupOf(parent) : `${groupOf(parent)} ${command.name()}`;
}
