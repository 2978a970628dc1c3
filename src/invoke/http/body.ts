import { parseMediaType } from '../../wire/media-type.ts';

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

/** A body as far as it has been read. */
export interface Collected {
  readonly head: Buffer;
  /** The others, where it is longer than it may be in memory. */
  readonly rest: AsyncIterator<Uint8Array> | undefined;
}

/** Reads a body until its end, or until it is longer than `most` bytes. @throws what the body throws */
export async function collect(bytes: AsyncIterable<Uint8Array>, most: number): Promise<Collected> {
  const iterator = bytes[Symbol.asyncIterator]();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) {
    chunks.push(next.value);
    length += next.value.length;
    if (length > most) return { head: Buffer.concat(chunks), rest: iterator };
  }
  return { head: Buffer.concat(chunks), rest: undefined };
}

/** A body that is in memory. */
export async function* inOne(whole: Uint8Array): AsyncGenerator<Uint8Array> {
  yield whole;
}

/** Types whose content is for people, or nearly so. */
const READABLE = /^text\/|[/+](?:json|xml)$/;

/** Whether content of a type, or of none, may be shown to people. */
export function isReadable(contentType: string | undefined): boolean {
  const type = contentType === undefined ? undefined : parseMediaType(contentType);
  return type === undefined || READABLE.test(type.essence);
}

/** What can't be seen, or would drive a terminal, becomes a blank. */
export function oneLine(text: string): string | undefined {
  const line = text.replace(/[\s\p{C}]+/gu, ' ').trim();
  return line === '' ? undefined : line;
}
