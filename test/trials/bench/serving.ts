import type { Server } from 'node:http';
import { destination } from 'pino';
import { type LogDestination, settling } from '../../../src/serve/log/log.ts';

/** Prints the port, and exits when the input ends, so that no server outlives the bench. */
export function announce(server: Server, close: () => void = () => process.exit(0)): void {
  const tell = (): void => {
    const address = server.address();
    process.stdout.write(`${typeof address === 'object' ? address?.port : ''}\n`);
  };
  if (server.listening) tell();
  else server.listen(0, '127.0.0.1', tell);
  process.stdin.once('end', close).resume();
}

/** A log that is discarded, but written like the gateway's own, so that it costs the same. */
export function discarded(): LogDestination {
  return settling(destination({ dest: '/dev/null', sync: true }));
}
