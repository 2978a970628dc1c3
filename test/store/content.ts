import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Attachment } from '../../src/model/value.ts';

const DESCRIPTORS = '/proc/self/fd';

/** Whether this system tells which files a process has open. */
export const tellsOpenFiles = existsSync(DESCRIPTORS);

/** Files below a folder that this process has open; those without a name too. */
export function openFiles(folder: string): string[] {
  return readdirSync(DESCRIPTORS).flatMap((descriptor) => {
    try {
      const path = readlinkSync(join(DESCRIPTORS, descriptor));
      return path.startsWith(folder) ? [path] : [];
    } catch {
      // The one that the folder itself was read through.
      return [];
    }
  });
}

/** Bytes that differ from place to place. */
export function bytesOf(length: number, seed = 1): Buffer {
  const bytes = Buffer.alloc(length);
  for (let at = 0; at < length; at++) bytes[at] = (at * 31 + (at >> 8) * 17 + seed) & 0xff;
  return bytes;
}

/** Chunks, all in one memory: whoever takes one has to be done with it before it asks for the next. */
export async function* reusing(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array, void, undefined> {
  const memory = Buffer.alloc(Math.max(0, ...chunks.map((chunk) => chunk.length)));
  for (const chunk of chunks) {
    memory.fill(0xee).set(chunk);
    yield memory.subarray(0, chunk.length);
  }
}

/** Bytes in chunks of a size. */
export function cut(bytes: Uint8Array, size: number): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
  return chunks;
}

/** An attachment of these bytes. */
export function attachment(bytes: Uint8Array | string, more: Partial<Attachment> = {}): Attachment {
  const chunks = cut(Buffer.from(bytes), 65_536);
  return { contentType: 'application/octet-stream', stream: () => reusing(chunks), ...more };
}

/** A stream that somebody else lets go on, chunk by chunk. */
export interface Tap {
  stream(): AsyncIterable<Uint8Array>;
  /** Resolves once the chunk was taken and the next is asked for. */
  give(chunk: Uint8Array): Promise<void>;
  end(): void;
  fail(error: Error): void;
  /** Whoever reads it gave it up. */
  readonly left: boolean;
}

/** A stream in the hands of a test. */
export function tap(): Tap {
  let asked = Promise.withResolvers<void>();
  let answer = Promise.withResolvers<Uint8Array | undefined>();
  let left = false;
  return {
    async *stream() {
      left = true;
      for (;;) {
        asked.resolve();
        const chunk = await answer.promise;
        answer = Promise.withResolvers();
        if (chunk === undefined) break;
        yield chunk;
      }
      left = false;
    },
    async give(chunk) {
      await asked.promise;
      asked = Promise.withResolvers();
      answer.resolve(chunk);
      await asked.promise;
    },
    end: () => answer.resolve(undefined),
    fail: (error) => answer.reject(error),
    get left() {
      return left;
    },
  };
}

/** All bytes of a stream. */
export async function read(content: { stream(): AsyncIterable<Uint8Array> } | undefined): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(content?.stream() ?? []));
}

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
