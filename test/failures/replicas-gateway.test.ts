import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { loadProject } from '../../src/load/index.ts';
import type { Registry } from '../../src/model/registry.ts';
import { reachDatabase } from '../../src/query/index.ts';
import { checkConnected } from '../../src/serve/start/database-check.ts';
import { freePort } from '../support/free-port.ts';
import { startTestGateway } from '../support/gateway.ts';
import { type PostgresPair, startPostgresPair } from '../support/postgres-pair.ts';
import { postgresPrograms } from '../support/postgres-server.ts';
import { eventually, writeProject } from '../support/project.ts';

const rest = '/gateway/RESTListeningConnector';

const GATEWAY = `gateway: LOCAL
namespace: urn:test
sample-data: sample/*.sql
database:
  url: \${env:DATABASE_URL}
  replicas: { urls: ['\${env:REPLICA_URL}', '\${env:ANOTHER_REPLICA_URL:-}'], lag: 5 s }
`;

const PLACES = `document: PLACE
fields: { ID: { type: int, required: true } }
---
component: PLACES
table: place
shape: PLACE
keys: [ID]
---
query: WHERE
public: true
columns: { PORT: integer }
sql: select current_setting('port')::integer as port
---
query: COUNTED
public: true
columns: { PLACES: integer }
sql: select count(*) as places from place
---
service: Places.v1
permission: EVERYTHING
operations:
  WHERE: { get: Where, query: WHERE }
  PLACES_PUT: { put: 'Places/{ID}', save: PLACES }
  PLACES_GET: { get: 'Places/{ID}', read: PLACES }
`;

describe.skipIf(postgresPrograms() === undefined)('a gateway whose database has a replica', () => {
  let pair: PostgresPair;
  beforeAll(async () => {
    pair = await startPostgresPair();
  }, 60_000);
  afterAll(() => pair?.remove());

  const project = () => {
    const made = writeProject({
      'definitions/gateway.yaml': GATEWAY,
      'definitions/places.yaml': PLACES,
      'definitions/sample/place.sql': 'create table place (id integer primary key)',
    });
    onTestFinished(made.remove);
    return made;
  };
  const env = () => ({ DATABASE_URL: pair.primary.url, REPLICA_URL: pair.standby.url });
  const portOf = (url: string): number => Number(new URL(url).port);

  it('runs stored queries there, and everything else on the primary', { timeout: 60_000 }, async () => {
    const box = await startTestGateway({ root: project().root, env: env() });
    onTestFinished(() => box.stop());
    const saved = async (id: number) => {
      const body = `{"ID":${id}}`;
      const headers = { 'content-type': 'application/json' };
      await box.call(`${rest}/Places.v1/Places/${id}`, { method: 'PUT', headers, body });
      return (await box.call(`${rest}/Places.v1/Places/${id}`)).status;
    };
    const where = async () => JSON.parse((await box.call(`${rest}/Places.v1/Where`)).text).rows[0].PORT;
    await eventually('the replica', async () => (await where()) === portOf(pair.standby.url) || undefined);
    const metrics = (await box.call('/metrics')).text;
    const standby = new pg.Client(pair.standby.url);
    await standby.connect();
    await standby.query('select pg_wal_replay_pause()');
    expect(await saved(1)).toBe(200);
    await standby.query('select pg_wal_replay_resume()');
    await standby.end();
    expect(metrics).toMatch(/signalbox_pool_connections\{pool="queries replica 1",state="idle"\} 1/);

    pair.standby.stop('immediate');
    onTestFinished(() => pair.standby.start());
    expect(await where()).toBe(portOf(pair.primary.url));
    expect((await box.call('/health/ready')).status).toBe(200);
    await eventually('a line of the log', async () => {
      await where();
      return box.log().some(({ msg }) => /^The replica .* is left out: /.test(`${msg}`)) || undefined;
    });
  });

  it('gets a warning from check --connect for a replica that is away, is not a standby, rejects queries, or is not verified', async () => {
    const { root } = project();
    const registry = loadProject({ root }).registry as Registry;
    const found = async (replica: string): Promise<string[]> => {
      const diagnostics = await checkConnected(registry, { root, env: { ...env(), REPLICA_URL: replica } });
      return diagnostics.map(({ code, severity, message }) => `${severity} ${code} ${message}`);
    };
    expect(await found(pair.standby.url)).toEqual([]);
    const away = `127.0.0.1:${await freePort()}`;
    expect(await found(`postgres://postgres@${away}/postgres`)).toEqual([
      `warning replica-setup The database: the replica ${away}/postgres can't be read from: connect ECONNREFUSED ${away}.`,
    ]);
    const primary = `127.0.0.1:${portOf(pair.primary.url)}`;
    expect(await found(pair.primary.url)).toEqual([
      `warning replica-setup The database: the replica ${primary}/postgres can't be read from: it is a primary that can be written to, and standby is wanted.`,
    ]);
    // The standby has this database too, without the table.
    const other = `127.0.0.1:${portOf(pair.standby.url)}/template1`;
    expect(await found(`postgres://postgres@${other}`)).toEqual([
      `warning replica-setup The database: the replica ${other} can't be read from: The database rejects query COUNTED: relation "place" does not exist.`,
    ]);
    // Linux connects it to itself, but it is no address of this machine alone.
    const anywhere = `0.0.0.0:${portOf(pair.standby.url)}/postgres`;
    const notVerified = `Nothing verifies that ${anywhere} is the database (sslmode=prefer)`;
    expect(await found(`postgres://postgres@${anywhere}`)).toEqual([
      expect.stringContaining(`warning database-setup The database: ${notVerified}`),
    ]);
    const replicas = { lag: 5000, urls: () => [`postgres://postgres@${anywhere}`] };
    const datasource = await reachDatabase(pair.primary.url, root, { replicas });
    expect(datasource.warnings).toEqual([expect.stringContaining(notVerified)]);
    await expect(found('postgres://db2,db3/hr')).resolves.toEqual([
      expect.stringContaining('names several servers; give each replica a URL of its own'),
    ]);
  });

  it('does not start on SQLite with replicas, unless their URLs are empty', async () => {
    const { root } = project();
    const sqlite = { DATABASE_URL: 'sqlite:box.db' };
    await expect(startTestGateway({ root, env: { ...sqlite, REPLICA_URL: pair.standby.url } })).rejects.toThrow(
      'replicas are servers of PostgreSQL, of a database on PostgreSQL',
    );
    const text = GATEWAY.replace('REPLICA_URL}', 'REPLICA_URL:-}').replace('sample-data: sample/*.sql\n', '');
    const optional = writeProject({ 'definitions/gateway.yaml': text });
    onTestFinished(optional.remove);
    const box = await startTestGateway({ root: optional.root, env: sqlite });
    await box.stop();
  });
});
