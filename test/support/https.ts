import type { IncomingHttpHeaders } from 'node:http';
import { request } from 'node:https';
import { type ConnectionOptions, connect } from 'node:tls';
import { AUTHORITY, type Identity } from './certificates.ts';
import type { Reply } from './gateway.ts';

export interface SecureCall extends Pick<ConnectionOptions, 'maxVersion' | 'ALPNProtocols'> {
  readonly headers?: Readonly<Record<string, string>>;
  /** The caller's certificate. */
  readonly identity?: Identity;
}

const shownOf = (identity: Identity | undefined): ConnectionOptions =>
  identity === undefined ? {} : { cert: identity.certificate, key: identity.key };

/** Calls a gateway over TLS, whose certificate must be valid for 127.0.0.1. */
export function callSecurely(address: string, path: string, call: SecureCall = {}): Promise<Reply> {
  const { headers = {}, identity, ...options } = call;
  return new Promise((resolve, reject) => {
    request(
      `${address}${path}`,
      { ...options, ...shownOf(identity), ca: AUTHORITY, headers, agent: false },
      (reply) => {
        const chunks: Buffer[] = [];
        reply.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject);
        reply.on('end', () =>
          resolve({
            status: reply.statusCode as number,
            headers: reply.headers as IncomingHttpHeaders,
            text: Buffer.concat(chunks).toString(),
          }),
        );
      },
    )
      .on('error', reject)
      .end();
  });
}

/** The serial number of a gateway's certificate, and its TLS version and protocol. */
export function handshake(
  address: string,
  options: ConnectionOptions = {},
): Promise<{ readonly serial: string; readonly version: string | null; readonly protocol: string | false | null }> {
  const { port } = new URL(address);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port: Number(port), ca: AUTHORITY, ...options }, () => {
      const serial = socket.getPeerX509Certificate()?.serialNumber ?? '';
      resolve({ serial, version: socket.getProtocol(), protocol: socket.alpnProtocol });
      socket.destroy();
    });
    socket.on('error', reject);
  });
}
