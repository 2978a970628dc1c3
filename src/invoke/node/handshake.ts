import type { Socket } from 'node:net';
import { checkServerIdentity, type TLSSocket } from 'node:tls';

/** Milliseconds in which a target may refuse the client certificate after the handshake (RFC 8446, section 4.4.2.4). */
const REFUSAL = 250;

/** Waits for an event of a socket. @throws the error that it emits, or one for a connection that ends before */
export function once(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once(event, () => resolve());
    socket.once('error', reject);
    socket.once('close', () => reject(new Error(`the target closed the connection`)));
  });
}

/** Waits for what a target does right after the handshake: it refuses the client certificate only then. */
export function refusal(socket: TLSSocket): Promise<void> {
  const waited = new Promise<void>((resolve, reject) => {
    socket.once('secureConnect', () => setTimeout(resolve, REFUSAL));
    // A ticket is sent to those that were accepted.
    socket.once('session', () => resolve());
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('the target closed the connection right after the TLS handshake')));
  });
  waited.catch(() => {});
  return waited;
}

/** Why a certificate is not trusted. */
export function untrusted(socket: TLSSocket, host: string): Error {
  const code = String(socket.authorizationError);
  const mismatch = checkServerIdentity(host, socket.getPeerCertificate());
  const words = UNTRUSTED[code] ?? (code.startsWith('ERR_TLS_CERT_ALTNAME') ? mismatch?.message : undefined);
  return Object.assign(new Error(words ?? code), { code });
}

/** OpenSSL's results of a verification. */
const UNTRUSTED: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is signed by itself',
  INVALID_PURPOSE: 'its certificate is not made for servers',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is issued by an authority that is not trusted',
  UNABLE_TO_GET_ISSUER_CERT: 'the issuer of its certificate is not known',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the issuer of its certificate is not known',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the issuer of its certificate is not known, or a certificate in between is missing',
};
