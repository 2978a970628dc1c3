import { Command, CommanderError } from 'commander';
import { takeEnvFiles } from './env-file.ts';
import { CliFailure, Ended, type ExitCode, renderFailure, wrongUsage } from './failure.ts';
import { refuseFormer } from './former-commands.ts';
import { explain, type HelpTexts, helpLayout } from './help.ts';
import { packageVersion } from './package-info.ts';
import { coloursOf, outliveOutput, setWide } from './terminal.ts';

const overview: HelpTexts = {
  examples: [
    'signalbox init my-gateway  # create a project',
    'signalbox dev  # run the gateway and apply every edit',
    'signalbox check  # report every error in the definitions',
    'signalbox describe wadl Locations.v1  # write a contract for a partner',
    'signalbox serve  # run the gateway',
  ],
  notes: [
    'SIGNALBOX_DEBUG=1 adds stack traces to errors; NO_COLOR and FORCE_COLOR switch colour off and on. With --json a command writes nothing but JSON to standard output.',
  ],
};

/** Runs a command line, without `node` and the script, and prints errors. @returns the exit code of the process */
export async function run(argv: readonly string[]): Promise<ExitCode> {
  outliveOutput();
  try {
    await (await createProgram(argv)).parseAsync(argv, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof Ended) return error.exitCode;
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    // Commander has printed the help, since no command was given.
    if (error instanceof CommanderError && error.code === 'commander.help') return 2;
    process.stderr.write(renderFailure(error, coloursOf(process.stderr)));
    return error instanceof CliFailure ? error.exitCode : 1;
  }
}

/** The commands, in the order of the help. Each is loaded when it is needed: all of them take 30 ms. */
const COMMANDS: Readonly<Record<string, () => Promise<(program: Command) => void>>> = {
  check: async () => (await import('./check/check.ts')).addCheck,
  generate: async () => (await import('./generate.ts')).addGenerate,
  diff: async () => (await import('./diff/diff.ts')).addDiff,
  serve: async () => (await import('./serve.ts')).addServe,
  health: async () => (await import('./health.ts')).addHealth,
  dev: async () => (await import('./dev/dev.ts')).addDev,
  mock: async () => (await import('./mock.ts')).addMock,
  describe: async () => (await import('./describe.ts')).addDescribe,
  routes: async () => (await import('./routes.ts')).addRoutes,
  query: async () => (await import('./query.ts')).addQuery,
  process: async () => (await import('./process/process.ts')).addProcess,
  migrate: async () => (await import('./migrate.ts')).addMigrate,
  data: async () => (await import('./data.ts')).addData,
  invoke: async () => (await import('./invoke/invoke.ts')).addInvoke,
  node: async () => (await import('./node.ts')).addNode,
  queue: async () => (await import('./queue.ts')).addQueue,
  message: async () => (await import('../messaging/cli/message.ts')).addMessage,
  stats: async () => (await import('./stats.ts')).addStats,
  user: async () => (await import('./user/user.ts')).addUser,
  'who-can': async () => (await import('./grants.ts')).addWhoCan,
  can: async () => (await import('./grants.ts')).addCan,
  env: async () => (await import('./env.ts')).addEnv,
  doctor: async () => (await import('./doctor/doctor.ts')).addDoctor,
  import: async () => (await import('./import/import.ts')).addImport,
  init: async () => (await import('./init.ts')).addInit,
};

/** The names of the commands that a command line needs. An option in front of the command, or a help, needs all. */
function neededBy([first = '', ...rest]: readonly string[]): readonly string[] {
  if (Object.hasOwn(COMMANDS, first)) return [first];
  return (first === '--version' || first === '-V') && rest.length === 0 ? [] : Object.keys(COMMANDS);
}

/** The program with the commands that a command line needs; with all of them by default. */
export async function createProgram(argv: readonly string[] = []): Promise<Command> {
  const program = new Command('signalbox')
    .description('A service registry that runs: services in YAML, with contracts, typed handlers and a gateway.')
    .version(packageVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .option('--definitions <dir>', 'folder of the definitions (default: definitions)')
    .option('--env-file <file>', 'file with environment variables, instead of .env; can be repeated', collected)
    .option('--no-env-file', 'read no file with environment variables')
    .hook('preAction', (program) => takeEnvFiles(program.opts<{ envFile?: string[] | false }>().envFile))
    .option('--wide', 'write tables at their full width, instead of that of the terminal or COLUMNS')
    .hook('preAction', (_, command) => setWide(command.optsWithGlobals<{ wide?: true }>().wide === true))
    .configureHelp(helpLayout)
    .configureOutput({ outputError: () => undefined });
  const adds = await Promise.all(neededBy(argv).map((name) => COMMANDS[name]?.()));
  for (const add of adds) add?.(program);
  rethrowAll(program);
  return explain(program, overview);
}

/** The values of an option that can be repeated. */
function collected(file: string, before: readonly string[] | boolean | undefined): string[] {
  return [...(Array.isArray(before) ? before : []), file];
}

function rethrowAll(command: Command): void {
  command.exitOverride((error) => rethrow(error, command));
  for (const below of command.commands) rethrowAll(below);
}

/** `signalbox user add`. */
function nameOf(command: Command): string {
  return command.parent === null ? command.name() : `${nameOf(command.parent)} ${command.name()}`;
}

/** Rewrites commander's messages in our style: what is wrong, and in a second line how to fix it. */
function rethrow(error: CommanderError, command: Command): never {
  if (error.exitCode === 0 || error.code === 'commander.help') throw error;
  const [words = '', suggestion] = error.message.replace(/^error: /, '').split(/\n\(?(.*?)\)?$/s);
  const [, what = '', why] = /^(.*?)(?:\. (.*))?$/s.exec(words.replace(INVALID, "$1$2 can't be $3")) ?? [];
  const usage = `'${nameOf(command)} --help' shows the usage.`;
  refuseFormer(command);
  const instead =
    error.code === 'commander.unknownCommand' ? COUNTERPARTS.get(/'(.*)'/.exec(what)?.[1] ?? '') : undefined;
  if (instead !== undefined) throw wrongUsage(what, `Did you mean ${instead}?`);
  throw wrongUsage(what, suggestion ?? (why === undefined ? usage : `${why}\n${usage}`));
}

/** Words of other programs for commands. */
const COUNTERPARTS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...{ start: 'serve', run: 'serve', up: 'serve', watch: 'dev', validate: 'check', lint: 'check', verify: 'check' },
    ...{ compare: 'diff', changes: 'diff' },
    ...{ new: 'init', create: 'init', build: 'generate', codegen: 'generate', call: 'invoke', curl: 'invoke' },
    ...{
      wsdl: 'describe wsdl',
      openapi: 'describe openapi',
      wadl: 'describe wadl',
      xsd: 'describe xsd',
      users: 'user',
    },
  }),
);

/** Commander's `option '--maxrows <number>' argument '-1' is invalid`, and its message for an argument. */
const INVALID =
  /^(?:option '(?:-\w, )?(--[\w-]+)[^']*' argument|command-argument value (?='.*' is invalid for argument '(\w+)')) ?('.*') is invalid(?: for argument '\w+')?/s;
