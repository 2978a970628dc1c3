import { AssertionError } from 'node:assert';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { expectContract, Fault, startTestGateway, type TestCaller, type TestGateway } from '../../src/testing/index.ts';
import { atFileEnd } from '../support/file-end.ts';
import { hasPostgres } from '../support/postgres.ts';
import { writeProject } from '../support/project.ts';
import { type Handlers, WORKSHOP } from './project.ts';

const project = writeProject(WORKSHOP);
atFileEnd(project.remove);
const { root } = project;
const env = { PARTS_SITE: 'berlin' };

describe.for([
  ['SQLite', undefined],
  ...(hasPostgres ? [['PostgreSQL', inject('postgres')] as const] : []),
] as const)('a gateway for tests on %s', ([, database]) => {
  let gateway: TestGateway<Handlers>;
  let ada: TestCaller<Handlers>;
  beforeAll(async () => {
    gateway = await startTestGateway<Handlers>({ root, env, database });
    ada = await gateway.caller({ user: 'ada' });
  }, 60_000);
  afterEach(() => {
    gateway.partner('PARTS').reset();
  });
  afterAll(() => gateway.close());

  const schedule = (more: object = {}): Promise<{ ProcessInstance: number }> =>
    ada.call('PRCS_SCHEDULE', {
      ...{ RunControlId: 'T', ProcessType: 'Application Engine', ProcessName: 'ORDER_PARTS' },
      ...{ parameters: [{ Name: 'NUMBER', Value: '7' }], ...more },
    });

  it('calls operations with types, over REST and SOAP, with the sample data of the project', async () => {
    const vehicle = await ada.call('VEHICLE_GET', { PLATE: 'M AB 1' });
    expect(vehicle).toEqual({ PLATE: 'M AB 1', STATUS: 'ready', SEATS: 5, NOTES: [{ TEXT: 'Brake pad' }] });
    expect(await ada.soap('VEHICLE_GET', { PLATE: 'M AB 1' })).toEqual(vehicle);
    // @ts-expect-error The handler has no such field.
    await expect(ada.call('VEHICLE_GET', { PLAT: 'x' })).rejects.toThrow('PLAT');
  });

  it('calls operations whose reply is a list', async () => {
    const [vehicle] = await ada.call('VEHICLES_GET', { status: 'ready' });
    expect(vehicle).toMatchObject({ PLATE: 'ready' });
    expect(await ada.soap('VEHICLES_GET', { status: 'ready' })).toEqual([vehicle]);
  });

  it('keeps its log, and prints none of it', () => {
    expect(gateway.log).toContainEqual(expect.objectContaining({ level: 'info', msg: 'Looked for M AB 1' }));
    expect(gateway.log.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('has callers with roles, with permission lists, with none, and without a user', async () => {
    const url = '/gateway/RESTListeningConnector/Vehicles.v1/Vehicles/A1';
    const callers = [
      await gateway.caller({ grants: ['EVERYTHING'] }),
      await gateway.caller({ roles: ['ALL'] }),
      await gateway.caller({ user: 'bob' }),
      await gateway.caller(),
    ];
    expect(await Promise.all(callers.map(async (each) => (await each.fetch(url)).status))).toEqual([
      200, 200, 403, 401,
    ]);
    expect(callers[3]?.user).toBeUndefined();
    await expect(callers[2]?.call('VEHICLE_GET', { PLATE: 'A1' })).rejects.toMatchObject({ httpResponseCode: 403 });
    await expect(gateway.caller({ grants: ['EVERYTING'] })).rejects.toThrow(
      'unknown permission list EVERYTING; the definitions have EVERYTHING',
    );
  });

  it('has one user for each name, however often it is named', async () => {
    const [carol, again] = [
      await gateway.caller({ user: 'carol', roles: ['ALL'] }),
      await gateway.caller({ user: 'carol' }),
    ];
    expect((await again.fetch('/gateway/RESTListeningConnector/Vehicles.v1/Vehicles/A1')).status).toBe(200);
    expect(again.user).toBe(carol.user);
    await expect(gateway.caller({ user: 'carol', grants: ['EVERYTHING'] })).rejects.toThrow(
      'the test has made the user carol before, with other roles or grants: name another user',
    );
  });

  it('records what partners are asked, and lets them say what the test wants', async () => {
    const parts = gateway.partner('PARTS');
    parts.answers('PART_GET', (call) => ({ NUMBER: call.input.NUMBER, NAME: `Part ${call.input.NUMBER}` }));
    const { NOTES } = await ada.call('VEHICLE_GET', { PLATE: 'M AB 1' });
    expect(NOTES).toEqual([{ TEXT: 'Part 1' }]);
    expect(parts.asked).toMatchObject([{ operation: 'PART_GET', input: { NUMBER: 1, SITE: 'berlin' } }]);
    parts.answers('PART_GET', Fault.custom('GONE', 410, 'No such part.'));
    await expect(ada.call('VEHICLE_GET', { PLATE: 'M AB 1' })).rejects.toMatchObject({ httpResponseCode: 502 });
    parts.verify();
    expect(() => parts.answers('PART_GOT', {})).toThrow(
      'PARTS has no operation PART_GOT; it has PARTS_LIST, PART_COUNT',
    );
    expect(() => gateway.partner('PART')).toThrow('the project calls no operation at a node PART');
  });

  it('lets partners answer so many times, only some calls, or late, and return faults', async () => {
    const parts = gateway.partner('PARTS');
    const names = async (count: number): Promise<unknown[]> => {
      const found: unknown[] = [];
      for (let at = 0; at < count; at++) {
        const reply = await ada.call('VEHICLE_GET', { PLATE: 'M AB 1' }).catch((error: unknown) => error);
        found.push(
          (reply as { NOTES?: [{ TEXT: string }] }).NOTES?.[0].TEXT ??
            (reply as { httpResponseCode: number }).httpResponseCode,
        );
      }
      return found;
    };
    parts.answers('PART_GET', { NUMBER: 1, NAME: 'Disc' });
    parts.answers('PARTS.v1.PART_GET', { NUMBER: 1, NAME: 'Pad' }, { times: 1 });
    parts.answers('PART_GET', () => Fault.custom('BUSY', 409, 'Not now.'), { times: 2 });
    expect(await names(4)).toEqual([502, 502, 'Pad', 'Disc']);
    parts.answers('PART_GET', { NUMBER: 2, NAME: 'Other' }, { when: { NUMBER: 2 } });
    parts.answers('PART_GET', { NUMBER: 1, NAME: 'This' }, { when: { NUMBER: 1, SITE: 'berlin' }, delay: 60 });
    const began = performance.now();
    expect(await names(1)).toEqual(['This']);
    expect(performance.now() - began).toBeGreaterThanOrEqual(58);
    expect(() => parts.answers('PART_GET', { NUMBER: 1 }, { delay: 'soon' })).toThrow(
      "an answer can be delayed by '2 h', '30 m' or '90 d', at most 1 h, not by 'soon'",
    );
    expect(() => parts.answers('PART_GET', { NUMBER: 1 }, { when: { NUMBER: 'one' } })).toThrow(
      /^no input of PART_GET is as in `when`: NUMBER /,
    );
    parts.reset();
    expect(await names(1)).toEqual(['Brake pad']);
  });

  it('runs queued work to its end, and its retries once the clock allows them', async () => {
    const parts = gateway.partner('PARTS');
    const { ProcessInstance: instance } = await schedule();
    expect(await gateway.settle()).toEqual([]);
    const orders = () => parts.asked.filter(({ operation }) => operation === 'PART_ORDER');
    expect(orders()).toMatchObject([{ input: { NUMBER: 7 }, headers: { 'idempotency-key': `order-${instance}` } }]);

    parts.answers('PART_ORDER', Fault.custom('BUSY', 409, 'Not now.'));
    await schedule();
    const [failed, ...others] = await gateway.settle();
    expect([failed, others]).toMatchObject([{ attempts: 1, again: expect.any(Date) }, []]);
    expect(orders().length).toBe(2);
    expect(await gateway.settle()).toEqual([]);
    await gateway.clock.advance('11 m');
    const [dead] = await gateway.settle();
    expect(orders().length).toBe(3);
    expect(dead).toMatchObject({ attempts: 2, error: expect.stringContaining('PART_ORDER') });
    expect(dead).not.toHaveProperty('again');
  });

  it('moves to the time of what recurs, and beyond the expiry of tokens', async () => {
    const parts = gateway.partner('PARTS');
    const tomorrow = new Date(gateway.clock.now().getTime() + 86_400_000).toISOString().slice(0, 10);
    await schedule({ Recurrence: 'NIGHTLY', RunDateTime: `${tomorrow}T03:00:00Z` });
    await gateway.settle();
    expect(parts.asked).toEqual([]);
    for (const count of [1, 2]) {
      await gateway.clock.advance(count === 1 ? '2 d' : '1 d');
      expect(await gateway.settle()).toEqual([]);
      expect(parts.asked.length).toBeGreaterThanOrEqual(count);
    }
    const tokens = new Set(parts.asked.map(({ headers }) => headers.authorization));
    expect(tokens.size).toBe(parts.asked.length);
  });

  it('starts another one with a database of its own, in little time', async () => {
    const start = performance.now();
    await using other = await startTestGateway({ root, env, database });
    expect(performance.now() - start).toBeLessThan(5000);
    const caller = await other.caller({ user: 'ada' });
    expect(await caller.call('PRCS_FINDREQUESTS')).toEqual({ requests: [] });
  });
});

describe('a gateway for tests', () => {
  it('fails at its end when a partner has refused a request that no test looked at', async () => {
    const gateway = await startTestGateway({ root, env });
    const { node } = { node: gateway.partner('VALUER') };
    const caller = await gateway.caller({ user: 'ada' });
    await caller.fetch('/');
    const refused = await fetch(await partnerAddress(gateway), { method: 'POST', body: '{}' });
    expect(refused.status).toBe(404);
    await expect(gateway.close()).rejects.toThrow(AssertionError);
    node.verify();
  });

  it('says which moves of the clock, callers and partners there are', async () => {
    await using gateway = await startTestGateway({ root, env });
    for (const time of ['-1 h', '1 week', '99999999999 d', Number.POSITIVE_INFINITY])
      await expect(gateway.clock.advance(time)).rejects.toThrow(
        /'2 h', '30 m' or '90 d', at most 100 years, not by .*(1 h|week|9 d|Infinity)/,
      );
    await expect(gateway.caller({ roles: ['SOME'] })).rejects.toThrow('unknown role SOME; the definitions have ALL');
    await expect(gateway.caller({ grants: ['SOME'] })).rejects.toThrow(/unknown permission list SOME;.* EVERYTHING$/);
    for (const user of ['', 'a:b', 'two words'])
      await expect(gateway.caller({ user })).rejects.toThrow(`"${user}" is not the id of a user`);
    expect(() => gateway.partner('SHOP')).toThrow(/no operation at a node SHOP; it calls operations only at PARTS/);
  });

  it('answers as the files in mocks/ say, unless the test says otherwise, and does not start with wrong ones', async () => {
    const mocks =
      'mock: PART_GET\nanswers:\n  - { times: 1, fault: CONFLICT }\n  - { when: { NUMBER: 1 }, reply: { NUMBER: 1, NAME: Filed } }\n';
    const other = writeProject({ ...WORKSHOP, 'mocks/parts.yaml': mocks });
    atFileEnd(other.remove);
    await using gateway = await startTestGateway<Handlers>({ root: other.root, env });
    const ada = await gateway.caller({ user: 'ada' });
    const name = async () => (await ada.call('VEHICLE_GET', { PLATE: 'M AB 1' })).NOTES?.[0]?.TEXT;
    await expect(name()).rejects.toMatchObject({ httpResponseCode: 502 });
    expect(await name()).toBe('Filed');
    gateway.partner('PARTS').answers('PART_GET', { NUMBER: 1, NAME: 'Said' }, { times: 1 });
    expect([await name(), await name()]).toEqual(['Said', 'Filed']);
    gateway.partner('PARTS').answers('PART_GET', undefined, { times: 1 });
    expect([await name(), await name()]).toEqual(['Brake pad', 'Filed']);
    writeFileSync(join(other.root, 'mocks/parts.yaml'), mocks.replace('NAME: Filed', 'NAM: Filed'));
    await expect(startTestGateway({ root: other.root, env })).rejects.toThrow(
      /mocks\/parts\.yaml:4:.*NAM is not a field of PART/,
    );
  });

  it('gives a user that is named twice at once the same credentials', async () => {
    await using gateway = await startTestGateway({ root, env });
    const callers = await Promise.all([1, 2].map(() => gateway.caller({ user: 'eva', grants: ['EVERYTHING'] })));
    const replies = await Promise.all(callers.map((caller) => caller.call('PRCS_FINDREQUESTS')));
    expect(replies).toEqual([{ requests: [] }, { requests: [] }]);
  });

  it('says at its end what was wrong with replies of the test', async () => {
    const gateway = await startTestGateway({ root, env });
    const ada = await gateway.caller({ user: 'ada' });
    const parts = gateway.partner('PARTS');
    for (const reply of [{ NAM: 'x' }, () => Promise.reject(new Error('boom'))]) {
      parts.answers('PART_GET', reply);
      await expect(ada.call('VEHICLE_GET', { PLATE: 'A1' })).rejects.toMatchObject({ httpResponseCode: 502 });
    }
    await expect(gateway.close()).rejects.toThrow(
      /PART_GET failed because of an internal error\. NUMBER is missing[\s\S]*error\. boom/,
    );
  });

  it('ends without a refusal while a partner still owes a reply', async () => {
    const gateway = await startTestGateway({ root, env });
    const ada = await gateway.caller({ user: 'ada' });
    const asked = Promise.withResolvers<void>();
    gateway.partner('PARTS').answers('PART_GET', () => {
      asked.resolve();
      return new Promise(() => {});
    });
    const call = ada.call('VEHICLE_GET', { PLATE: 'A1' }).then(
      () => 'a reply',
      () => 'an error',
    );
    await asked.promise;
    await gateway.close();
    expect(await call).toBe('an error');
  });

  it('says what database is, and which one can not be used', async () => {
    for (const database of ['', 'garbage', 'sqlite:x.db', 'mysql://u:p@127.0.0.1/x'])
      await expect(startTestGateway({ root, env, database })).rejects.toThrow(
        /^database is the URL of a PostgreSQL server/,
      );
    await expect(startTestGateway({ root, env, database: 'postgres://u:secret@127.0.0.1:1/x' })).rejects.toThrow(
      /^the test can't use 127\.0\.0\.1:1, which `database` names: connect ECONNREFUSED/,
    );
  });

  it.runIf(hasPostgres)('has the schema of the project, which its SQL may name', async () => {
    const { root, remove } = writeProject({
      'definitions/gateway.yaml': `gateway: LOCAL
namespace: urn:test
database: { url: "\${env:DATABASE_URL}", schema: "\${env:SCHEMA}" }
migrations: migrations
`,
      'definitions/cars.yaml': `query: CARS
permission: EVERYTHING
columns: { PLATE: string(9) }
sql: select plate from fleet.car join car as same using (plate)
---
service: Cars.v1
permission: EVERYTHING
operations: { CARS_GET: { get: cars, query: CARS } }
`,
      'migrations/0001-cars.sql': 'create table car (plate varchar(9));\n',
      'migrations/0002-cars.postgres.sql': "insert into fleet.car values ('M');\n",
    });
    atFileEnd(remove);
    await using gateway = await startTestGateway({ root, env: { SCHEMA: 'fleet' }, database: inject('postgres') });
    const caller = await gateway.caller({ grants: ['EVERYTHING'] });
    expect(await caller.call('CARS_GET')).toMatchObject({ rows: [{ PLATE: 'M' }] });
  });
});

/** Where a partner listens: what the gateway warns of at its start. */
async function partnerAddress(gateway: TestGateway<unknown>): Promise<string> {
  const line = gateway.log.find(({ msg = '' }) => msg.includes('stands in for node PARTS'));
  return `${/http:\S+/.exec(String(line?.msg))?.[0]}/nowhere`;
}

describe('a contract', () => {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-contract-'));
  atFileEnd(() => rmSync(folder, { recursive: true, force: true }));
  const update = async (work: () => Promise<void>): Promise<void> => {
    process.env.UPDATE_CONTRACTS = '1';
    try {
      await work();
    } finally {
      delete process.env.UPDATE_CONTRACTS;
    }
  };

  it.each([
    'openapi',
    'wadl',
  ] as const)('is compared with its file, and written when that is asked for: %s', async (form) => {
    const file = join(folder, form === 'openapi' ? 'v.openapi.json' : 'v.wadl');
    await expect(expectContract(root, form, 'Vehicles.v1', file)).rejects.toThrow(
      /does not exist[\s\S]*UPDATE_CONTRACTS=1/,
    );
    await update(() => expectContract(root, form, 'Vehicles.v1', file));
    await expectContract(root, form, 'Vehicles.v1', file);
    const other = writeProject({
      ...WORKSHOP,
      'definitions/vehicles.yaml': (WORKSHOP['definitions/vehicles.yaml'] as string).replace(
        'maximum: 9',
        'maximum: 8',
      ),
    });
    atFileEnd(other.remove);
    const shown = form === 'openapi' ? 'SEATS/maximum: 9 is now 8' : /line \d+:[\s\S]*- .*9[\s\S]*\+ .*8/;
    await expect(expectContract(other.root, form, 'Vehicles.v1', file)).rejects.toThrow(shown);
    writeFileSync(file, '<<<<<<< HEAD');
    await expect(expectContract(root, form, 'Vehicles.v1', file)).rejects.toThrow(
      `${file}:\nline 1:\n  - <<<<<<< HEAD`,
    );
  });

  it('names services and forms that are not there', async () => {
    await expect(expectContract(root, 'openapi', 'Vehicles.v2', 'x')).rejects.toThrow(
      'there is no service Vehicles.v2',
    );
    await expect(expectContract(root, 'wsdl', 'PARTS.v1', 'x')).rejects.toThrow('PARTS.v1 has no wsdl');
  });
});
