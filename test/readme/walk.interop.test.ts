import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { poll } from '../cli/poll.ts';
import { cleanEnvironment, finish, repository } from '../cli/support.ts';
import { copySample } from '../support/sample.ts';
import { at, block, blocks, commands, readme } from './readme-text.ts';

const section = 'Add an operation by editing YAML';
const file = 'definitions/locations/service.yaml';

/** The README's YAML: with a query, and with code. */
const [withQuery, withCode] = blocks
  .filter((each) => each.section === section && each.language === 'yaml')
  .map(({ text }) => text) as [string, string];

/** Runs a command of the README in a folder, on a free port, as a terminal would: with what it starts, until the test ends. */
function inTerminal(command: string, cwd: string): { process: ChildProcess; output(): string } {
  const [program = '', ...args] = command.split(' ');
  const child = spawn(program, args, { cwd, env: cleanEnvironment({ PORT: '0' }), detached: true });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const ended = new Promise((resolve) => child.once('close', resolve));
  onTestFinished(async () => {
    // Ctrl-C reaches every process of the terminal.
    if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, 'SIGINT');
    await ended;
  });
  return { process: child, output: () => output };
}

/** Status and body of the README's call, made by its own words. */
async function call(address: string): Promise<{ status: number; text: string }> {
  const [line = ''] = commands.filter((each) => each.section === section && each.command.startsWith('curl '));
  const [, user = '', url = ''] =
    /^curl -u (\S+) '([^']+)'$/.exec(at(address, (line as { command: string }).command)) ?? [];
  const authorization = `Basic ${Buffer.from(user).toString('base64')}`;
  const reply = await fetch(url, { headers: { authorization } });
  return { status: reply.status, text: await reply.text() };
}

test('add an operation by editing YAML, word for word', { timeout: 60_000 }, async () => {
  const sample = copySample();
  onTestFinished(sample.remove);
  const path = join(sample.root, file);
  const before = readFileSync(path, 'utf8');
  expect(readme).toContain(`to the end of \`${file}\``);

  const [start] = commands.filter((each) => each.section === section);
  const dev = inTerminal((start as { command: string }).command, sample.root);
  const [, address = ''] = await poll(
    'the gateway to be ready',
    () => /^Signalbox is ready on (http:\S+)/m.exec(dev.output()) ?? undefined,
    dev.output,
  );
  expect((await call(address)).status).toBe(404);

  const saved = performance.now();
  writeFileSync(path, before + withQuery);
  const answer = await poll(
    'the new operation',
    async () => {
      const reply = await call(address);
      return reply.status === 200 ? reply : undefined;
    },
    dev.output,
  );
  const took = performance.now() - saved;
  console.log(`The operation of the README answered ${Math.round(took)} ms after it was saved.`);
  expect(JSON.parse(answer.text).rows).toHaveLength(2);

  const [, slip = '', right = ''] = /write `(\w+:)` instead of `(\w+:)`/.exec(readme) ?? [];
  const broken = withQuery.replace(right, slip);
  expect(broken).not.toBe(withQuery);
  const line = (before + broken).split('\n').findIndex((each) => each.includes(slip)) + 1;
  const from = dev.output().length;
  writeFileSync(path, before + broken);
  const printed = (): string => dev.output().slice(from);
  await poll('the last good registry to be kept', () => /last good/.test(printed()) || undefined, dev.output);
  expect(printed()).toMatch(new RegExp(`^${file}:${line}:5: error [\\w-]+: .*${slip.slice(0, -1)}`, 'm'));
  expect(printed()).toContain(`Did you mean ${right.slice(0, -1)}`);
  expect(await call(address)).toEqual(answer);

  // Code in place of the query: a stub is written, and answers that it is one.
  writeFileSync(path, before + withCode);
  await poll('the stub', async () => ((await call(address)).status === 501 ? true : undefined), dev.output);
  expect(readFileSync(join(sample.root, 'src/handlers/employees-get.ts'), 'utf8')).toContain("'EMPLOYEES_GET'");
});

test("the README's handler is the sample's own, and compiles; a wrong field does not", async () => {
  const handler = block(section, 'ts');
  const name = 'src/handlers/locations-get.ts';
  expect(substance(handler)).toBe(substance(readFileSync(join(repository, name), 'utf8')));

  const options = { strict: true, noEmit: true, skipLibCheck: true, allowImportingTsExtensions: true, types: [] };
  const target = { module: 'nodenext', target: 'es2024', erasableSyntaxOnly: true, verbatimModuleSyntax: true };
  // Two in one run: the one that is right, and beside it one that is wrong.
  const wrong = 'src/handlers/wrong.ts';
  const sample = copySample({
    [name]: handler,
    [wrong]: handler.replace('EMP_DATA:', 'EMPL_DATA:'),
    'tsconfig.json': JSON.stringify({ compilerOptions: { ...options, ...target }, include: ['src'] }),
  });
  onTestFinished(sample.remove);
  const complaints = (await compile(sample.root)).match(/^src\/[^(]+/gm);
  expect(new Set(complaints)).toEqual(new Set([wrong]));
});

/** Code without what says nothing: comments, spaces, and the two ways to write a short function. */
function substance(text: string): string {
  return text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/(\w+)\((\w+)\) \{\s*return ([^;]+);\s*\}/g, '$1: ($2) => $3')
    .replace(/\s+/g, ' ')
    .trim();
}

/** What the compiler says about a project. */
async function compile(root: string): Promise<string> {
  const tsc = join(repository, 'node_modules/typescript/bin/tsc');
  return (await finish(spawn(process.execPath, [tsc, '-p', root], { cwd: root }))).stdout;
}
