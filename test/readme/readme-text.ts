import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../cli/support.ts';

/** A fenced block of README.md. */
interface CodeBlock {
  /** The heading that it stands under. */
  readonly section: string;
  /** `sh`, `yaml`, `ts`, or '' where the fence names none. */
  readonly language: string;
  readonly text: string;
}

/** README.md as it stands. */
export const readme = readFileSync(join(repository, 'README.md'), 'utf8');

/** Every fenced block, in order. */
export const blocks: readonly CodeBlock[] = readBlocks(readme);

function readBlocks(text: string): CodeBlock[] {
  const found: CodeBlock[] = [];
  let section = '';
  let open: { language: string; lines: string[] } | undefined;
  for (const line of text.split('\n')) {
    const fence = /^```(\w*)$/.exec(line);
    if (fence !== null && open !== undefined) {
      found.push({ section, language: open.language, text: `${open.lines.join('\n')}\n` });
      open = undefined;
    } else if (fence !== null) open = { language: fence[1] as string, lines: [] };
    else if (open !== undefined) open.lines.push(line);
    else section = /^#+ (.+)$/.exec(line)?.[1] ?? section;
  }
  if (open !== undefined) throw new Error(`README.md: a block under '${section}' does not end.`);
  return found;
}

/** The one block of a language under a heading. */
export function block(section: string, language: string): string {
  const found = blocks.filter((each) => each.section === section && each.language === language);
  const [only] = found;
  if (only === undefined || found.length > 1)
    throw new Error(`README.md has ${found.length} '${language}' blocks under '${section}'.`);
  return only.text;
}

/** A line of a shell block, without its comment, as commands in their order. */
interface ShellCommand {
  readonly section: string;
  readonly command: string;
}

/** Every command of every shell block. */
export const commands: readonly ShellCommand[] = blocks
  .filter(({ language }) => language === 'sh')
  .flatMap(({ section, text }) =>
    text
      .split('\n')
      .map((line) => line.replace(/(^|\s)\s*#.*$/, '').trim())
      .filter((line) => line !== '')
      .flatMap((line) => line.split(' && '))
      .map((command) => ({ section, command })),
  );

/** The commands that begin with a word, such as `curl`. */
export function commandsOf(program: string): readonly ShellCommand[] {
  return commands.filter(({ command }) => command.split(' ', 1)[0] === program);
}

/** Where calls follow on each other; they have a test of their own. */
const inOrder = ['Run queries in every form', 'Schedule processes', 'Save records, and do something about it'] as const;

/** Where a call is of another project than the sample as it stands, or needs the one before. */
const elsewhere: readonly string[] = ['Add an operation by editing YAML', 'Start a project of your own', ...inOrder];

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
