import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadFiles } from '../../src/load/load.ts';
import { repository, signalbox } from '../cli/support.ts';
import { projectOf } from '../load/project-text.ts';
import { subcommand } from '../support/commands.ts';
import { commandsIn, headingIds, proseOf, readBlocks } from '../support/markdown.ts';
import { COMPLETED } from './completed.ts';

/** The first two are made of catalogues, whose samples other tests take; the others have tests of their own (of the tutorial, test/workshop). */
const TRIED_ELSEWHERE = [
  'docs/compatibility.md',
  'docs/diagnostics.md',
  'docs/guide.md',
  'docs/handlers.md',
  'docs/testing.md',
  'docs/tutorial.md',
  'README.md',
];

const read = (file: string): string => readFileSync(join(repository, file), 'utf8');
interface Manifest {
  readonly scripts: Readonly<Record<string, string>>;
  readonly version: string;
}
const { scripts, version } = JSON.parse(read('package.json')) as Manifest;
/** Of a project that `signalbox init` creates. */
const ofProjects = (JSON.parse(read('examples/new/package.json')) as Manifest).scripts;

/** What stands behind each first word of a command. */
const CHECKS: Readonly<Record<string, (words: readonly string[]) => void>> = {
  signalbox: (words) => void subcommand(words),
  npx([name, ...words]) {
    expect(name).toBe('signalbox');
    subcommand(words);
  },
  npm([name = '', script = '']) {
    // The last two are tried on the package itself (test/interop/package.test.ts).
    if (!['ci', 'install', 'publish', 'sbom'].includes(name))
      expect({ ...ofProjects, ...scripts }).toHaveProperty([name === 'run' ? script : name]);
  },
  // test/interop/prometheus runs these.
  promtool: ([, , file = '']) => expect(existsSync(join(repository, file)), file).toBe(true),
  export: ([setting]) => expect(setting).toMatch(/^DATABASE_URL=postgres:/),
};

/** Commands of other makers, which a test of that suite runs: those of these sections. */
const RUN_BY_INTEROP = ['SQLite', 'PostgreSQL'];

test('every document is tried', () => {
  const files = [...readdirSync(repository), ...readdirSync(join(repository, 'docs')).map((name) => `docs/${name}`)];
  const pages = files.filter((name) => name.endsWith('.md'));
  expect([...Object.keys(COMPLETED), ...TRIED_ELSEWHERE].sort()).toEqual(pages.sort());
});

test('the changelog begins with this version', () => {
  expect(/^## \[(.+)\] - \d{4}-\d\d-\d\d$/m.exec(read('CHANGELOG.md'))?.[1]).toBe(version);
});

describe.each(Object.entries(COMPLETED))('%s', (file, completed) => {
  const text = read(file);
  const prose = proseOf(text);
  const [own = ''] = text.split('\n## Kinds and keys\n');
  const blocks = readBlocks(own, file);
  const samples = blocks.filter(({ language }) => language === 'yaml');
  const commands = commandsIn(blocks).filter(
    ({ section }) => file !== 'docs/operating.md' || !RUN_BY_INTEROP.includes(section),
  );

  test('has no other samples than those that are tried here', () => {
    expect(samples.length).toBe(completed.length);
  });

  test.each(completed.map((more, index) => ({ more, index })))('sample $index loads', ({ more, index }) => {
    const texts = samples.map((sample) => sample.text);
    const text = typeof more === 'string' ? `${texts[index]}${more}` : more(texts);
    const { diagnostics } = loadFiles(projectOf(text), 'ignore-missing');
    expect(diagnostics.map(({ code, message }) => `${code}: ${message}`)).toEqual([]);
  });

  test('its commands are there, with their options', () => {
    const unit = [...text.matchAll(/^ExecStart=.*\/signalbox (.+)$/gm)].map(([, words]) => `signalbox ${words}`);
    const inProse = [...prose.matchAll(/`((?:npx|npm|signalbox) [^`]+)`/g)].map(([, words = '']) => words);
    for (const command of [...commands.map((each) => each.command), ...inProse, ...unit]) {
      const [word = '', ...rest] = command.split(' ');
      const check = CHECKS[word] ?? (() => expect(existsSync(join(repository, word)), command).toBe(true));
      check(rest);
    }
  });

  const answered = commands.filter(({ command }) => /^npx signalbox (?:who-can|can) /.test(command));

  test.each(answered)('the sample answers: $command', async ({ command }) => {
    const { code, stderr } = await signalbox(command.split(' ').slice(2), { cwd: repository });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  test('what it links to and names is there', () => {
    const links = [...prose.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)];
    for (const [link, path = '', id] of links) {
      const target = path === '' ? file : join(dirname(file), path);
      expect(existsSync(join(repository, target)), link).toBe(true);
      if (id !== undefined) expect(headingIds(read(target)), link).toContain(id);
    }
    for (const [, path = ''] of prose.matchAll(/`((?:src|test|scripts|docs|definitions|generated|\.ci)\/[\w./-]*)`/g))
      expect({ path, there: existsSync(join(repository, path)) }).toEqual({ path, there: true });
  });
});
