import { connect, type Socket } from 'node:net';

/** A new connection, with the bytes received so far. */
export interface Connection {
  readonly socket: Socket;
  readonly received: () => string;
  readonly closed: Promise<void>;
}

/** Connects to a port of 127.0.0.1, and sends. */
export function openConnection(port: number, bytes: string): Connection {
  let received = '';
  const socket = connect(port, '127.0.0.1');
  socket.write(bytes);
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1');
  });
  socket.on('error', () => {});
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  return { socket, received: () => received, closed };
}
