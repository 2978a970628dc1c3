import { after, afterEach, before } from 'node:test';
import { startTestGateway, type TestGateway } from 'signalbox/testing';
import type { Partners } from '../generated/client.ts';
import type { Handlers } from '../generated/handlers.ts';

/** A gateway of its own for each test file: on SQLite, or on the PostgreSQL server that TEST_DATABASE_URL names. */
export function workshop(): { readonly gateway: TestGateway<Handlers, Partners> } {
  let started: TestGateway<Handlers, Partners> | undefined;
  const gateway = (): TestGateway<Handlers, Partners> => {
    if (started === undefined) throw new Error('the gateway has not been started');
    return started;
  };
  before(async () => {
    const database = process.env.TEST_DATABASE_URL;
    started = await startTestGateway<Handlers, Partners>({
      env: { DISPATCH_SECRET: 'only-for-tests' },
      ...(database === undefined ? {} : { database }),
    });
  });
  afterEach(() => {
    for (const partner of ['DEALER', 'INSPECTION'] as const) gateway().partner(partner).reset();
  });
  after(() => started?.close());
  return {
    get gateway() {
      return gateway();
    },
  };
}
