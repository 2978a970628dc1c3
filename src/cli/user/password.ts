import { randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import { CliFailure, wrongUsage } from '../failure.ts';
import { note, print } from '../terminal.ts';
import { askTwice, readLine } from './ask.ts';

/** How a command learns the password. */
export interface PasswordOptions {
  readonly passwordStdin?: true;
  readonly generate?: true;
  /** False after `--no-password`. */
  readonly password: boolean;
}

/** Adds the ways to give a password; on a terminal it is asked for. */
export function withPassword(command: Command): Command {
  return command
    .option('--password-stdin', 'read it from the first line of standard input')
    .option('--generate', 'make one, and print it once')
    .option('--no-password', 'none: the user calls with keys or certificates only');
}

/** A password's hash, and the password where it was made here. */
export interface NewPassword {
  readonly hash: string | undefined;
  readonly generated?: string;
}

/** Takes a password, for a user where one is named, as the options say, and hashes it. @throws CliFailure for one that is not taken */
export async function newPassword(user: string | undefined, options: PasswordOptions): Promise<NewPassword> {
  const { passwordStdin = false, generate = false, password } = options;
  if ([passwordStdin, generate, !password].filter(Boolean).length > 1)
    throw wrongUsage('--password-stdin, --generate and --no-password exclude each other');
  if (!password) return { hash: undefined };
  const generated = generate ? randomBytes(18).toString('base64url') : undefined;
  const text = generated ?? (passwordStdin ? await readLine() : await askPassword(user));
  const { passwordFault } = await import('../../security/password.ts');
  const fault = passwordFault(text, user);
  if (fault !== undefined) throw new CliFailure(`the password ${fault}`);
  const { hashPassword } = await import('../../security/password.ts');
  return { hash: await hashPassword(text), ...(generated === undefined ? {} : { generated }) };
}

function askPassword(user: string | undefined): Promise<string> {
  if (process.stdin.isTTY !== true || process.stderr.isTTY !== true)
    throw wrongUsage('a password is asked for on a terminal', '--password-stdin reads it from standard input.');
  return askTwice(user === undefined ? 'Password: ' : `Password of ${user}: `);
}

/** Says what was done; where a password was made, standard output holds that alone, and this once. */
export async function printDone(done: string, { generated }: NewPassword): Promise<void> {
  if (generated === undefined) {
    await print(`${done}\n`);
    return;
  }
  note(`${done} Its password, which is shown only now:`);
  await print(`${generated}\n`);
}
