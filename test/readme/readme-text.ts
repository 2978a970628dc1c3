import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../cli/support.ts';
import { type CodeBlock, commandsIn, readBlocks, type ShellCommand } from '../support/markdown.ts';

/** The pages that a newcomer reads first, as they stand. */
export const pages: readonly { readonly file: string; readonly text: string }[] = ['README.md', 'docs/guide.md'].map(
  (file) => ({ file, text: readFileSync(join(repository, file), 'utf8') }),
);

/** All that stands in them. */
export const readme = pages.map(({ text }) => text).join('\n');

/** Every fenced block, in order. */
export const blocks: readonly CodeBlock[] = pages.flatMap(({ file, text }) => readBlocks(text, file));

/** The one block of a language under a heading. */
export function block(section: string, language: string): string {
  const found = blocks.filter((each) => each.section === section && each.language === language);
  const [only] = found;
  if (only === undefined || found.length > 1)
    throw new Error(`The pages have ${found.length} '${language}' blocks under '${section}'.`);
  return only.text;
}

/** Every command of every shell block. */
export const commands: readonly ShellCommand[] = commandsIn(blocks);

/** The commands that begin with a word, such as `curl`. */
export function commandsOf(program: string): readonly ShellCommand[] {
  return commands.filter(({ command }) => command.split(' ', 1)[0] === program);
}

/** Where calls follow on each other; they have a test of their own. */
const inOrder = [
  'Run queries in every form',
  'Schedule processes',
  'Save records, and react to saves',
  'Grant permissions',
] as const;

/** Where a call is of another project than the sample as it stands, or needs the one before. */
export const elsewhere: readonly string[] = [
  'Add an operation by editing YAML',
  'Add a second version of a service',
  'Let a new version answer the old one',
  'Start a project of your own',
  ...inOrder,
];

/** A section whose calls follow on each other. */
export type OrderedSection = (typeof inOrder)[number];

/** The `curl` lines that the sample answers as it stands. */
export const sampleCalls: readonly string[] = commandsOf('curl')
  .filter(({ section }) => !elsewhere.includes(section))
  .map(({ command }) => command);

/** The address that the README calls the gateway by. */
export const shownAddress = 'http://127.0.0.1:8080';

/** A command of the README, sent to another address. */
export function at(address: string, command: string): string {
  if (!command.includes(shownAddress)) throw new Error(`'${command}' does not call ${shownAddress}.`);
  return command.replaceAll(shownAddress, address);
}
