import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { SERVER_CERTIFICATE, SERVER_KEY } from './certificates.ts';

/** Another system, on a free port of 127.0.0.1. */
export interface PeerServer {
  readonly port: number;
  /** `127.0.0.1:40123`. */
  readonly address: string;
  /** Connections that were made so far. */
  connections(): number;
  /** Connections that stand. */
  open(): number;
  /** Ends all of them. */
  close(): Promise<void>;
}

type Listener = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** @param tls with the certificate of library.example and login.example, for clients that trust its authority alone */
export async function startServer(listener: Listener, { tls }: { readonly tls: boolean }): Promise<PeerServer> {
  const listen = (request: IncomingMessage, response: ServerResponse): void => {
    listener(request, response).catch((error: unknown) => {
      // The client has gone; or a mistake of the peer's, which is not to look like an answer.
      response.destroy(error instanceof Error ? error : undefined);
    });
  };
  const server = tls ? createTlsServer({ key: SERVER_KEY, cert: SERVER_CERTIFICATE }, listen) : createServer(listen);
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections++;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    address: `127.0.0.1:${port}`,
    connections: () => connections,
    open: () => sockets.size,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
