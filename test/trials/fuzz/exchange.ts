import { connect } from 'node:net';
import { type RawReply, readReplies } from './reply.ts';

/** A request without a reply by then may be incomplete: this side ends the connection. */
const QUIET_MS = 200;
/** After a reply, more may follow. */
const AFTER_MS = 15;
/** A connection that is still open this long after its end hangs. */
const HANG_MS = 15_000;

/** The result of a connection. */
export interface Exchanged {
  readonly replies: readonly RawReply[];
  /** It was not closed in time. */
  readonly hangs: boolean;
  /** The connection was refused. */
  readonly refused: boolean;
}

/** Sends bytes on a new connection, and reads until it is closed. @throws MalformedReply */
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
        // The end of a reply to HEAD, among other replies, can't be determined.
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
