import { createRedactor } from '../codec/redact/redactor.ts';
import { secretsOf } from '../load/value/config.ts';
import { Fault } from '../model/fault.ts';
import type { Colors } from './terminal.ts';

/** 0: success; 1: errors were found, or the work failed; 2: wrong usage. */
export type ExitCode = 0 | 1 | 2;

/** A failure that the user can fix: the message is one sentence, the hint states how. */
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

/** A failure because of wrong usage. */
export function wrongUsage(message: string, hint?: string): CliFailure {
  return new CliFailure(message, { hint, exitCode: 2 });
}

/** Ends a command that has already reported everything. */
export class Ended extends Error {
  override readonly name = 'Ended';
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode) {
    super(`ended with ${exitCode}`);
    this.exitCode = exitCode;
  }
}

/**
 * The text of an error: `signalbox: what is wrong`, then how to fix it. Secrets of the configuration, which drivers and targets
 * may repeat, are masked.
 * @param debug whether the stacks of the error and its causes follow
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
  const hint = 'hint' in error && typeof error.hint === 'string' ? error.hint : reasonOf(error);
  return { message: error.message === '' ? error.name : error.message, hint };
}

/** Callers never get the reason of an internal error; whoever has the database and the log may read it. */
function reasonOf(error: Error): string | undefined {
  if (!(error instanceof Fault) || error.code !== 'INTERNAL' || !(error.cause instanceof Error)) return undefined;
  return error.cause.message;
}

function stacks(error: unknown): string[] {
  const found: string[] = [];
  for (let at = error; at instanceof Error; at = at.cause) found.push(at.stack ?? at.message);
  return found;
}
