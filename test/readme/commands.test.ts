import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { project, repository, signalbox } from '../cli/support.ts';
import { program, subcommand } from '../support/commands.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { blocks, commands, commandsOf, elsewhere, pages, readme, sampleCalls, shownAddress } from './readme-text.ts';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly scripts: Readonly<Record<string, string>>;
}

const manifest = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as Manifest;

/** What stands behind each first word of the README's commands; a word that is not here fails. */
const checks: Readonly<Record<string, (words: readonly string[]) => void>> = {
  npm([name = '', argument = '', ...rest]) {
    if (name === 'run') expect(manifest.scripts).toHaveProperty([argument]);
    else if (name === 'start' || name === 'test') expect(manifest.scripts).toHaveProperty([name]);
    // Without a package: what the new project lists.
    else if (name === 'install' && argument === '') return;
    else if (name === 'install') expect([argument, ...rest].at(-1)).toBe(`../${manifest.name}-${manifest.version}.tgz`);
    else expect(['ci', 'pack']).toContain(name);
  },
  npx([name, ...words]) {
    expect(name).toBe('signalbox');
    subcommand(words);
  },
  mkdir: ([folder]) => expect(folder).toBe('../my-gateway'),
  export(words) {
    const [, made] = /^KEY=\$\(npx signalbox (.+)\)$/.exec(words.join(' ')) ?? [];
    if (made !== undefined) subcommand(made.split(' '));
    else expect(words.join(' ')).toMatch(/^(?:(?:DOCLIB_[A-Z_]+|BASE|DATABASE_URL)=\S+ ?)+$/);
  },
  cd: ([folder]) => expect(folder).toBe('../my-gateway'),
  curl: (words) => expect(words.join(' ')).toMatch(new RegExp(`${shownAddress}|"\\$BASE/`)),
  '.ci/run': () => accessSync(join(repository, '.ci/run'), constants.X_OK),
};

test.each(commands.map(({ command }) => command))('the command exists: %s', (command) => {
  const [word = '', ...rest] = command.split(' ');
  const check = checks[word];
  if (check === undefined) throw new Error(`Nothing checks the README's command '${command}'.`);
  check(rest);
});

test('the scripts that run signalbox name its bin: npm links none of the package itself', () => {
  for (const name of ['start', 'dev', 'check', 'generate'])
    expect(manifest.scripts[name]).toMatch(/^node dist\/cli\/main\.js \w+$/);
});

test('the table has every subcommand, with options that there are', () => {
  const rows = [...readme.matchAll(/^\| `signalbox ((?:[^`|]|\\\|)+)` \| (.+) \|$/gm)];
  const named = rows.map(([, usage = '', text = '']) => {
    const options = [...`${usage} ${text}`.matchAll(/(?<![\w-])--[a-z-]+/g)].map(([option]) => option);
    return subcommand([usage.split(' ')[0] as string, ...options]).name();
  });
  expect(named.sort()).toEqual(program.commands.map((command) => command.name()).sort());
});

const described = commandsOf('npx').filter(
  ({ command, section }) => command.startsWith('npx signalbox describe ') && !elsewhere.includes(section),
);

test.each(described.map(({ command }) => command))('runs: %s', async (command) => {
  const { code, stdout, stderr } = await signalbox(command.split(' ').slice(2), { cwd: repository });
  expect(code, stderr).toBe(0);
  // A schema may say what it imports; there is nothing else to say.
  expect(stderr).toMatch(/^(?:It imports [\w.]+, which -o writes next to it\.\n)*$/);
  expect(stdout).toMatch(/^(<\?xml|\{)/);
});

test("a new project's first call is the README's", async () => {
  const [call] = commandsOf('curl').filter(({ section }) => section === 'Start a project of your own');
  const cwd = await project({ 'package.json': '{ "dependencies": { "signalbox": "^0.1.0" } }' });
  const { code, stdout } = await signalbox(['init', '.'], { cwd });
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining(call?.command ?? 'curl') });
});

describe('calls', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway();
  });
  afterAll(() => gateway?.stop());

  test.each(sampleCalls)('answers: %s', async (command) => {
    const { user, path } = readCall(command);
    const headers: Record<string, string> = {};
    if (user !== undefined) headers.authorization = `Basic ${Buffer.from(user).toString('base64')}`;
    const reply = await gateway.call(path, { anonymous: true, headers });
    expect(reply).toMatchObject({ status: 200, text: expect.stringMatching(/^[<{]/) });
  });
});

/** User and path of a curl line. */
function readCall(command: string): { user: string | undefined; path: string } {
  const [, user, quoted, plain] = /^curl (?:-u (\S+) )?(?:'([^']+)'|(\S+))$/.exec(command) ?? [];
  const url = quoted ?? plain ?? '';
  if (!url.startsWith(shownAddress)) throw new Error(`'${command}' is not read.`);
  return { user, path: url.slice(shownAddress.length) };
}

test.each(pages)('what $file names is there', ({ file, text }) => {
  const links = [...text.matchAll(/\]\(([^)#]+)[^)]*\)/g)].map(([, link]) => join(dirname(file), link as string));
  const layout = blocks.find(({ section, language }) => section === 'Read on' && language === '')?.text ?? '';
  const folders = file === 'README.md' ? [...layout.matchAll(/^(\S+\/)/gm)].map(([folder]) => folder) : [];
  expect(links.length + folders.length).toBeGreaterThan(3);
  for (const path of [...links, ...folders])
    expect({ path, there: existsSync(join(repository, path)) }).toEqual({ path, there: true });
});
