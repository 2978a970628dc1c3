import { Fault } from '../model/fault.ts';
import { MultipartError } from '../wire/multipart/read.ts';
import { XopError } from '../wire/soap/xop.ts';
import { XmlError } from '../wire/xml/read.ts';

/** What is wrong with a message's wire form, as the fault that tells a caller; other errors as they are. */
export function asFault(error: unknown): unknown {
  if (error instanceof XmlError) {
    const place = error.line > 0 ? ` (line ${error.line}, column ${error.column})` : '';
    return Fault.of('BAD_BODY', { reason: `its XML is wrong: ${error.reason}${place}` });
  }
  if (error instanceof MultipartError) return Fault.of('BAD_BODY', { reason: `its parts are wrong: ${error.reason}` });
  if (error instanceof XopError) return Fault.of('BAD_BODY', { reason: error.reason });
  return error;
}

/** Runs a reader whose complaints become faults. */
export function speaking<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw asFault(error);
  }
}
