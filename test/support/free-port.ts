import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Ports for servers that can't choose one themselves: below those that systems give to outgoing connections (32768 on Linux,
 * 49152 by RFC 6335), of which one could take the port before its server does.
 */
const [LEAST, MOST] = [15_000, 32_000];
const TRIES = 100;

/** A free port, for servers that can't choose one themselves. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const port = randomInt(LEAST, MOST);
    if (await isFree(port)) return port;
  }
  throw new Error(`none of ${TRIES} ports is free`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
