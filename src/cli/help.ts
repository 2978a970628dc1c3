import { type Argument, type Command, Help, InvalidArgumentError, type Option } from 'commander';
import { durationMeant, readDuration } from '../wire/duration.ts';
import { readMoment as momentOf } from '../wire/moment.ts';
import { anyOf } from '../wire/words.ts';

/** The help of a command below its options. */
export interface HelpTexts {
  /** Command lines that work with the sample registry, with an optional comment `  # ...`. */
  readonly examples: readonly string[];
  /** Further paragraphs. */
  readonly notes?: readonly string[];
  /** The meanings of exit codes 0 and 1, if they differ from the usual ones. */
  readonly exits?: readonly [done: string, failed: string];
}

/** Description of the option `--json`. */
export const AS_JSON = 'write the result as JSON, for programs';

const LONGEST = 36_500 * 86_400_000;

/** Reads the value of an option that takes a time. @returns milliseconds */
export function readTime(text: string): number {
  const time = readDuration(text);
  if (time === undefined || time < 1 || time > LONGEST) throw new InvalidArgumentError(timeExpected(text));
  return time;
}

function timeExpected(text: string): string {
  const meant = durationMeant(text).map((each) => `'${each}'`);
  return meant.length > 0
    ? `Write ${anyOf(meant)}.`
    : "It takes a time such as '90 d', '12 h' or '30 m', from 1 ms to 36500 d.";
}

/** Reads the value of an option that takes a moment, or how long ago it was. */
export function readMoment(text: string): Date {
  const at = momentOf(text, Date.now());
  if (at !== undefined) return at;
  throw new InvalidArgumentError(
    /^\d{4}-/.test(text)
      ? "It takes a time such as '2026-03-01T12:00Z', or how long ago it was, such as '1 h'."
      : timeExpected(text),
  );
}

const WIDEST = 100;
const EXITS = ['done', 'the definitions contain errors, or the work failed'] as const;

const texts = new WeakMap<Command, HelpTexts>();

/** Adds examples, notes and exit codes to the help of a command. */
export function explain(command: Command, text: HelpTexts): Command {
  texts.set(command, text);
  return command;
}

/** The layout of all help: a sentence, usage, arguments, commands, options, examples, notes, exit codes. */
export const helpLayout: Partial<Help> = {
  helpWidth: Math.min(process.stdout.columns ?? 80, WIDEST),
  subcommandTerm: (command) => command.name(),
  optionDescription: (option) => described(option),
  argumentDescription: (argument) => described(argument),
  visibleOptions(command) {
    const own = Help.prototype.visibleOptions.call(this, command);
    // The options of the program apply everywhere, except --version. --help comes last.
    const global = command.parent === null ? [] : programOf(command).options.filter(({ long }) => long !== '--version');
    return [...own.slice(0, -1), ...global, ...own.slice(-1)];
  },
  formatHelp(command, helper) {
    const { examples = [], notes = [], exits = EXITS } = texts.get(command) ?? {};
    const width = helper.helpWidth ?? WIDEST;
    const terms = helper.padWidth(command, helper);
    const item = (term: string, description: string): string => helper.formatItem(term, terms, description, helper);
    const parts = [
      helper.boxWrap(sentence(helper.commandDescription(command)), width),
      `Usage: ${helper.commandUsage(command)}`,
      list(
        'Arguments',
        helper
          .visibleArguments(command)
          .map((each) => item(helper.argumentTerm(each), helper.argumentDescription(each))),
      ),
      list(
        'Commands',
        helper.visibleCommands(command).map((each) => item(each.name(), helper.subcommandDescription(each))),
      ),
      list(
        'Options',
        helper.visibleOptions(command).map((each) => item(helper.optionTerm(each), helper.optionDescription(each))),
      ),
      list('Examples', examples.flatMap(exampleLines)),
      ...notes.map((note) => helper.boxWrap(note, width)),
      helper.boxWrap(`Exit codes: 0 ${exits[0]}; 1 ${exits[1]}; 2 wrong usage.`, width),
    ];
    return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
  },
};

function programOf(command: Command): Command {
  return command.parent === null ? command : programOf(command.parent);
}

function list(heading: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : [`${heading}:`, ...lines].join('\n');
}

/** A comment is on a line of its own: an interactive zsh takes one behind a command for arguments. */
function exampleLines(example: string): string[] {
  const [command = '', comment] = example.split(/ +# /);
  return comment === undefined ? [`  ${command}`] : [`  # ${comment}`, `  ${command}`];
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.?$/, '.')}`;
}

/** `how rows are written: table, json, csv or xml (default: table)` */
function described({ description, argChoices, defaultValue }: Option | Argument): string {
  const choices = argChoices === undefined ? '' : `: ${eitherOf(argChoices)}`;
  const otherwise = typeof defaultValue === 'string' ? ` (default: ${defaultValue})` : '';
  return `${description}${choices}${otherwise}`;
}

/** Its formatter is made when it is needed: the first one of a process takes 35 ms. */
function eitherOf(words: readonly string[]): string {
  return new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(words);
}
