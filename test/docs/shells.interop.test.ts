import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { helpLayout } from '../../src/cli/help.ts';
import { repository } from '../cli/support.ts';
import { program } from '../support/commands.ts';
import { atFileEnd } from '../support/file-end.ts';
import { type CodeBlock, readBlocks } from '../support/markdown.ts';

// Whoever reads a document pastes its blocks into a terminal. There zsh, the default shell of macOS, knows no comments behind a
// command, takes an unquoted ? for a pattern, and bash looks for ! in the history: each must run what a script would run.

const folder = mkdtempSync(join(tmpdir(), 'signalbox-shells-'));
atFileEnd(() => rmSync(folder, { recursive: true, force: true }));

/** Programs are not found, and builtins that would change something are functions: both note their words. */
const NOTING = `note() { local IFS=$'\\037'; printf '%s\\036' "$*" >&9; }
command_not_found_handler() { note "$@"; }
command_not_found_handle() { note "$@"; }
cd() { note cd "$@"; }
kill() { note kill "$@"; }
PATH=/nowhere
`;

const SHELLS = {
  script: ['/bin/bash', '--noprofile', '--norc'],
  bash: ['/bin/bash', '--noprofile', '--norc', '-i'],
  zsh: ['/usr/bin/zsh', '-f', '-i'],
} as const;

/** What a shell runs of a text: the words of each command. The commands of a pipe begin at the same time, so their order means nothing. */
function run(shell: keyof typeof SHELLS, text: string): string[][] {
  const [file, ...args] = SHELLS[shell];
  const { output, error } = spawnSync(file, args, {
    cwd: folder,
    input: `${NOTING}${text}\n`,
    stdio: ['pipe', 'ignore', 'ignore', 'ignore', 'ignore', 'ignore', 'ignore', 'ignore', 'ignore', 'pipe'],
    env: { HOME: folder, TERM: 'dumb', HISTFILE: '' },
    timeout: 30_000,
  });
  if (error !== undefined) throw error;
  const noted = String(output[9]).split('\x1e').slice(0, -1);
  return noted
    .toSorted()
    .map((each) => each.split('\x1f'))
    .filter(([first]) => first !== '#');
}

const pages = [
  ...['README.md', 'CONTRIBUTING.md', 'test/README.md', 'examples/workshop/README.md', 'examples/new/README.md'],
  ...readdirSync(join(repository, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];
const blocks = pages.flatMap((file) =>
  readBlocks(readFileSync(join(repository, file), 'utf8'), file)
    .filter(({ language }) => language === 'sh')
    .map((block) => [`${file}, ${block.section}`, block] as [string, CodeBlock]),
);

const commands: Command[] = [program, ...program.commands.flatMap((each) => [each, ...each.commands])];
const helps = commands.map((command): [string, string] => {
  const text = command.configureHelp(helpLayout).helpInformation();
  const examples = /^Examples:\n((?: {2}.*\n)*)/m.exec(text)?.[1] ?? '';
  return [`${command.name()} --help`, examples.replaceAll(/^ {2}/gm, '')];
});

describe.each(['bash', 'zsh'] as const)('an interactive %s runs what a script would run', (shell) => {
  test.each(blocks)('%s', (_, { text }) => {
    expect(run(shell, text)).toEqual(run('script', text));
  });

  test.each(helps.filter(([, text]) => text !== ''))('%s', (_, text) => {
    expect(run(shell, text)).toEqual(run('script', text));
  });
});

test('a shell notes what it would run, and what it would not', () => {
  const text = "signalbox stats --since '1 h'   # of the last hour\ncurl http://127.0.0.1/x?wsdl | jq .\n";
  expect(run('script', text)).toEqual([
    ['curl', 'http://127.0.0.1/x?wsdl'],
    ['jq', '.'],
    ['signalbox', 'stats', '--since', '1 h'],
  ]);
  expect(run('zsh', text)).toEqual([
    ['jq', '.'],
    ['signalbox', 'stats', '--since', '1 h', '#', 'of', 'the', 'last', 'hour'],
  ]);
});
