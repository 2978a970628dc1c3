import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadFiles } from '../../src/load/load.ts';
import { repository, signalbox } from '../cli/support.ts';
import { projectOf } from '../load/project-text.ts';
import { subcommand } from '../support/commands.ts';
import { commandsIn, readBlocks } from '../support/markdown.ts';

/** What completes each sample: what its last definition lacks, and definitions that it speaks of. */
const COMPLETED = {
  'docs/security.md': [
    '---\nrole: LOCATION_READER\npermission-lists: []\n',
    'operations: { REPORT_GET: { get: Report, public: true, response: { fields: { TEXT: string } } } }\n',
    '',
  ],
  'docs/ws-security.md': ['---\nrole: PARTNER\npermission-lists: []\n'],
  'docs/fleet.md': [''],
} as const;

describe.each(Object.entries(COMPLETED))('%s', (file, completed) => {
  const text = readFileSync(join(repository, file), 'utf8');
  const blocks = readBlocks(text, file);
  const samples = blocks.filter(({ language }) => language === 'yaml');

  test('has no other samples than those that are tried here', () => {
    expect(samples.length).toBe(completed.length);
  });

  test.each(completed.map((more, index) => ({ more, index })))('sample $index loads', ({ more, index }) => {
    const sample = samples[index]?.text ?? '';
    const { diagnostics } = loadFiles(projectOf(`${sample}${more}`), 'ignore-missing');
    expect(diagnostics.map(({ code, message }) => `${code}: ${message}`)).toEqual([]);
  });

  test('its commands are there, with their options', () => {
    const { scripts } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as { scripts: object };
    for (const { command } of commandsIn(blocks)) {
      const words = command.replace(/^npx /, '').split(' ');
      if (words[0] === 'export') continue;
      expect(words.shift(), command).toBe('signalbox');
      subcommand(words);
    }
    for (const [, name = ''] of text.matchAll(/`npm run ([\w:]+)/g)) expect(scripts).toHaveProperty([name]);
  });

  const answered = commandsIn(blocks).filter(({ command }) => /^npx signalbox (?:who-can|can) /.test(command));

  test.each(answered)('the sample answers: $command', async ({ command }) => {
    const { code, stderr } = await signalbox(command.split(' ').slice(2), { cwd: repository });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  test('what it names is there', () => {
    for (const [, link = ''] of text.matchAll(/\]\(([^)#]+)[^)]*\)/g))
      expect(() => readFileSync(join(repository, 'docs', link)), link).not.toThrow();
  });
});
