import { Command, CommanderError } from 'commander';
import { addCheck } from './check.ts';
import { addDescribe } from './describe.ts';
import { addDev } from './dev/dev.ts';
import { CliFailure, Ended, type ExitCode, renderFailure, wrongUsage } from './failure.ts';
import { addGenerate } from './generate.ts';
import { addCan } from './grants/can.ts';
import { addWhoCan } from './grants/who-can.ts';
import { addInit } from './init/init.ts';
import { addInvoke } from './invoke/invoke.ts';
import { addMigrate } from './migrate.ts';
import { packageVersion } from './package-info.ts';
import { addQuery } from './query.ts';
import { addRoutes } from './routes.ts';
import { addServe } from './serve/serve.ts';
import { coloursOf, outliveOutput } from './terminal.ts';
import { addUser } from './user/user.ts';

const overview = `
Examples:
  signalbox init my-gateway             a new project that starts at once
  signalbox dev                         the gateway, following every edit
  signalbox check                       every mistake in the definitions, with its place
  signalbox describe wadl Locations.v1  a contract for a partner
  signalbox serve                       the gateway

Exit codes: 0 done, 1 mistakes were found or the work failed, 2 the command was not understood.
SIGNALBOX_DEBUG=1 adds stack traces to errors; NO_COLOR and FORCE_COLOR decide on colour.`;

/** Runs one command line, without `node` and the script. Prints errors itself; the result is the process's exit code. */
export async function run(argv: readonly string[]): Promise<ExitCode> {
  outliveOutput();
  try {
    await createProgram().parseAsync(argv, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof Ended) return error.exitCode;
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    // Commander has printed the help that stands in for a missing command.
    if (error instanceof CommanderError && error.code === 'commander.help') return 2;
    const debug = (process.env.SIGNALBOX_DEBUG ?? '') !== '';
    process.stderr.write(renderFailure(error, coloursOf(process.stderr), debug));
    return error instanceof CliFailure ? error.exitCode : 1;
  }
}

/** All commands and their options. */
export function createProgram(): Command {
  const program = new Command('signalbox')
    .description(
      'A service registry that runs: services described in YAML, their contracts, typed handlers and gateway.',
    )
    .version(packageVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .option('--definitions <dir>', "folder of the definitions (default: 'definitions')")
    .addHelpText('after', overview)
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ outputError: () => undefined });
  const commands = [addCheck, addGenerate, addServe, addDev, addDescribe, addRoutes, addQuery, addMigrate, addInvoke];
  for (const add of [...commands, addUser, addWhoCan, addCan, addInit]) add(program);
  rethrowAll(program);
  return program;
}

function rethrowAll(command: Command): void {
  command.exitOverride((error) => rethrow(error, command));
  for (const below of command.commands) rethrowAll(below);
}

/** `signalbox user add`. */
function nameOf(command: Command): string {
  return command.parent === null ? command.name() : `${nameOf(command.parent)} ${command.name()}`;
}

/** Commander's words for a command line that it can't read, in our style. */
function rethrow(error: CommanderError, command: Command): never {
  if (error.exitCode === 0 || error.code === 'commander.help') throw error;
  const [message = '', ...rest] = error.message.split('\n');
  const suggestion = rest.join('\n').replace(/^\((.*)\)$/s, '$1');
  throw wrongUsage(
    message.replace(/^error: /, ''),
    suggestion === '' ? `'${nameOf(command)} --help' shows how it is used.` : suggestion,
  );
}
