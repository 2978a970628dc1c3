import { describe, expect, test } from 'vitest';
import { repository, start } from '../cli/support.ts';
import { connectorOf, php, runSessions, type Session, zeep } from './soap-support.ts';

describe('a client that is built from the WSDL of a mock', () => {
  test.skipIf(!zeep.isHere && !php.isHere)(
    'calls it, and is refused what does not fit',
    { timeout: 120_000 },
    async () => {
      // There is no database at that address, and nobody signs in.
      const env = { DATABASE_URL: 'sqlite:/nowhere/at/all.db' };
      const mock = start(['mock', '--port', '0', '--json'], { cwd: repository, env });
      const [line = ''] = await mock.until(/^\{"address".*\}$/m);
      const served = { address: JSON.parse(line).address as string } as Parameters<typeof connectorOf>[0];
      const session: Session = {
        wsdl: `${connectorOf(served)}/Locations.v1?wsdl`,
        ...{ user: 'anyone', password: 'anything', version: '1.1', trace: false, binary: [] },
        calls: {
          first: { operation: 'LOCATIONS_GET', argument: { REGION: 'N' } },
          again: { operation: 'LOCATIONS_GET', argument: { REGION: 'N' } },
          wrong: { operation: 'LOCATIONS_GET', argument: { REGION: 'Narnia' } },
        },
      };
      for (const client of [zeep, php].filter(({ isHere }) => isHere)) {
        const { mocked } = await runSessions(client, { mocked: session });
        const { first, again, wrong } = mocked.answers;
        expect(JSON.stringify(first?.reply), client.name).toContain('New York Office');
        expect(again).toEqual(first);
        expect(wrong?.fault ?? wrong?.error, client.name).toBeDefined();
      }
      expect((await mock.stop()).code).toBe(0);
    },
  );
});
