import { spawn } from 'node:child_process';
import { chmod, mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { program, subcommand } from '../support/commands.ts';
import { bin, cleanEnvironment, finish, repository, signalbox, signalboxProcess, temporaryFolder } from './support.ts';

const commands = [
  'check',
  'generate',
  'diff',
  'serve',
  'health',
  'dev',
  'mock',
  'describe',
  'routes',
  'query',
  'process',
  'migrate',
  'data',
  'invoke',
  'node',
  'queue',
  'message',
  'stats',
  'user',
  'who-can',
  'can',
  'env',
  'doctor',
  'import',
  'init',
];

/** It, and all below it. */
function everyCommand(command: Command): Command[] {
  return [command, ...command.commands.flatMap(everyCommand)];
}

test.concurrent('--help lists every command, with examples and exit codes', async () => {
  const { code, stdout, stderr } = await signalbox(['--help']);
  expect(code).toBe(0);
  expect(stderr).toBe('');
  for (const name of commands) expect(stdout).toMatch(new RegExp(`^ {2}${name}\\b`, 'm'));
  expect(stdout).toContain('Examples:');
  expect(stdout).toContain('Exit codes:');
  expect(stdout).toContain('--definitions <dir>');
});

test.concurrent('the help of every command reads alike: a sentence, usage, options, examples, exit codes', () => {
  expect(program.commands.map((command) => command.name())).toEqual(commands);
  for (const command of everyCommand(program)) {
    const text = command.helpInformation();
    const parts = text.split('\n\n').map((part) => /^[A-Z][a-z]+(?: codes)?(?=:)/.exec(part)?.[0] ?? '');
    expect(
      parts.filter((part) => part !== ''),
      command.name(),
    ).toEqual([
      'Usage',
      ...(command.registeredArguments.length > 0 ? ['Arguments'] : []),
      ...(command.commands.length > 0 ? ['Commands'] : []),
      'Options',
      'Examples',
      'Exit codes',
    ]);
    expect(text, command.name()).toMatch(/^[A-Z][^\n]+(?:\n[^\n]+)?\.\n\nUsage: signalbox /);
    expect(text, command.name()).toContain('--definitions <dir>');
    expect(text, command.name()).toContain('--wide');
  }
});

/** Command lines of the examples, without what a shell does with them. */
const examples = everyCommand(program).flatMap((command) =>
  [
    ...command.helpInformation().matchAll(/^ {2}(?:[^|\n]* \| )?(?:[A-Z_]+=\S+ )*signalbox (.+?)(?: +[#|>] .*)?$/gm),
  ].map(([, line = '']) => [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')),
);

test.concurrent('the examples of the help have commands and options that there are', () => {
  expect(examples.length).toBeGreaterThan(50);
  for (const words of examples) subcommand(words);
});

const harmless = examples.filter(
  ([name = '', ...words]) =>
    ['check', 'describe', 'routes', 'query', 'who-can', 'can', 'migrate'].includes(name) &&
    !/^(?:-o|--connect)$/.test(words.find((word) => word.startsWith('-')) ?? '') &&
    (name !== 'migrate' || words.includes('--plan')),
);

test.concurrent.each(
  harmless.map((words) => [words]),
)('the example works with the sample registry: %j', async (args) => {
  const folder = await temporaryFolder();
  const env = { DATABASE_URL: `sqlite:${folder}/example.db` };
  // What an example writes does not belong among the files of the project.
  const words = args.map((word, index) => (args[index - 1] === '--output' ? join(folder, word) : word));
  const { code, stderr } = await signalbox(words, { cwd: repository, env });
  expect(code, stderr).toBe(0);
});

test.concurrent('--version prints the version of the package', async () => {
  const { version } = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8')) as { version: string };
  expect(await signalbox(['--version'])).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: '' });
});

test.concurrent.each([
  [['chek'], "unknown command 'chek'\n  Did you mean check?"],
  [['zzzz'], "unknown command 'zzzz'\n  'signalbox --help' shows the usage."],
  [['check', '--jsn'], "unknown option '--jsn'\n  Did you mean --json?"],
  [
    ['query', 'X', '--format', 'yaml'],
    "--format can't be 'yaml'\n  Allowed choices are table, json, csv, xml, webrowset, html, xlsx.\n",
  ],
  [['check', 'extra'], "too many arguments for 'check'\n  Expected 0 arguments but got 1: extra.\n"],
  [['describe', 'wadl'], "missing required argument 'service'\n  'signalbox describe --help' shows the usage."],
  [['describe', 'raml', 'Staff.v1'], "form can't be 'raml'\n  Allowed choices are wadl, wsdl, xsd, openapi."],
  [['describe', 'wadl', 'Staff.v1', '--base', 'ftp://x'], "--base takes an http or https address, not 'ftp://x'"],
  [
    ['describe', 'wadl', 'Staff.v1', '--base', 'http://x/?a=b'],
    "--base takes an http or https address, not 'http://x/?",
  ],
  [['query'], "missing required argument 'name'"],
  [['query', 'X', '--prompt', 'REGION'], 'Write it as NAME=VALUE.'],
  [['query', 'X', '--maxrows', '-1'], 'It takes an integer from 0 on.'],
  [['query', 'X', '--fields', 'A,,B'], 'It takes names that are separated by commas.'],
  [['health', 'gateway:8080'], "'gateway:8080' is not the address of a gateway"],
  [['health', '--within', 'soon'], "--within can't be 'soon'"],
  [['init'], "missing required argument 'dir'"],
])('%j is wrong usage: exit code 2, one line and a hint on standard error', async (args, words) => {
  const { code, stdout, stderr } = await signalbox(args);
  expect(stderr).toMatch(/^signalbox: /);
  expect(stderr).toContain(words);
  expect(stderr).not.toMatch(/\n\s+at /);
  expect(stdout).toBe('');
  expect(code).toBe(2);
});

test.concurrent('no command at all is wrong usage, answered with the help', async () => {
  const { code, stdout, stderr } = await signalboxProcess([]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain('Usage: signalbox');
});

test.concurrent('a folder without definitions is said so, without a stack', async () => {
  const { code, stdout, stderr } = await signalboxProcess(['routes'], { cwd: await temporaryFolder() });
  expect(code).toBe(1);
  expect(stdout).toBe('');
  expect(stderr).toContain('definitions');
  expect(stderr).not.toMatch(/\n\s+at /);
});

test.concurrent('a Node that is too old gets one line', async () => {
  // The check is the same whatever the reason for the version, so it is tried by giving this Node another.
  const old = "Object.defineProperty(process.versions, 'node', { value: '18.20.8' });";
  const child = spawn(process.execPath, ['--import', `data:text/javascript,${old}`, bin, 'check'], {
    env: cleanEnvironment(),
  });
  const { code, stdout, stderr } = await finish(child);
  expect(stderr).toMatch(/^signalbox: Node 22\.19 or later is needed; this is 18\.20\.8 \(.+\)\n$/);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
});

test.concurrent('compiled code is kept for the next start, in a folder where nobody else could put some', async () => {
  const kept = async (mode: number): Promise<readonly string[]> => {
    const home = await temporaryFolder();
    const folder = join(home, 'signalbox');
    await mkdir(folder);
    await chmod(folder, mode);
    const env = { XDG_CACHE_HOME: home, NODE_COMPILE_CACHE: undefined };
    expect(await signalboxProcess(['--version'], { env })).toMatchObject({ code: 0, stderr: '' });
    return readdir(folder, { recursive: true });
  };
  expect(await kept(0o700)).not.toEqual([]);
  expect(await kept(0o777)).toEqual([]);
  expect(await kept(0o770)).toEqual([]);
});
