import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { poll } from '../cli/poll.ts';
import { cleanEnvironment, repository, startProcess, temporaryFolder } from '../cli/support.ts';

const run = promisify(execFile);
const example = join(repository, 'examples/workshop');
const page = readFileSync(join(repository, 'docs/tutorial.md'), 'utf8');

/** A block of the tutorial: commands with what they print, or what becomes of a file. */
type Block =
  | { readonly kind: 'commands'; readonly text: string; prints: string }
  | {
      readonly kind: 'Write' | 'Replace' | 'Add to the end of' | 'Change';
      readonly text: string;
      readonly file: string;
    };

function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  const fences = /(?:^(Write|Replace|Add to the end of|Change) `([^`]+)`:\n\n)?^```(\w+)\n([\s\S]*?)^```$/gm;
  for (const [, kind, file = '', language, content = ''] of text.matchAll(fences)) {
    const last = blocks.at(-1);
    if (kind !== undefined) blocks.push({ kind: kind as 'Write', file, text: content });
    else if (language === 'sh') blocks.push({ kind: 'commands', text: content, prints: '' });
    else if (language === 'text' && last?.kind === 'commands') last.prints = content;
    else throw new Error(`nobody is told what to do with:\n${content}`);
  }
  return blocks;
}

let folder: string;
let project: string;
const env = {
  ...cleanEnvironment(),
  npm_config_update_notifier: 'false',
  npm_config_prefer_offline: 'true',
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
  ...{ GIT_AUTHOR_NAME: 'Ada', GIT_AUTHOR_EMAIL: 'ada@example.org' },
  ...{ GIT_COMMITTER_NAME: 'Ada', GIT_COMMITTER_EMAIL: 'ada@example.org' },
};

beforeAll(async () => {
  folder = await temporaryFolder();
  project = join(folder, 'workshop');
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: repository, env });
});

/** Makes a file what the page says. A change is applied as `patch` does, with its context and without fuzz. */
async function edit({ kind, file, text }: Exclude<Block, { kind: 'commands' }>): Promise<void> {
  const path = join(project, file);
  await mkdir(dirname(path), { recursive: true });
  if (kind === 'Add to the end of') return appendFile(path, text);
  if (kind !== 'Change') return writeFile(path, text);
  const patch = join(folder, 'change.diff');
  await writeFile(patch, `--- a/${file}\n+++ b/${file}\n${text}`);
  await run('git', ['apply', '--recount', patch], { cwd: project, env });
}

/** Texts of a folder's files, by their paths. */
function filesIn(root: string, under: string): Record<string, string> {
  const entries = readdirSync(join(root, under), { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(files.sort().map((file) => [file.slice(root.length + 1), readFileSync(file, 'utf8')]));
}

test('the tutorial, block by block, leads to the workshop', { timeout: 300_000 }, async () => {
  const blocks = blocksOf(page);
  let exports = '';
  let address = '';
  let dev: ReturnType<typeof startProcess> | undefined;
  let from = 0;
  let edited = false;

  /** Waits until `dev` serves what was edited. */
  const applied = async (): Promise<void> => {
    const { stdout } = await run('npx', ['signalbox', 'check'], { cwd: project, env });
    expect(stdout).toContain('no errors');
    const states = () => [...(dev?.output() ?? '').slice(from).matchAll(/^(Reloaded|Not applied)/gm)];
    await poll(
      'the edits to be applied',
      () => states().at(-1)?.[1] === 'Reloaded' || undefined,
      () => dev?.output() ?? '',
    );
    edited = false;
  };

  for (const block of blocks) {
    if (block.kind !== 'commands') {
      if (!edited) from = dev?.output().length ?? 0;
      edited = true;
      await edit(block);
      continue;
    }
    if (/^npx signalbox dev /.test(block.text)) {
      const [command = '', ...args] = block.text.trim().split(' ');
      dev = startProcess(command, args, { cwd: project, env: { ...env, PORT: '0' } });
      const started = dev;
      onTestFinished(async () => void (await started.stop()));
      [, address = ''] = await started.until(/^Signalbox is ready on (http:\S+)/m);
      continue;
    }
    if (edited && block.text.includes('curl ')) await applied();
    const text = block.text.replaceAll('http://127.0.0.1:8080', address);
    const cwd = text.startsWith('mkdir') ? folder : project;
    const { stdout } = await run('bash', ['-euc', exports + text], { cwd, env }).catch((error) => {
      throw new Error(`${text}\n${error.stdout}\n${error.stderr}\n${dev?.output() ?? ''}`);
    });
    exports += text
      .split('\n')
      .filter((line) => line.startsWith('export '))
      .map((line) => `${line}\n`)
      .join('');
    const parts = block.prints.trim().split('…');
    const printed = stdout.replaceAll('\n', '');
    let at = 0;
    for (const part of parts.map((each) => each.replaceAll('\n', ''))) {
      at = printed.indexOf(part, at);
      expect(at, `${text}\nprinted:\n${stdout}\nwithout:\n${part}`).toBeGreaterThanOrEqual(0);
      at += part.length;
    }
  }

  for (const under of ['definitions', 'migrations', 'src', 'test'])
    expect(filesIn(project, under)).toEqual(filesIn(example, under));
  expect(await readFile(join(project, '.env.example'), 'utf8')).toBe(
    await readFile(join(example, '.env.example'), 'utf8'),
  );
});
