/**
 * The gateway with the bench's project, started as by `serve`: `gateway-server.ts <database> [<keys of the issuer>]`, with a
 * file or URL each. Prints its port.
 */
import { fileURLToPath } from 'node:url';
import { startGateway } from '../../src/serve/start.ts';
import { announce, discarded } from './serving.ts';

const [, , database = '', keys = 'https://login.example.org/keys.json'] = process.argv;
const gateway = await startGateway({
  root: fileURLToPath(new URL('project/', import.meta.url)),
  env: { DATABASE_URL: database.includes('://') ? database : `sqlite:${database}`, ISSUER_KEYS: keys },
  log: { to: discarded() },
});
announce(gateway.server, () => {
  void gateway.close({ timeoutMs: 1000 }).then(() => process.exit(0));
});
