/** The gateway with the bench's project, started as by `serve`: `gateway-server.ts <file or URL>`. Prints its port. */
import { fileURLToPath } from 'node:url';
import { startGateway } from '../../src/serve/start.ts';
import { announce, discarded } from './serving.ts';

const database = process.argv[2] ?? '';
const gateway = await startGateway({
  root: fileURLToPath(new URL('project/', import.meta.url)),
  env: { DATABASE_URL: database.includes('://') ? database : `sqlite:${database}` },
  log: { to: discarded() },
});
announce(gateway.server, () => {
  void gateway.close({ timeoutMs: 1000 }).then(() => process.exit(0));
});
