import { createRedactor } from '../codec/redact/redactor.ts';
import { secretsOf } from '../load/value/config.ts';
import type { Colors } from './terminal.ts';

/** 0 is success; 1: mistakes were found, or the work failed; 2: the command was not understood. */
export type ExitCode = 0 | 1 | 2;

/** An end of a command that is the user's to mend: one sentence, and a hint that says how. */
export class CliFailure extends Error {
  override readonly name = 'CliFailure';
  readonly exitCode: ExitCode;
  readonly hint: string | undefined;

  constructor(message: string, options: { hint?: string | undefined; exitCode?: ExitCode; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.exitCode = options.exitCode ?? 1;
    this.hint = options.hint;
  }
}

/** A command line that was not understood. */
export function wrongUsage(message: string, hint?: string): CliFailure {
  return new CliFailure(message, { hint, exitCode: 2 });
}

/** A command that has said all there is to say, and ends with this code. */
export class Ended extends Error {
  override readonly name = 'Ended';
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode) {
    super(`ended with ${exitCode}`);
    this.exitCode = exitCode;
  }
}

/**
 * The one style of errors: `signalbox: what is wrong`, then how to mend it; without the secrets of the configuration, which
 * drivers and targets may repeat.
 * @param debug the stack follows, and those of its causes
 */
export function renderFailure(
  error: unknown,
  colours: Colors,
  debug = (process.env.SIGNALBOX_DEBUG ?? '') !== '',
): string {
  const { message, hint } = describeError(error);
  const lines = [`${colours.red(colours.bold('signalbox:'))} ${message}`];
  if (hint !== undefined) lines.push(...hint.split('\n').map((line) => `  ${line}`));
  if (debug) lines.push(...stacks(error));
  return createRedactor(() => secretsOf(process.env)).text(`${lines.join('\n')}\n`);
}

function describeError(error: unknown): { message: string; hint: string | undefined } {
  if (!(error instanceof Error)) return { message: String(error), hint: undefined };
  const hint = 'hint' in error && typeof error.hint === 'string' ? error.hint : undefined;
  return { message: error.message === '' ? error.name : error.message, hint };
}

function stacks(error: unknown): string[] {
  const found: string[] = [];
  for (let at = error; at instanceof Error; at = at.cause) found.push(at.stack ?? at.message);
  return found;
}
