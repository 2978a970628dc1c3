import { createHash } from 'node:crypto';
import type { Attachment } from '../../model/value.ts';
import { BlockWriter } from '../block-writer.ts';
import { BlobError } from './error.ts';

/** The size and the digest of content that was written. */
export interface WrittenBlob {
  readonly length: number;
  /** SHA-256, in lower-case hexadecimal digits. */
  readonly sha256: string;
}

/**
 * Sends content in blocks of one size, and computes its digest.
 * @throws BlobError when its length differs from the announced one; what its stream and `send` throw
 */
export async function writeContent(
  key: string,
  content: Attachment,
  size: number,
  send: (block: Uint8Array, number: number) => Promise<void>,
): Promise<WrittenBlob> {
  const hash = createHash('sha256');
  const writer = new BlockWriter(size, (block, number) => {
    const sending = send(block, number);
    hash.update(block);
    return sending;
  });
  const length = await measure(key, content, writer);
  await writer.end();
  return { length, sha256: hash.digest('hex') };
}

/**
 * Writes the chunks of content, and checks their length.
 * @throws BlobError when it differs from the announced length; what the stream and the writer throw
 */
async function measure(key: string, content: Attachment, writer: BlockWriter): Promise<number> {
  const announced = content.length ?? Number.POSITIVE_INFINITY;
  let length = 0;
  for await (const chunk of content.stream()) {
    length += chunk.length;
    if (length > announced) throw new BlobError(key, `more came than the ${announced} bytes that were announced`);
    const full = writer.write(chunk);
    if (full !== undefined) await full;
  }
  if (content.length !== undefined && length < content.length)
    throw new BlobError(key, `${length} of ${content.length} announced bytes came`);
  return length;
}
