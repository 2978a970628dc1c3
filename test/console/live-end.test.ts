import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, hasPostgres, type TestDatabase } from '../support/postgres.ts';
import { ENDED, followTopics, OPENED, type Stream } from './stream.ts';
import { type ConsoleGateway, startConsole, type Visitor } from './support.ts';
import { FILES } from './users-project.ts';

const PASSWORD = 'correct horse';

interface Case {
  readonly name: string;
  /** Ends the session of `id`. */
  readonly end: (own: Visitor, operator: Visitor, id: string) => Promise<{ readonly status: number }>;
}

const CASES: readonly Case[] = [
  { name: 'signs out', end: (own) => own.post('/sign-out') },
  { name: 'gets its sessions ended', end: (_, operator, id) => operator.post(`/users/id/${id}/sessions/end-all`) },
  { name: 'is disabled', end: (_, operator, id) => operator.post(`/users/id/${id}/disable`) },
  {
    name: 'gets another password',
    end: (_, operator, id) => operator.post(`/users/id/${id}/password`, { password: 'battery staple' }),
  },
  {
    name: 'loses its last grant',
    end: (_, operator, id) => operator.post(`/users/id/${id}/roles`, { had: 'READER', role: 'GREETER' }),
  },
];

async function newReader(gateway: ConsoleGateway, operator: Visitor, id: string): Promise<Visitor> {
  const fields = { id, password: PASSWORD, role: 'READER', sure: 'read' };
  expect((await operator.post('/users/new', fields)).status).toBe(303);
  return gateway.signIn(id, PASSWORD);
}

async function opened(gateway: ConsoleGateway, visitor: Visitor): Promise<Stream> {
  const stream = await followTopics(gateway, visitor);
  await stream.until(OPENED);
  return stream;
}

/** Milliseconds until a stream has ended with its session. */
async function ending(stream: Stream): Promise<number> {
  const began = performance.now();
  expect(await stream.toEnd()).toBe(OPENED + ENDED);
  return performance.now() - began;
}

describe('the stream of a user on the gateway that ends the session', () => {
  let gateway: ConsoleGateway;
  let operator: Visitor;
  beforeAll(async () => {
    gateway = await startConsole({ files: FILES });
    operator = await gateway.signIn();
  });
  afterAll(() => gateway?.stop());

  it('ends at once, whatever ends it', async () => {
    let waited = 0;
    for (const [index, { end, name }] of CASES.entries()) {
      const visitor = await newReader(gateway, operator, `u${index}`);
      const stream = await opened(gateway, visitor);
      expect((await end(visitor, operator, `u${index}`)).status, name).toBe(303);
      waited += await ending(stream);
      expect((await visitor.get('/queues')).headers.location, name).toContain('/console/sign-in');
    }
    // A look each two seconds would take twice as long.
    expect(waited).toBeLessThan(CASES.length * 1000);
  });
});

describe.skipIf(!hasPostgres)('the stream of a user on another gateway of the fleet', () => {
  let database: TestDatabase;
  let gateways: readonly ConsoleGateway[];
  beforeAll(async () => {
    database = await createDatabase({ migrated: true });
    const options = { files: FILES, env: { DATABASE_URL: database.url } };
    gateways = await Promise.all([startConsole(options), startConsole(options)]);
  });
  afterAll(async () => {
    await Promise.all(gateways?.map((each) => each.stop()) ?? []);
    await database?.drop();
  });

  it('ends with the next look at the database, which asks for all streams together', async () => {
    const [here, there] = gateways as [ConsoleGateway, ConsoleGateway];
    const operator = await here.signIn();
    const visitors = await Promise.all(CASES.map((_, index) => newReader(here, operator, `u${index}`)));
    const streams = await Promise.all(visitors.map((each) => opened(there, each)));
    const staying = await opened(there, operator);
    const ended = streams.map(ending);
    for (const [index, { end, name }] of CASES.entries())
      expect((await end(visitors[index] as Visitor, operator, `u${index}`)).status, name).toBe(303);
    // Comments of silent streams come after 15 s; a look at the sessions each two seconds.
    for (const waited of await Promise.all(ended)) expect(waited).toBeLessThan(10_000);
    expect(staying.text).toBe(OPENED);
    await staying.close();
    for (const visitor of visitors)
      expect((await there.ask('/queues', { headers: { Cookie: visitor.cookie } })).status).toBe(303);
  });
});
