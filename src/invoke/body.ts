import { parseMediaType } from '../wire/media-type.ts';
import { SHOWN_BODY } from './limits.ts';

/**
 * A body with its beginning read: undefined where it is empty, which the headers of a reply do not always say.
 * @throws what the body throws
 */
export async function begun(bytes: AsyncIterable<Uint8Array>): Promise<AsyncIterable<Uint8Array> | undefined> {
  const chunks = bytes[Symbol.asyncIterator]();
  for (;;) {
    const first = await chunks.next();
    if (first.done === true) return undefined;
    if (first.value.length > 0) return continued(first.value, chunks);
  }
}

/** A body whose beginning has been read. */
export async function* continued(first: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield first;
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

/** A body that is in memory. */
export async function* inOne(whole: Uint8Array): AsyncGenerator<Uint8Array> {
  yield whole;
}

/** A body that somebody else reads. */
export interface Overheard {
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Its beginning, as far as it has been read. */
  readonly chunks: readonly Uint8Array[];
}

export function overhear(bytes: AsyncIterable<Uint8Array>): Overheard {
  const chunks: Uint8Array[] = [];
  async function* heard(): AsyncGenerator<Uint8Array> {
    let length = 0;
    for await (const chunk of bytes) {
      if (length < SHOWN_BODY) chunks.push(chunk);
      length += chunk.length;
      yield chunk;
    }
  }
  return { bytes: heard(), chunks };
}

/** Types whose content is for people, or nearly so. */
const READABLE = /^text\/|[/+](?:json|xml)$/;

/** Whether content of a type, or of none, may be shown to people. */
export function isReadable(contentType: string | undefined): boolean {
  const type = contentType === undefined ? undefined : parseMediaType(contentType);
  return type === undefined || READABLE.test(type.essence);
}

/** The beginning of a body that is no SOAP message, on one line; undefined where it is not text. */
export async function beginningOf(
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  contentType: string | undefined,
): Promise<string | undefined> {
  if (!isReadable(contentType)) return undefined;
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of bytes) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= SHOWN_BODY) break;
  }
  const text = new TextDecoder().decode(Buffer.concat(chunks).subarray(0, SHOWN_BODY));
  return oneLine(text);
}

/** What can't be seen, or would drive a terminal, becomes a blank. */
export function oneLine(text: string): string | undefined {
  const line = text.replace(/[\s\p{C}]+/gu, ' ').trim();
  return line === '' ? undefined : line;
}
