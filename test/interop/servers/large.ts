import { createHash } from 'node:crypto';
import type { Attachment } from '../../../src/model/value.ts';

/** Content that does not fit into the buffers on its way, made as it is sent. */
interface Large {
  readonly content: Attachment;
  /** In bytes. */
  readonly length: number;
  readonly sha256: string;
}

const MEGABYTE = Buffer.from(Uint8Array.from({ length: 1_000_000 }, (_, i) => i % 251));

/** @param isKnown whether it says how long it is */
export function large(isKnown: boolean, megabytes = 50): Large {
  const length = megabytes * MEGABYTE.length;
  const hash = createHash('sha256');
  for (let i = 0; i < megabytes; i++) hash.update(MEGABYTE);
  const content: Attachment = {
    contentType: 'application/octet-stream',
    ...(isKnown ? { length } : {}),
    async *stream() {
      for (let i = 0; i < megabytes; i++) yield MEGABYTE;
    },
  };
  return { content, length, sha256: hash.digest('hex') };
}
