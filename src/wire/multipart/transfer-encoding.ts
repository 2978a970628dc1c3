import { Base64Decoder } from '../base64.ts';
import type { Complain } from './headers.ts';
import { QuotedPrintableDecoder } from './quoted-printable.ts';

// Content-Transfer-Encoding, RFC 2045 section 6: decoding while content is streamed.

interface Decoder {
  write(piece: Buffer): Buffer;
  end(): void;
}

/** Bytes decoded at a time: enough to be fast, few enough to hold when a source delivers all its bytes in one piece. */
const PIECE = 256 * 1024;

/**
 * Decodes content from its transfer encoding.
 * @param encoding value of the header; `undefined` if it is missing, which means 7bit
 * @throws the error of `complain`: immediately for an unknown encoding, while reading for invalid content
 */
export function decodeTransfer(
  encoding: string | undefined,
  content: AsyncIterable<Buffer>,
  complain: Complain,
): AsyncIterable<Buffer> {
  switch (encoding?.toLowerCase()) {
    case undefined:
    case '7bit':
    case '8bit':
    case 'binary':
      return content;
    case 'base64':
      return decoded(content, new Base64Decoder(complain));
    case 'quoted-printable':
      return decoded(content, new QuotedPrintableDecoder(complain));
    default:
      throw complain(`its Content-Transfer-Encoding ${JSON.stringify(encoding?.slice(0, 60))} is not known`);
  }
}

async function* decoded(content: AsyncIterable<Buffer>, decoder: Decoder): AsyncGenerator<Buffer> {
  for await (const chunk of content) {
    for (let at = 0; at < chunk.length; at += PIECE) {
      const piece = decoder.write(chunk.subarray(at, at + PIECE));
      if (piece.length > 0) yield piece;
    }
  }
  decoder.end();
}
