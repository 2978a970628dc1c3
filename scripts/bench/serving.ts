import type { Server } from 'node:http';
import { type DestinationStream, destination } from 'pino';

/** Prints the port, and ends the process when its input ends: no server outlives the bench. */
export function announce(server: Server, close: () => void = () => process.exit(0)): void {
  const tell = (): void => {
    const address = server.address();
    process.stdout.write(`${typeof address === 'object' ? address?.port : ''}\n`);
  };
  if (server.listening) tell();
  else server.listen(0, '127.0.0.1', tell);
  process.stdin.once('end', close).resume();
}

/** A log that goes nowhere, at the cost of one that goes somewhere: gathered as the gateway's own. */
export function discarded(): DestinationStream {
  return destination({ dest: '/dev/null', sync: false, minLength: 4096, periodicFlush: 100 });
}
