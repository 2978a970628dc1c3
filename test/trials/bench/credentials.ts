import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

/** The API key whose hash is in the bench's definitions. */
export const apiKey = 'bench-0123456789abcdef0123456789abcdef0123456789abcdef';

/** An issuer of tokens, as the bench's definitions know it. */
export interface Issuer {
  /** Address of its keys (RFC 7517). */
  readonly keys: string;
  /** A token for the lookup, valid for an hour. */
  readonly token: string;
  close(): void;
}

export async function startIssuer(): Promise<Issuer> {
  const { publicKey, privateKey } = await generateKeyPair('RS256');
  const keys = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'bench', alg: 'RS256', use: 'sig' }] });
  const server = createServer((_, response) => response.setHeader('Content-Type', 'application/json').end(keys));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const token = await new SignJWT({ scope: 'bench' })
    .setProtectedHeader({ alg: 'RS256', kid: 'bench' })
    .setIssuer('https://login.example.org')
    .setAudience('signalbox')
    .setSubject('bench')
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(privateKey);
  const { port } = server.address() as AddressInfo;
  return {
    keys: `http://127.0.0.1:${port}/keys.json`,
    token,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
