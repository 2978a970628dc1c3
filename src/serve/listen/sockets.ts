import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * The connections of a server on which requests may come. With TLS that is what runs inside of it; a connection that is
 * still shaking hands counts as itself.
 */
export function socketsOf(server: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  const shaking = new Map<string, Socket>();
  const add = (socket: Socket): void => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  };
  server.on('connection', (socket: Socket) => {
    add(socket);
    const end = endOf(socket);
    shaking.set(end, socket);
    socket.once('close', () => shaking.delete(end));
  });
  server.on('secureConnection', (secure: Socket) => {
    const end = endOf(secure);
    sockets.delete(shaking.get(end) as Socket);
    shaking.delete(end);
    add(secure);
  });
  return sockets;
}

/** Two connections to one address have two ends. */
const endOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;
