import { randomBytes } from 'node:crypto';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import type { Command } from 'commander';
import { CliFailure, wrongUsage } from '../failure.ts';
import { explain } from '../help.ts';
import { note, print } from '../terminal.ts';

/** How a command gets the password. */
export interface PasswordOptions {
  readonly passwordStdin?: true;
  readonly generate?: true;
  /** False after `--no-password`. */
  readonly password: boolean;
}

/** Adds the options that give a password. Without them the command prompts for it. */
export function withPassword(command: Command): Command {
  return command
    .option('--password-stdin', 'read it from the first line of standard input')
    .option('--generate', 'generate one and print it once')
    .option('--no-password', 'no password: the user calls with keys or certificates only');
}

/** A password's hash, and the password itself when it was generated. */
interface NewPassword {
  readonly hash: string | undefined;
  readonly generated?: string;
}

/** Gets a password by the options, checks it and hashes it. @throws CliFailure for one that is not accepted */
export async function newPassword(user: string | undefined, options: PasswordOptions): Promise<NewPassword> {
  const { passwordStdin = false, generate = false, password } = options;
  if ([passwordStdin, generate, !password].filter(Boolean).length > 1)
    throw wrongUsage('--password-stdin, --generate and --no-password are mutually exclusive');
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
    throw wrongUsage('a password prompt needs a terminal', 'Pass --password-stdin to read it from standard input.');
  return askTwice(user === undefined ? 'Password: ' : `Password of ${user}: `);
}

/** Reports what was done. A generated password is all that is written to standard output. */
export async function printDone(done: string, { generated }: NewPassword): Promise<void> {
  if (generated === undefined) {
    await print(`${done}\n`);
    return;
  }
  note(`${done} The password is shown only this once:`);
  await print(`${generated}\n`);
}

/** Bytes that are read at most; which passwords are valid is checked elsewhere. */
const LONGEST = 65_536;

/**
 * Prompts twice for the same line, without echoing it.
 * @throws CliFailure when the user gives up, or the two lines differ
 */
async function askTwice(question: string): Promise<string> {
  const { stdin, stderr } = process;
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: nowhere, terminal: true, historySize: 0 });
  // After Control-Z it stays paused.
  lines.on('SIGCONT', () => lines.resume());
  // Keeps a line that arrives before its prompt, as from a paste.
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
    if ((await ask('Repeat it: ')) !== first) throw new CliFailure('the two passwords differ');
    return first;
  } finally {
    lines.close();
  }
}

/** The first line of standard input, without its line end. @throws CliFailure when it is not UTF-8 */
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

/** `signalbox user hash`: the hash that a `user:` of the definitions has instead of a secret. */
export function addUserHash(user: Command): void {
  explain(user.command('hash'), {
    examples: ['signalbox user hash demo', 'signalbox user hash --key'],
    notes: ["Write the hash to 'password:' or 'api-keys:' of a user's definition. Nothing is stored."],
  })
    .description('print the hash of a password, for a user of the definitions')
    .argument('[user]', 'its id, which is refused as a password')
    .option('--password-stdin', 'read it from the first line of standard input')
    .option('--key', 'create an API key instead; print the key and its hash')
    .action(async (id: string | undefined, options: { passwordStdin?: true; key?: true }) => {
      if (options.key === true) {
        if (options.passwordStdin === true)
          throw wrongUsage('--key and --password-stdin are mutually exclusive', 'A key is created, not read.');
        await printKey();
        return;
      }
      const { hash } = await newPassword(id, { ...options, password: true });
      if (hash === undefined) throw new CliFailure('the password is missing');
      await print(`${hash}\n`);
    });
}

async function printKey(): Promise<void> {
  const { createApiKey } = await import('../../security/scheme/api-key.ts');
  const { key, hash } = createApiKey();
  note("The key, which is shown only this once, and its hash for 'api-keys:' of the user:");
  await print(`${key}\n${hash}\n`);
}
