import { request } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

const PIECE = Buffer.alloc(1_048_576, 'The quick brown fox jumps over the lazy dog. ');

/** This number of bytes, in pieces of 1 MiB. */
export function* pieces(bytes: number): Generator<Buffer> {
  for (let left = bytes; left > 0; left -= PIECE.length) yield left < PIECE.length ? PIECE.subarray(0, left) : PIECE;
}

export interface Transfer {
  readonly port: number;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | number>>;
  /** Size of the request's body in bytes, which are generated while they are sent. */
  readonly body?: Iterable<Buffer>;
}

/** Streams one request and its reply; counts the bytes of the reply, and keeps its first and last KiB. @throws Error for anything but 200 */
export function transfer({ body, ...options }: Transfer): Promise<{ bytes: number; first: string; last: string }> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', agent: false, ...options }, async (reply) => {
      let bytes = 0;
      let first = '';
      let last: Buffer = Buffer.alloc(0);
      try {
        for await (const chunk of reply as AsyncIterable<Buffer>) {
          if (bytes === 0) first = chunk.toString('latin1', 0, 1024);
          bytes += chunk.length;
          last = chunk;
        }
        if (reply.statusCode !== 200) throw new Error(`not a success: ${reply.statusCode} ${first}`);
        resolve({ bytes, first, last: last.toString('latin1', Math.max(0, last.length - 1024)) });
      } catch (error) {
        reject(error);
      }
    });
    outgoing.on('error', reject);
    if (body === undefined) outgoing.end();
    else pipeline(Readable.from(body, { highWaterMark: 1 }), outgoing).catch(reject);
  });
}
