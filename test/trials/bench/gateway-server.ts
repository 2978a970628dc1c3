/**
 * The gateway with the bench's project, started as by `serve`: `gateway-server.ts <database> [<keys of the issuer>]`, with a
 * file or URL each; with `middleware` behind them, it has one of its own that adds a header. Prints its port.
 */
import { fileURLToPath } from 'node:url';
import type { OwnApp } from '../../../src/serve/own-app.ts';
import { startGateway } from '../../../src/serve/start.ts';
import { announce, discarded } from './serving.ts';

const [, , database = '', keys = 'https://login.example.org/keys.json', middleware] = process.argv;
const app: OwnApp = (own) => {
  own.use(async (c, next) => {
    await next();
    c.header('x-served-by', 'bench');
  });
};
const gateway = await startGateway({
  root: fileURLToPath(new URL('project/', import.meta.url)),
  env: { DATABASE_URL: database.includes('://') ? database : `sqlite:${database}`, ISSUER_KEYS: keys },
  log: { to: discarded() },
  ...(middleware === undefined ? {} : { app }),
});
announce(gateway.server, () => {
  void gateway.close({ timeoutMs: 1000 }).then(() => process.exit(0));
});
