import { stdSerializers } from 'pino';
import { InvokeError } from '../invoke/error.ts';

/**
 * What the log says of an error. Of a call to another system that is what is needed to find it there, and neither what was
 * sent nor what came back: payloads are not for the log.
 */
export function loggedError(error: unknown): unknown {
  if (!(error instanceof InvokeError)) return error instanceof Error ? stdSerializers.err(error) : error;
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

function loggedCause(cause: Error): unknown {
  return cause instanceof InvokeError ? loggedError(cause) : { type: cause.name, message: cause.message };
}
