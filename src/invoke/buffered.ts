import { gzipSync } from 'node:zlib';
import { messageOf } from '../wire/error.ts';
import { measured } from '../wire/measured.ts';
import { untilAborted } from '../wire/waiting.ts';
import { type Called, InvokeError } from './error.ts';
import type { Outgoing } from './outgoing.ts';

interface BodyLimit {
  readonly what: string;
  readonly most: number;
}

/**
 * A request with exactly the bytes of its body in memory, to be signed and sent any number of times.
 * @param kept what it is, and the most bytes of its content before it is compressed
 * @throws InvokeError BAD_INPUT for content that is larger or can't be read; the reason of `signal`
 */
export async function buffered(
  outgoing: Outgoing,
  kept: BodyLimit,
  signal: AbortSignal | undefined,
  called: Called,
): Promise<Outgoing> {
  const { text, compress, length } = outgoing;
  if (length !== undefined && length > kept.most) throw tooLarge(kept, called);
  if (length === 0 || (text !== undefined && !compress)) return outgoing;
  const content = text === undefined ? await read(outgoing, kept, signal, called) : Buffer.from(text);
  const whole = compress ? gzipSync(content) : content;
  const coding = compress ? { 'Content-Encoding': 'gzip' } : {};
  const { shown } = outgoing;
  return {
    ...outgoing,
    headers: { ...outgoing.headers, ...coding },
    length: whole.length,
    text: undefined,
    whole,
    async *bytes() {
      yield whole;
    },
    again: true,
    compress: false,
    shown: { uri: shown.uri, headers: { ...shown.headers, ...coding }, body: shown.body },
  };
}

async function read(
  outgoing: Outgoing,
  kept: BodyLimit,
  signal: AbortSignal | undefined,
  called: Called,
): Promise<Buffer> {
  const reading = gathered(outgoing, kept, called);
  return signal === undefined ? reading : untilAborted(reading, signal);
}

async function gathered(outgoing: Outgoing, kept: BodyLimit, called: Called): Promise<Buffer> {
  const { length } = outgoing;
  const { most } = kept;
  const chunks: Uint8Array[] = [];
  let seen = 0;
  try {
    const content = { length, stream: () => outgoing.bytes() };
    for await (const chunk of measured(content)) {
      seen += chunk.length;
      if (seen > most) throw tooLarge(kept, called);
      chunks.push(Uint8Array.from(chunk));
    }
  } catch (error) {
    if (error instanceof InvokeError) throw error;
    throw new InvokeError('BAD_INPUT', called, `the input could not be read: ${messageOf(error)}`, { cause: error });
  }
  return Buffer.concat(chunks);
}

function tooLarge({ what, most }: BodyLimit, called: Called): InvokeError {
  const hint = 'Send large content by another call, and its address in this one; or raise the limit.';
  const reason = `${what} is signed as a whole, up to ${most} bytes (\`limits.body\`)`;
  return new InvokeError('BAD_INPUT', called, reason, { hint });
}
