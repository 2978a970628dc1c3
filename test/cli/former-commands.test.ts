import { expect, it } from 'vitest';
import { FORMER_COMMANDS } from '../../src/cli/former-commands.ts';
import { createProgram } from '../../src/cli/program.ts';
import { project, signalbox } from './support.ts';

it.each([...FORMER_COMMANDS])('%s is refused with what replaces it', async (before, now) => {
  const words = before.split(' ').slice(1);
  const cwd = await project({ 'definitions/gateway.yaml': 'gateway: MAIN\n' });
  for (const args of [words, [...words, '6f1c1f0e', '--yes'], [...words, '--all', '--since', '1h']]) {
    const { code, stderr } = await signalbox(args, { cwd });
    expect(stderr).toBe(
      `signalbox: unknown command '${words.at(-1)}'\n  Write '${now}' instead: it replaces '${words.at(-1)}'.\n`,
    );
    expect(code).toBe(2);
  }
  // What replaces it is a command.
  let command = await createProgram();
  for (const word of now.split(' ').slice(1)) {
    const next = command.commands.find((each) => each.name() === word);
    expect(next?.name()).toBe(word);
    command = next as typeof command;
  }
});
