import { problemText } from '../../binding/rest/problem.ts';
import type { Fault } from '../../model/fault.ts';
import { problemMediaType } from '../../wire/problem.ts';

/** What is sent where nothing reaches the app: problem details, and the end of the connection. */
export function refusalOf(
  fault: Fault,
  requestId: string,
): { readonly text: string; readonly bytes: number; readonly headers: Readonly<Record<string, string>> } {
  const text = problemText(fault, requestId);
  const bytes = Buffer.byteLength(text);
  const headers = {
    'Content-Type': problemMediaType,
    'Content-Length': String(bytes),
    'X-Request-Id': requestId,
    ...fault.headers,
    Connection: 'close',
  };
  return { text, bytes, headers };
}
