import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ConsoleGateway, type ConsoleReply, startConsole } from '../console/support.ts';
import { FILES } from '../console/users-project.ts';
import { createDatabase, hasPostgres, type TestDatabase } from '../support/postgres.ts';
import { gatewayText } from '../support/project.ts';

// Someone guesses passwords at the form for signing in: of many users from one address, or of one user from many addresses, at many
// gateways, or many at once. And someone guesses to keep a user out.

/** Refused sign-ins without a pause. */
const OF_USER = 10;
const OF_ADDRESS = 20;

const USERS = 'definitions/users.yaml';
/** Behind a proxy, which is trusted to name the address of each caller. */
const files = {
  ...FILES,
  'definitions/gateway.yaml': gatewayText('console: {}\nproxies: [127.0.0.1]'),
  [USERS]: (FILES[USERS] as string).replaceAll('sample: true\n', ''),
};

let next = 0;
/** An address that no other request had. */
const elsewhere = (): string => {
  next += 1;
  return `203.0.${next >> 8}.${next & 255}`;
};

const tries = (gateway: ConsoleGateway, id: string, password: string, address: string): Promise<ConsoleReply> =>
  gateway.ask('/sign-in', {
    method: 'POST',
    headers: {
      'Content-Type': 'application/x-www-form-urlencoded',
      'Sec-Fetch-Site': 'same-origin',
      'X-Forwarded-For': address,
      'X-Forwarded-Proto': 'https',
    },
    body: new URLSearchParams({ id, password }).toString(),
  });

const statuses = (replies: readonly ConsoleReply[]): Record<string, number> => {
  const found: Record<string, number> = {};
  for (const { status } of replies) found[status] = (found[status] ?? 0) + 1;
  return found;
};

/** Sends 40 guesses for one user together. What is tried besides those without a pause is tried after pauses of 1, 2, 4… seconds. */
async function guessTogether(guess: (index: number) => Promise<ConsoleReply>): Promise<void> {
  const began = performance.now();
  const { 401: tried = 0, 429: refused } = statuses(await Promise.all(Array.from({ length: 40 }, (_, n) => guess(n))));
  const pauses = Math.floor(Math.log2((performance.now() - began) / 1000 + 1));
  expect(tried).toBeGreaterThan(OF_USER);
  expect(tried).toBeLessThanOrEqual(OF_USER + 1 + pauses);
  expect(refused).toBe(40 - tried);
}

describe('at one gateway', () => {
  let gateway: ConsoleGateway;
  beforeEach(async () => {
    gateway = await startConsole({ files });
    return () => gateway.stop();
  });

  it('one address guesses for many users until it has to wait, also for the right password', async () => {
    const address = elsewhere();
    for (let count = 0; count < OF_ADDRESS + 1; count += 1)
      expect((await tries(gateway, `user${count}`, 'wrong', address)).status).toBe(401);
    const shut = await tries(gateway, 'demo', 'demo', address);
    expect([shut.status, shut.headers['retry-after']]).toEqual([429, '1']);
    expect(shut.headers['set-cookie']).toBeUndefined();
    expect((await tries(gateway, 'demo', 'demo', elsewhere())).status).toBe(303);
  });

  it.each([
    'demo',
    'unknown',
    '',
  ])('many addresses guess for one user until all have to wait, as for %j', async (id) => {
    const replies: number[] = [];
    for (let count = 0; count < OF_USER + 3; count += 1)
      replies.push((await tries(gateway, id, 'wrong', elsewhere())).status);
    expect(replies).toEqual([...Array.from({ length: OF_USER + 1 }, () => 401), 429, 429]);
  });

  it('guesses that are sent together are no more than those one after the other', async () => {
    await guessTogether(() => tries(gateway, 'demo', 'wrong', elsewhere()));
  });

  it('strangers do not keep a user out of where he has signed in before', async () => {
    const desk = elsewhere();
    expect((await tries(gateway, 'demo', 'demo', desk)).status).toBe(303);
    for (let count = 0; count < OF_USER + 1; count += 1) await tries(gateway, 'demo', 'wrong', elsewhere());
    expect((await tries(gateway, 'demo', 'demo', elsewhere())).status).toBe(429);
    expect((await tries(gateway, 'demo', 'demo', desk)).status).toBe(303);
  });

  it('who mistypes and then signs in has all attempts again', async () => {
    for (let round = 0; round < 2; round += 1) {
      for (let count = 0; count < OF_USER; count += 1) await tries(gateway, 'demo', 'wrong', elsewhere());
      expect((await tries(gateway, 'demo', 'demo', elsewhere())).status).toBe(303);
    }
  });
});

describe.skipIf(!hasPostgres)('at all gateways of a fleet', () => {
  let database: TestDatabase;
  let gateways: readonly ConsoleGateway[];
  beforeAll(async () => {
    database = await createDatabase({ migrated: true });
    const options = { files, env: { DATABASE_URL: database.url } };
    gateways = await Promise.all([startConsole(options), startConsole(options)]);
  });
  afterAll(async () => {
    await Promise.all(gateways?.map((each) => each.stop()) ?? []);
    await database?.drop();
  });

  it('guesses for one user are no more than at one, and what was typed is not in the database', async () => {
    await guessTogether((n) => tries(gateways[n % 2] as ConsoleGateway, 'typed-secret', 'wrong', elsewhere()));
    const { rows } = await database.run('select * from signalbox_guess');
    expect(JSON.stringify(rows)).not.toMatch(/typed-secret|203\.0/);
  });

  it('guesses of one address are no more than at one', async () => {
    const address = elsewhere();
    const replies: ConsoleReply[] = [];
    for (let count = 0; count < OF_ADDRESS + 2; count += 1)
      replies.push(await tries(gateways[count % 2] as ConsoleGateway, `someone${count}`, 'wrong', address));
    expect(statuses(replies)).toEqual({ 401: OF_ADDRESS + 1, 429: 1 });
  });
});
