import { expect, onTestFinished, test } from 'vitest';
import { project, start } from '../cli/support.ts';
import { createDatabase, hasPostgres } from '../support/postgres.ts';
import { PostgresWire } from '../support/postgres-wire.ts';
import { gatewayText } from '../support/project.ts';

/** Milliseconds that the database has to answer a gateway that connects: `limits.timeout`. */
const BOUND = 1000;

test.skipIf(!hasPostgres)(
  'a gateway that gets no processor while it connects does not take its database for silent',
  async () => {
    const database = await createDatabase({ migrated: true });
    onTestFinished(() => database.drop());
    const wire = await PostgresWire.open(database.url);
    onTestFinished(() => wire.close());
    const cwd = await project({
      'definitions/gateway.yaml': gatewayText(`limits: { timeout: ${BOUND} ms }`),
    });
    const env = { DATABASE_URL: wire.through(database.url), PORT: '0', NO_COLOR: '1' };
    const gateway = start(['serve'], { cwd, env });
    let stops = 0;
    wire.onOpen = () => {
      if (stops++ > 0) return;
      gateway.process.kill('SIGSTOP');
      setTimeout(() => gateway.process.kill('SIGCONT'), 1.5 * BOUND);
    };
    const [ready] = await gateway.until(/^Signalbox is ready on http:\S+|.* does not answer: .*/m);
    expect(ready).toContain('Signalbox is ready');
    expect(stops).toBeGreaterThan(0);
  },
);
