import { connect } from 'node:net';
import { type RawReply, readReplies } from './reply.ts';

/** A request that has no reply by then may lack its end: the connection is ended on this side. */
const QUIET_MS = 200;
/** One that has a reply may have more. */
const AFTER_MS = 15;
/** A connection that is still open so long after its end hangs. */
const HANG_MS = 15_000;

/** What came of a connection. */
export interface Exchanged {
  readonly replies: readonly RawReply[];
  /** It was not closed in time. */
  readonly hangs: boolean;
  /** Nobody took it. */
  readonly refused: boolean;
}

/** Sends bytes on a connection of its own, and reads until it is closed. @throws MalformedReply */
export function exchange(port: number, bytes: Uint8Array): Promise<Exchanged> {
  const noBody = /^HEAD /.test(Buffer.from(bytes.subarray(0, 5)).toString('latin1'));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let hangs = false;
    let refused = false;
    let quiet: NodeJS.Timeout | undefined;
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () => socket.write(bytes));
    const late = setTimeout(() => {
      hangs = true;
      socket.destroy();
    }, HANG_MS);
    const endAfter = (ms: number): void => {
      clearTimeout(quiet);
      quiet = setTimeout(() => socket.end(), ms);
    };
    endAfter(QUIET_MS);
    let cut = false;
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      endAfter(AFTER_MS);
    });
    socket.on('end', () => socket.end());
    socket.on('error', (error: NodeJS.ErrnoException) => {
      refused ||= error.code === 'ECONNREFUSED';
      cut = true;
    });
    socket.on('close', () => {
      clearTimeout(late);
      clearTimeout(quiet);
      const text = Buffer.concat(chunks).toString('latin1');
      try {
        // Of a reply to a HEAD among others nobody can say where it ends.
        const replies =
          /HEAD /.test(Buffer.from(bytes).toString('latin1')) && !noBody
            ? []
            : readReplies(text, !cut && !hangs, noBody);
        resolve({ replies, hangs, refused });
      } catch (error) {
        reject(error);
      }
    });
  });
}
