import { createServer } from 'node:net';
import type { Registry } from '../../model/registry.ts';
import { readAddress } from '../../serve/start/address.ts';

/**
 * The port that all workers are to share. Where any will do a free one is taken here, so that a worker that takes another's
 * place finds the same.
 */
export function choosePort(registry: Registry, env: NodeJS.ProcessEnv): Promise<number> {
  const { host, port } = readAddress(registry, env);
  if (port !== 0) return Promise.resolve(port);
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, host, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
