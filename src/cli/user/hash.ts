import type { Command } from 'commander';
import { CliFailure, wrongUsage } from '../failure.ts';
import { explain } from '../help.ts';
import { note, print } from '../terminal.ts';
import { newPassword } from './password.ts';

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
