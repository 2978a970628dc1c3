import { stdSerializers } from 'pino';
import { InvokeError } from '../../invoke/error.ts';
import { MASK } from '../../model/redactor.ts';
import { causesOf } from './causes.ts';

/**
 * What the log says of an error. Of a call to another system that is what is needed to find it there, and neither what was
 * sent nor what came back: payloads are not for the log.
 */
export function loggedError(error: unknown): unknown {
  if (!(error instanceof InvokeError)) return error instanceof Error ? withoutRows(error) : error;
  const { name, message, code, called, httpResponseCode, hint, cause } = error;
  return {
    type: name,
    message,
    code,
    ...called,
    ...(httpResponseCode === undefined ? {} : { httpResponseCode }),
    ...(hint === undefined ? {} : { hint }),
    ...(cause instanceof Error ? { cause: loggedCause(cause) } : {}),
  };
}

/** What PostgreSQL adds to an error that quotes values: of rows (`detail`), of what was bound (`where`). */
const QUOTING = ['detail', 'where', 'hint', 'internalQuery', 'query', 'parameters'] as const;

/** An error without the values that a database repeats in it, which may be those of sensitive fields. */
function withoutRows(error: Error): unknown {
  const shown: Record<string, unknown> = { ...stdSerializers.err(error) };
  for (const each of causesOf(error)) {
    if (!isOfPostgres(each)) continue;
    if (each === error) for (const name of QUOTING) delete shown[name];
    // Class 22, data exceptions: `invalid input syntax for type integer: "..."`.
    if (!each.code.startsWith('22')) continue;
    const told = each.message.replace(/(["'«„]).*["'»“]/gs, MASK);
    for (const name of ['message', 'stack'])
      if (typeof shown[name] === 'string') shown[name] = shown[name].replaceAll(each.message, () => told);
  }
  delete shown.raw;
  return shown;
}

function isOfPostgres(error: Error): error is Error & { readonly code: string } {
  return 'severity' in error && 'code' in error && typeof error.code === 'string';
}

function loggedCause(cause: Error): unknown {
  return cause instanceof InvokeError ? loggedError(cause) : { type: cause.name, message: cause.message };
}
