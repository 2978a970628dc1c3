import { X509Certificate } from 'node:crypto';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { ShownCertificate } from '../../security/port.ts';

/** Connections last for many requests: what they showed is read once. */
const shown = new WeakMap<TLSSocket, ShownCertificate | null>();

/** The certificate that a caller showed when it connected. */
export function certificateOfConnection(socket: Socket): ShownCertificate | undefined {
  if (!(socket instanceof TLSSocket)) return undefined;
  let found = shown.get(socket);
  if (found === undefined) {
    const certificate = socket.getPeerX509Certificate();
    found = certificate === undefined ? null : { der: certificate.raw, verified: socket.authorized };
    shown.set(socket, found);
  }
  return found ?? undefined;
}

/** Characters of a header that holds a certificate. */
const LONGEST = 32 * 1024;

/**
 * The certificate in the field that a trusted proxy fills: `:<base64 of DER>:` (RFC 9440, a Byte Sequence), or PEM,
 * percent-encoded. Whatever else stands there, `(null)` say, is none.
 */
export function certificateOfHeader(field: string): ShownCertificate | undefined {
  if (field.length > LONGEST) return undefined;
  const bytes = /^:([A-Za-z0-9+/]+={0,2}):$/.exec(field.trim())?.[1];
  try {
    const text = bytes === undefined ? decodeURIComponent(field.trim()) : undefined;
    if (text !== undefined && !text.startsWith('-----BEGIN CERTIFICATE-----')) return undefined;
    const { raw } = new X509Certificate(text ?? Buffer.from(bytes as string, 'base64'));
    return { der: raw, verified: true };
  } catch {
    return undefined;
  }
}
