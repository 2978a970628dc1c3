import { afterAll, describe, expect, it } from 'vitest';
import { startTestGateway } from '../support/gateway.ts';
import { createDatabase } from '../support/postgres.ts';
import { gatewayText } from '../support/project.ts';
import { ENGINES } from './components-project.ts';

const DEFINITIONS = `document: SEEN
fields: { ID: { type: string(5), required: true }, AT: datetime, LOCAL: datetime }
---
component: SEEN_TIMES
table: seen
shape: SEEN
keys: [ID]
permission: EVERYTHING
---
service: Seen.v1
permission: EVERYTHING
operations:
  SEEN_GET: { get: "seen/{ID}", read: SEEN_TIMES }
  SEEN_PUT: { put: "seen/{ID}", save: SEEN_TIMES }
`;

describe.each(ENGINES)('datetimes of components in a zone with clock changes, on %s', async (kind) => {
  const database = kind === 'sqlite' ? undefined : await createDatabase({ migrated: true });
  const [instant, local] = kind === 'sqlite' ? ['text', 'text'] : ['timestamptz', 'timestamp'];
  const gateway = await startTestGateway({
    files: {
      'definitions/gateway.yaml': gatewayText('timezone: Europe/Berlin\nsample-data: data/*.sql'),
      'definitions/seen.yaml': DEFINITIONS,
      'definitions/data/tables.sql': `create table seen (id varchar(5) primary key, at ${instant}, local ${local});
        insert into seen values ('old', '2026-10-25 00:30:00Z', '2026-07-01 10:00:00'), ('win', null, '2026-12-01 10:00:00');`,
    },
    ...(database === undefined ? {} : { env: { DATABASE_URL: database.url } }),
  });
  afterAll(async () => {
    await gateway.stop();
    await database?.drop();
  });
  const seen = async (id: string): Promise<unknown> =>
    JSON.parse((await gateway.call(`/gateway/RESTListeningConnector/Seen.v1/seen/${id}`)).text);

  it('keeps two instants of the repeated hour apart', async () => {
    for (const [id, at] of Object.entries({ a: '2026-10-25T02:30:00+02:00', b: '2026-10-25T02:30:00+01:00' })) {
      const body = JSON.stringify({ AT: at });
      const { status } = await gateway.call(`/gateway/RESTListeningConnector/Seen.v1/seen/${id}`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body,
      });
      expect([200, 201]).toContain(status);
    }
    const [a, b] = ((await Promise.all([seen('a'), seen('b')])) as { AT: string }[]).map(({ AT }) => Date.parse(AT));
    expect([a, b]).toEqual([Date.parse('2026-10-25T00:30:00Z'), Date.parse('2026-10-25T01:30:00Z')]);
  });

  it('returns a local time that was stored with the offset of the zone, as RFC 3339 wants one', async () => {
    expect(await seen('old')).toMatchObject({ LOCAL: '2026-07-01T10:00:00+02:00' });
    expect(await seen('win')).toMatchObject({ LOCAL: '2026-12-01T10:00:00+01:00' });
  });
});
