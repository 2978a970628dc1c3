import { createGzip } from 'node:zlib';
import { measured } from '../../wire/measured.ts';
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
  const { length, again } = outgoing;
  const { options } = sending;
  if (!again) sending.isSpent = true;
  let sent = 0;
  try {
    const content = { length, stream: () => outgoing.bytes() };
    for await (const chunk of measured(content, (total, seen) => changed(called, total, seen))) {
      yield chunk;
      sent += chunk.length;
      options.onSent?.(sent, length);
    }
  } catch (error) {
    if (error instanceof InvokeError) throw error;
    const reason = `the input could not be read: ${error instanceof Error ? error.message : String(error)}`;
    throw new InvokeError('BAD_INPUT', called, reason, { cause: error });
  }
}

/** Content-Length has been sent by then, so that nothing but the end of the connection can mend it. */
function changed(called: Called, total: number, seen: number | undefined): InvokeError {
  const found = seen === undefined ? 'more came' : `only ${seen} came`;
  const reason = `the content changed while it was read: it was ${total} bytes long, and ${found}`;
  return new InvokeError('BAD_INPUT', called, reason, { hint: 'Send it once nothing writes to it any more.' });
}
