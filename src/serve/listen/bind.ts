import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GatewayError } from '../gateway-error.ts';
import type { Address } from '../start/address.ts';

/** Begins to listen. @returns the address that it has now: of port 0 the one that was free. @throws GatewayError */
export function listenAt(server: Server, { host, port }: Address): Promise<Address> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') {
        const hint = 'Set PORT to another port; PORT=0 takes a free one.';
        reject(new GatewayError(`${host}:${port} is in use`, { hint, cause: error }));
      } else reject(new GatewayError(`can't listen on ${host}:${port}: ${error.message}`, { cause: error }));
    });
    server.listen(port, host, () => {
      const { address, port: bound } = server.address() as AddressInfo;
      resolve({ host: host === 'localhost' ? host : address, port: bound });
    });
  });
}
