import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createProgram } from '../../src/cli/program.ts';
import { bin, cleanEnvironment, finish, repository, signalbox, signalboxProcess, temporaryFolder } from './support.ts';

const commands = [
  'check',
  'generate',
  'serve',
  'dev',
  'describe',
  'routes',
  'query',
  'migrate',
  'invoke',
  'user',
  'who-can',
  'can',
  'init',
];

test.concurrent('--help lists every command, with examples and exit codes', async () => {
  const { code, stdout, stderr } = await signalbox(['--help']);
  expect(code).toBe(0);
  expect(stderr).toBe('');
  for (const name of commands) expect(stdout).toMatch(new RegExp(`^ {2}${name}\\b`, 'm'));
  expect(stdout).toContain('Examples:');
  expect(stdout).toContain('Exit codes:');
  expect(stdout).toContain('--definitions <dir>');
});

test.concurrent('the help of every command has examples and the global options', () => {
  const { commands: all } = createProgram();
  expect(all.map((command) => command.name())).toEqual(commands);
  for (const command of all) {
    let text = '';
    command.configureOutput({ writeOut: (more) => (text += more) });
    command.outputHelp();
    expect(text, command.name()).toMatch(/Examples:\n {2}(\S+=\S+ )*signalbox /);
    expect(text, command.name()).toContain('--definitions <dir>');
  }
});

test.concurrent('--version prints the version of the package', async () => {
  const { version } = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8')) as { version: string };
  expect(await signalbox(['--version'])).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: '' });
});

test.concurrent.each([
  [['chek'], "unknown command 'chek'\n  Did you mean check?"],
  [['zzzz'], "unknown command 'zzzz'\n  'signalbox --help' shows how it is used."],
  [['check', '--formt', 'json'], "unknown option '--formt'\n  Did you mean --format?"],
  [
    ['check', '--format', 'yaml'],
    "option '--format <format>' argument 'yaml' is invalid. Allowed choices are text, json.",
  ],
  [['check', 'extra'], "too many arguments for 'check'"],
  [['describe', 'wadl'], "missing required argument 'service'\n  'signalbox describe --help' shows how it is used."],
  [['describe', 'raml', 'Staff.v1'], 'Allowed choices are wadl, wsdl, xsd, openapi.'],
  [['describe', 'wadl', 'Staff.v1', '--base', 'ftp://x'], "--base takes an http or https address, not 'ftp://x'"],
  [
    ['describe', 'wadl', 'Staff.v1', '--base', 'http://x/?a=b'],
    "--base takes an http or https address, not 'http://x/?",
  ],
  [['query'], "missing required argument 'name'"],
  [['query', 'X', '--prompt', 'REGION'], 'A prompt is written NAME=VALUE.'],
  [['query', 'X', '--maxrows', '-1'], 'It takes a whole number from 0 on.'],
  [['query', 'X', '--fields', 'A,,B'], 'It takes names separated by commas.'],
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
