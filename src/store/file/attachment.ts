import type { ReadStream } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Attachment } from '../../model/value.ts';
import { sentMediaType } from '../../wire/file-type.ts';
import { passing } from './young.ts';

/** The bytes that are read at a time. */
const PIECE = 512 * 1024;

/**
 * A file as content to send: its type follows from its name, its length is read now, its bytes are read as they are sent, any
 * number of times. When the file changes meanwhile, its stream fails before the last byte, so that a part is never mistaken for
 * the whole. A pipe or a device is read once, and has no known length.
 * @param contentType replaces the type by the name
 * @throws errors of the file system
 */
export async function fileAttachment(path: string, contentType?: string): Promise<Attachment> {
  const found = await stat(path);
  if (found.isDirectory()) throw Object.assign(new Error(`${path} is a folder`), { code: 'EISDIR' });
  const described = { contentType: contentType ?? sentMediaType(undefined, { name: path }), name: basename(path) };
  if (!found.isFile()) return { ...described, stream: () => pieces(path) };
  const { size: length, mtimeMs } = found;
  return { ...described, length, again: true, stream: () => unchanged(path, { size: length, mtimeMs }) };
}

async function* pieces(path: string): AsyncGenerator<Uint8Array> {
  const stream = (await open(path)).createReadStream({ highWaterMark: PIECE });
  try {
    for await (const piece of stream) yield piece as Buffer;
  } finally {
    await closed(stream);
  }
}

/** Ends a stream, and waits until its file is closed. Its errors were reported before. */
async function closed(stream: ReadStream): Promise<void> {
  stream.on('error', () => undefined).destroy();
  if (!stream.closed) await new Promise<void>((resolve) => stream.once('close', resolve));
}

/** The properties that show whether a file is still the same. */
interface Seen {
  readonly size: number;
  readonly mtimeMs: number;
}

async function* unchanged(path: string, seen: Seen): AsyncGenerator<Uint8Array> {
  const file = await open(path);
  // Reads no further than the first length, so that data appended since does not change the last piece.
  const end = Math.max(0, seen.size - 1);
  const stream = file.createReadStream({ end, highWaterMark: PIECE, autoClose: false });
  try {
    await check(file, path, seen);
    let last: Uint8Array | undefined;
    for await (const piece of stream) {
      if (last !== undefined) yield last;
      last = piece as Buffer;
      passing(last.length);
    }
    await check(file, path, seen);
    if (last !== undefined) yield last;
  } finally {
    await closed(stream);
  }
}

async function check(file: FileHandle, path: string, { size, mtimeMs }: Seen): Promise<void> {
  const now = await file.stat();
  if (now.size !== size || now.mtimeMs !== mtimeMs) throw new Error(`${path} changed while it was read`);
}
