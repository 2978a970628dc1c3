/** The gateway on the bench's project, as `serve` starts it: `gateway-server.ts <database>`. Prints its port. */
import { fileURLToPath } from 'node:url';
import { startGateway } from '../../src/serve/start.ts';
import { announce, discarded } from './serving.ts';

const gateway = await startGateway({
  root: fileURLToPath(new URL('project/', import.meta.url)),
  env: { DATABASE_URL: `sqlite:${process.argv[2]}` },
  log: { to: discarded() },
});
announce(gateway.server, () => {
  void gateway.close({ timeoutMs: 1000 }).then(() => process.exit(0));
});
