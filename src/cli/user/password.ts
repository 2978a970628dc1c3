import { randomBytes } from 'node:crypto';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import type { Command } from 'commander';
import { CliFailure, wrongUsage } from '../failure.ts';
import { explain } from '../help.ts';
import { note, print } from '../terminal.ts';

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
interface NewPassword {
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
  const { hashPassword, passwordFault } = await import('../../security/password.ts');
  const fault = passwordFault(text, user);
  if (fault !== undefined) throw new CliFailure(`the password ${fault}`);
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

/** What a password may have at most while it is read; what one may have at all, others check. */
const LONGEST = 65_536;

/**
 * Asks on the terminal for a line that it does not show, and once more for the same.
 * @throws CliFailure where the user gives up, or the two differ
 */
async function askTwice(question: string): Promise<string> {
  const { stdin, stderr } = process;
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: nowhere, terminal: true, historySize: 0 });
  // After Control-Z it waits to be told.
  lines.on('SIGCONT', () => lines.resume());
  // Keeps a line that comes before its question, as of a paste.
  const typed = lines[Symbol.asyncIterator]();
  const ask = async (text: string): Promise<string> => {
    stderr.write(text);
    const { value, done } = await typed.next();
    stderr.write('\n');
    // Control-C closes the interface, and Control-D on an empty line.
    if (done === true) throw new CliFailure('interrupted');
    return value;
  };
  try {
    const first = await ask(question);
    if ((await ask('Once more: ')) !== first) throw new CliFailure('the two passwords are not the same');
    return first;
  } finally {
    lines.close();
  }
}

/** The first line of standard input, without its end. @throws CliFailure where it is no text */
async function readLine(): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (chunk.includes('\n') || length > LONGEST) break;
  }
  const bytes = Buffer.concat(chunks);
  const end = bytes.indexOf('\n');
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(end < 0 ? bytes : bytes.subarray(0, end));
    return text.replace(/\r$/, '');
  } catch (cause) {
    throw new CliFailure('standard input is not UTF-8', { cause });
  }
}

/** `signalbox user hash`: what a `user:` of the definitions holds in place of a secret. */
export function addUserHash(user: Command): void {
  explain(user.command('hash'), {
    examples: ['signalbox user hash demo', 'signalbox user hash --key'],
    notes: ["For a user of the definitions: 'password:' and 'api-keys:' of its definition take it. Nothing is stored."],
  })
    .description('print the hash of a password, for a user of the definitions')
    .argument('[user]', 'its id, which is no password')
    .option('--password-stdin', 'read it from the first line of standard input')
    .option('--key', 'make an API key instead, and print it and its hash')
    .action(async (id: string | undefined, options: { passwordStdin?: true; key?: true }) => {
      if (options.key === true) {
        if (options.passwordStdin === true) throw wrongUsage('--key is made, not read');
        await printKey();
        return;
      }
      const { hash } = await newPassword(id, { ...options, password: true });
      if (hash === undefined) throw new CliFailure('there is no password');
      await print(`${hash}\n`);
    });
}

async function printKey(): Promise<void> {
  const { createApiKey } = await import('../../security/scheme/api-key.ts');
  const { key, hash } = createApiKey();
  note("The key, which is shown only now, and what 'api-keys:' of its user takes:");
  await print(`${key}\n${hash}\n`);
}
