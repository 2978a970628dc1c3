import type { PassedBytes } from '../../model/handler.ts';
import type { Call } from './call.ts';

/** Holds bytes to their length, and waits for the first of a stream, so that what fails before them is told as a fault, and in time. */
export async function begun(bytes: PassedBytes, call: Call): Promise<PassedBytes> {
  const { body } = bytes;
  if (body instanceof Uint8Array) {
    if (body.byteLength === bytes.length) return bytes;
    bytes.dispose?.();
    throw new RangeError(`a reply of ${body.byteLength} bytes is said to have ${bytes.length}`);
  }
  let chunks: AsyncIterator<Uint8Array> | undefined;
  const dispose = (): void => {
    // Nobody waits for its end; what goes wrong there must not end the process.
    chunks?.return?.()?.catch((err: unknown) => call.log('error', 'A stream could not be closed.', { err }));
    bytes.dispose?.();
  };
  try {
    const opened = body()[Symbol.asyncIterator]();
    chunks = opened;
    const first = await opened.next();
    return { ...bytes, body: () => resumed(first, opened), dispose };
  } catch (error) {
    dispose();
    throw error;
  }
}

async function* resumed(
  first: IteratorResult<Uint8Array>,
  chunks: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for (let next = first; !next.done; next = await chunks.next()) yield next.value;
}
