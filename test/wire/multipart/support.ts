import { expect } from 'vitest';
import { MultipartError, type MultipartLimits, MultipartReader } from '../../../src/wire/multipart/read-multipart.ts';

export const LIMITS: MultipartLimits = { parts: 10, headers: 1000 };

/** A source that counts what is taken from it, and knows whether it was ended. */
export class Source implements AsyncIterable<Uint8Array> {
  taken = 0;
  ended = 0;
  readonly #chunks: Iterator<Uint8Array | Error>;

  constructor(chunks: Iterable<Uint8Array | Error>) {
    this.#chunks = chunks[Symbol.iterator]();
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return {
      next: async () => {
        const { done, value } = this.#chunks.next();
        if (done === true) return { done, value: undefined };
        this.taken++;
        if (value instanceof Error) throw value;
        return { done: false, value };
      },
      return: async () => {
        this.ended++;
        return { done: true, value: undefined };
      },
    };
  }
}

export const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');

/** Cut into pieces of these lengths, again and again. */
export function cut(whole: Buffer, lengths: readonly number[]): Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0, turn = 0; at < whole.length; turn++) {
    const length = lengths[turn % lengths.length] ?? 1;
    chunks.push(whole.subarray(at, at + length));
    at += length;
  }
  return chunks;
}

export async function textOf(content: AsyncIterable<Uint8Array>): Promise<string> {
  let text = '';
  for await (const piece of content) text += Buffer.from(piece).toString('latin1');
  return text;
}

export type Read = [headers: Record<string, string>, content: string];

export async function readAll(chunks: Iterable<Uint8Array>, boundary = 'b', limits = LIMITS): Promise<Read[]> {
  const reader = new MultipartReader(new Source(chunks), boundary, limits);
  const parts: Read[] = [];
  for (let part = await reader.next(); part !== undefined; part = await reader.next()) {
    parts.push([Object.fromEntries(part.headers), await textOf(part.body())]);
  }
  return parts;
}

export const read = (text: string, boundary = 'b', limits = LIMITS): Promise<Read[]> =>
  readAll([bytes(text)], boundary, limits);

export async function faultOf(work: Promise<unknown>): Promise<[string, string]> {
  const error: unknown = await work.then(
    () => undefined,
    (thrown) => thrown,
  );
  expect(error).toBeInstanceOf(MultipartError);
  const { kind, reason } = error as MultipartError;
  return [kind, reason];
}
