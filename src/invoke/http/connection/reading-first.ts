import type { Socket } from 'node:net';

type Written = (error?: Error | null) => void;

/**
 * Lets what a target said before it ended a connection be read. It may answer in the middle of a request and take no more of
 * it (RFC 9112 section 9.5); the next write then fails, which would end the socket with the reply unread in it. Such a write
 * stays open until there is nothing more to be read, and that is what ends the connection.
 */
export function readingFirst(socket: Socket): void {
  const { _write: write, _writev: writeAll } = socket;
  const kept = (written: Written): Written => {
    return (error) => {
      if (error == null || !isGone(error) || socket.readableEnded) written(error);
      // Whoever reads it hears of the end first.
      else socket.once('end', () => setImmediate(written, error));
    };
  };
  socket._write = (chunk, encoding, written) => write.call(socket, chunk, encoding, kept(written));
  if (writeAll !== undefined) socket._writev = (chunks, written) => writeAll.call(socket, chunks, kept(written));
}

function isGone(error: Error): boolean {
  return 'code' in error && (error.code === 'EPIPE' || error.code === 'ECONNRESET');
}
