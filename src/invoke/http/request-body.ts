import { createGzip } from 'node:zlib';
import { type Called, InvokeError } from '../error.ts';
import type { Outgoing } from '../outgoing.ts';
import { through } from './decoding.ts';
import type { Sending } from './sending.ts';

/** The body of a request as it travels; undefined where there is none. */
export function bodyOf(
  outgoing: Outgoing,
  sending: Sending,
  called: Called,
): string | AsyncIterable<Uint8Array> | undefined {
  const { text, compress, length } = outgoing;
  if (length === 0) return undefined;
  if (text !== undefined && !compress && sending.options.onSent === undefined) return text;
  const bytes = counted(outgoing, sending, called);
  return compress ? through(bytes, createGzip()) : bytes;
}

/** What is read for a body, told as it is taken. @throws InvokeError BAD_INPUT */
async function* counted(outgoing: Outgoing, sending: Sending, called: Called): AsyncGenerator<Uint8Array> {
  const { length: total } = outgoing;
  const { options } = sending;
  if (!outgoing.again) sending.isSpent = true;
  let sent = 0;
  try {
    for await (const chunk of outgoing.bytes()) {
      if (total !== undefined && sent + chunk.length > total) throw changed(called, total, 'more');
      yield chunk;
      sent += chunk.length;
      options.onSent?.(sent, total);
    }
  } catch (error) {
    if (error instanceof InvokeError) throw error;
    const reason = `the input could not be read: ${error instanceof Error ? error.message : String(error)}`;
    throw new InvokeError('BAD_INPUT', called, reason, { cause: error });
  }
  if (total !== undefined && sent < total) throw changed(called, total, 'only', sent);
}

/** Content-Length has been sent by then, so that nothing but the end of the connection can mend it. */
function changed(called: Called, total: number, than: 'more' | 'only', sent?: number): InvokeError {
  const found = than === 'more' ? 'more came' : `only ${sent} came`;
  const reason = `the content changed while it was read: it was ${total} bytes long, and ${found}`;
  return new InvokeError('BAD_INPUT', called, reason, { hint: 'Send it once nothing writes to it any more.' });
}
