import { CodecError } from '../codec/index.ts';
import { Fault } from '../model/fault.ts';
import type { ReplyForm } from '../model/service.ts';
import { MultipartError } from '../wire/multipart/read.ts';
import { XopError } from '../wire/soap/xop.ts';
import { XmlError } from '../wire/xml/read.ts';

/** The key of the content in the value of a message without a document. */
export const CONTENT = 'content';

/** How a reply is written; `soap` in an envelope. */
export type Format = ReplyForm['format'] | 'soap';

/** Runs a codec's reader; converts its error to the fault that names the parameter. */
export function guard<T, R>(label: string, read: (from: T) => R, from: T): R {
  try {
    return read(from);
  } catch (error) {
    if (error instanceof CodecError) throw Fault.of('BAD_PARAMETER', { name: label, reason: error.reason });
    throw error;
  }
}

/** The same for a check of several fields: the path of the error is the name. */
export function naming<R>(check: () => R): R {
  try {
    return check();
  } catch (error) {
    if (error instanceof CodecError) throw Fault.of('BAD_PARAMETER', { name: error.path, reason: error.reason });
    throw error;
  }
}

/**
 * The same for a whole message: an error about all of it becomes one about the body, other errors name their place.
 * @param whole the codec's name for the whole message
 */
export function reading<T>(read: () => T, whole = ''): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof CodecError)) throw error;
    if (error.path === '' || error.path === whole) throw Fault.of('BAD_BODY', { reason: `it ${error.reason}` });
    throw Fault.of('BAD_PARAMETER', { name: error.path, reason: error.reason });
  }
}

/** The fault for an error in a message's wire form; other errors are returned as they are. */
export function asFault(error: unknown): unknown {
  if (error instanceof XmlError) return Fault.of('BAD_BODY', { reason: `its XML is wrong: ${error.message}` });
  if (error instanceof MultipartError) return Fault.of('BAD_BODY', { reason: `its parts are wrong: ${error.reason}` });
  if (error instanceof XopError) return Fault.of('BAD_BODY', { reason: error.reason });
  return error;
}

/** Runs a reader and converts its errors to faults. */
export function speaking<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw asFault(error);
  }
}
