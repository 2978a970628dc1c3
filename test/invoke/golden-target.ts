import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:tls';
import { onTestFinished } from 'vitest';
import { SERVER_CERTIFICATE, SERVER_KEY } from '../peers/certificates.ts';

/** A server that keeps the bytes of one request, and answers with JSON. */
export interface GoldenTarget {
  readonly address: string;
  /** The request, once it was answered. */
  request(): Buffer;
}

/** It reads no more of HTTP than where the request ends. */
export async function goldenTarget(answer: unknown): Promise<GoldenTarget> {
  const sockets = new Set<Socket>();
  let received = Buffer.alloc(0);
  const body = JSON.stringify(answer);
  const server = createServer({ key: SERVER_KEY, cert: SERVER_CERTIFICATE }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      if (!isWhole(received)) return;
      socket.end(
        `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { address: `127.0.0.1:${(server.address() as AddressInfo).port}`, request: () => received };
}

function isWhole(received: Buffer): boolean {
  const end = received.indexOf('\r\n\r\n');
  if (end === -1) return false;
  const length = /\r\ncontent-length: *(\d+)/i.exec(received.subarray(0, end).toString('latin1'))?.[1] ?? '0';
  return received.length >= end + 4 + Number(length);
}
