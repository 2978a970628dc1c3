import { Fault } from '../model/fault.ts';
import { WorkerDied } from '../store/index.ts';

/** An attempt took longer than its process may. */
export class AttemptTimeout extends Error {
  override readonly name = 'AttemptTimeout';
}

/**
 * What a message log says of an error. Its readers are callers: a process's own words reach them, those of a database or
 * an operating system, which may hold SQL or addresses, stay in the gateway's log.
 */
export function errorWords(error: unknown): string {
  if (error instanceof Fault || error instanceof AttemptTimeout) return error.message;
  if (error instanceof WorkerDied) return 'The gateway that ran it has ended.';
  if (!(error instanceof Error)) return 'It failed.';
  const isForeign = 'code' in error || 'errno' in error || error.cause !== undefined;
  const words = isForeign ? '' : (error.message.split('\n', 1)[0] ?? '').trim();
  return words === '' ? `It failed with ${error.name}; the gateway's log says more.` : words;
}

/** A Fault of a caller's making, or of the process's own: another attempt would not help. */
export function isFinal(error: unknown): error is Fault {
  return error instanceof Fault && error.status < 500;
}
