import type { Attachment } from '../model/value.ts';
import { encodeBase64Unbroken } from '../wire/base64.ts';
import { measured } from '../wire/measured.ts';

/** A text in pieces: texts, XML already in bytes, and attachments whose base64 belongs at their place. */
export type Pieces = readonly (string | XmlBytes | Attachment)[];

/** XML in UTF-8, of a known length in bytes. */
export class XmlBytes {
  readonly length: number;
  readonly stream: () => AsyncIterable<Uint8Array>;

  constructor(length: number, stream: () => AsyncIterable<Uint8Array>) {
    this.length = length;
    this.stream = stream;
  }
}

/** The pieces as one text; `undefined` when any piece is not a text. */
export function textOf(pieces: Pieces): string | undefined {
  let text = '';
  for (const piece of pieces) {
    if (typeof piece !== 'string') return undefined;
    // Not joined, since that would copy a text that consists of many parts again.
    text += piece;
  }
  return text;
}

/** In bytes; `undefined` when the length of an attachment is unknown. */
export function lengthOf(pieces: Pieces): number | undefined {
  let total = 0;
  for (const piece of pieces) {
    if (typeof piece === 'string') total += Buffer.byteLength(piece);
    else if (piece.length === undefined) return undefined;
    else total += piece instanceof XmlBytes ? piece.length : Math.ceil(piece.length / 3) * 4;
  }
  return total;
}

/**
 * @param contentOf reads an attachment
 * @throws RangeError for one whose length differs from the declared one, unless `contentOf` is given
 */
export async function* bytesOf(
  pieces: Pieces,
  contentOf: (attachment: Attachment) => AsyncIterable<Uint8Array> = measured,
): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) {
    if (typeof piece === 'string') yield Buffer.from(piece);
    else if (piece instanceof XmlBytes) yield* piece.stream();
    else yield* encodeBase64Unbroken(contentOf(piece));
  }
}
