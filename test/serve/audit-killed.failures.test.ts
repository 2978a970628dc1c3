import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { project, start } from '../cli/support.ts';
import { DEMO } from '../support/gateway.ts';
import { createDatabase, hasPostgres } from '../support/postgres.ts';
import { gatewayText, USERS } from '../support/project.ts';

// What a caller has seen answered is in the audit log, even if the gateway is killed in the next moment.

const DEFINITIONS = `query: ONE
public: true
columns: { N: integer }
sql: select 1 as n
---
service: Audited.v1
public: true
operations:
  PUT: { post: put, request: { fields: { N: integer } }, response: { fields: { N: integer } }, handler: put }
  ROWS: { get: rows, query: ONE }
`;
const FILES = {
  'definitions/users.yaml': USERS,
  'definitions/audited.yaml': DEFINITIONS,
  'src/handlers/put.ts': 'export default { onRequest: ({ N }) => ({ N }) };\n',
};
const PATH = '/gateway/RESTListeningConnector/Audited.v1';

/** Calls until the gateway is gone. @returns the ids of calls whose replies arrived whole */
async function callUntilGone(address: string, id: (n: number) => string): Promise<string[]> {
  const answered: string[] = [];
  const headers = { authorization: DEMO, 'content-type': 'application/json' };
  const caller = async (from: number): Promise<void> => {
    for (let n = from; ; n += 8) {
      const init = n % 2 === 0 ? { method: 'POST', body: JSON.stringify({ N: n }) } : {};
      try {
        const reply = await fetch(`${address}${PATH}/${n % 2 === 0 ? 'put' : 'rows'}`, {
          ...init,
          headers: { ...headers, 'x-request-id': id(n) },
        });
        await reply.text();
        if (reply.status !== 200) throw new Error(`it answered ${reply.status}`);
        answered.push(id(n));
      } catch (error) {
        if (error instanceof TypeError) return;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: 8 }, (_, n) => caller(n)));
  return answered;
}

describe.each(['SQLite', 'PostgreSQL'] as const)('on %s', (engine) => {
  test.skipIf(engine === 'PostgreSQL' && !hasPostgres).each(['a file', 'standard output'])(
    'a gateway that is killed under load has the line of each call that it answered in %s',
    async (to) => {
      const database = engine === 'PostgreSQL' ? await createDatabase({ migrated: true }) : undefined;
      if (database !== undefined) onTestFinished(() => database.drop());
      const more = to === 'a file' ? 'audit: audit.log' : '';
      const cwd = await project({ ...FILES, 'definitions/gateway.yaml': gatewayText(more) });
      const env = { DATABASE_URL: database?.url ?? `sqlite:${cwd}/test.db`, PORT: '0', NO_COLOR: '1' };
      for (let round = 0; round < 3; round++) {
        const gateway = start(['serve', '--json'], { cwd, env });
        const [, address = ''] = await gateway.until(/Signalbox is ready on (http:\/\/[\d.:]+\d)/);
        const calling = callUntilGone(address, (n) => `kill-${engine}-${round}-${n}`);
        // Some hundred calls, wherever they are then.
        const mark = `"kill-${engine}-${round}-`;
        const begun = () => textOf(cwd, to, gateway.output).split(mark).length > 300;
        await expect.poll(begun, { interval: 5 }).toBe(true);
        await gateway.stop('SIGKILL');
        const answered = await calling;
        expect(answered.length).toBeGreaterThan(100);
        // What was written to the pipe is read a moment later.
        const missing = () => {
          const lines = textOf(cwd, to, gateway.output);
          return answered.filter((id) => !lines.includes(`"${id}"`));
        };
        await expect.poll(missing).toEqual([]);
      }
    },
  );
});

function textOf(cwd: string, to: string, output: () => string): string {
  return to === 'a file' ? readFileSync(join(cwd, 'audit.log'), 'utf8') : output();
}
