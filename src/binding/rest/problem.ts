import { STATUS_CODES } from 'node:http';
import type { Fault } from '../../model/fault.ts';
import { problemJson } from '../../wire/problem.ts';

/** A fault as problem details (RFC 9457), where there is no fault document for it. */
export function problemText({ status, message, detail, code }: Fault, requestId: string): string {
  const title = STATUS_CODES[status] ?? String(status);
  return problemJson({ status, title, detail: detail === '' ? message : `${message} ${detail}`, code, requestId });
}
