import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasPostgres } from '../support/postgres.ts';
import { eventually } from '../support/project.ts';
import { startTransactions, type TransactionGateway } from './transaction-project.ts';

const BASE = '/gateway/RESTListeningConnector/Vehicles.v1';
const ENGINES = hasPostgres ? (['sqlite', 'postgres'] as const) : (['sqlite'] as const);

describe.each(ENGINES)('context.transaction, on %s', (kind) => {
  let box: TransactionGateway;
  beforeAll(async () => {
    box = await startTransactions(kind);
  });
  afterAll(() => box.stop());

  let calls = 0;
  const attempt = async (path: string, anonymous = false) => {
    const id = `call-${++calls}`;
    const reply = await box.call(`${BASE}/${path}`, {
      method: 'POST',
      anonymous,
      headers: { 'x-request-id': id },
    });
    return { ...reply, lines: box.log().filter((line) => line.requestId === id) };
  };
  const kilometres = async (plate: string): Promise<number[]> =>
    (await box.rows(`select km from vehicle where plate = '${plate}'`)).map(({ km }) => Number(km));
  const requests = async (): Promise<number> => Number((await box.rows('select count(*) as n from psprcsrqst'))[0]?.n);
  const told = async (plate: string): Promise<unknown[]> =>
    (await box.rows(`select what, seen from told where plate = '${plate}' order by what`)).map(({ what, seen }) => [
      what,
      seen,
    ]);

  it('commits saves, statements and queued work together; its queries see what it wrote, others do not', async () => {
    const { status, text } = await attempt('try/commit');
    expect(status, text).toBe(200);
    const { instance, ...seen } = JSON.parse(text);
    expect(seen).toEqual({
      created: true,
      changed: 1,
      rows: [{ km: 7 }],
      record: { PLATE: 'second', KM: 7 },
      inside: [
        {
          PLATE: 'commit',
          KM: '9007199254740993n',
          PRICE: '12.50',
          SEEN: expect.stringMatching(/^2026-01-31T10:00:00(Z|\+00:00)$/),
        },
        { PLATE: 'second', KM: 7, PRICE: null, SEEN: null },
      ],
      outside: 0,
    });
    expect(instance).toBeGreaterThan(0);
    expect(await kilometres('second')).toEqual([7]);
    // The class after the save and the process run once it is committed.
    await eventually('queued work', async () => ((await told('commit')).length === 2 ? true : undefined));
    expect(await told('commit')).toEqual([
      ['event', 1],
      ['process', 7],
    ]);
    expect(await box.rows(`select runcntlid from psprcsrqst where prcsinstance = ${instance}`)).toEqual([
      { runcntlid: 'mine' },
    ]);
  });

  it('is rolled back when its work throws, with what it has queued', async () => {
    const before = await requests();
    const { status, lines } = await attempt('try/rollback');
    expect(status).toBe(500);
    expect(lines).toContainEqual(expect.objectContaining({ err: expect.objectContaining({ message: 'not today' }) }));
    expect(await kilometres('rollback')).toEqual([]);
    expect(await requests()).toBe(before);
    expect(await told('rollback')).toEqual([]);
  });

  it('reads as many rows as a query may have, and as code wants', async () => {
    const { text, headers } = await attempt('try/capped');
    expect(JSON.parse(text)).toEqual([2, 1]);
    expect(headers['rows-truncated']).toBe('true');
  });

  it('runs calls that are made together one after the other', async () => {
    expect((await attempt('try/together')).text).toBe('4');
    expect(await kilometres('together')).toEqual([22]);
  });

  it.each([
    ['conflict', 409, 'VEHICLES second exists already.'],
    ['parameter', 400, 'Parameter PLATE is missing.'],
    ['read-none', 404, 'There is no VEHICLES none.'],
  ])('answers %s with %i', async (path, status, message) => {
    const reply = await attempt(`try/${path}`);
    expect([reply.status, JSON.parse(reply.text).detail ?? reply.text]).toEqual([
      status,
      expect.stringContaining(message),
    ]);
  });

  it('is not for anonymous callers where it queues a process', async () => {
    const reply = await attempt('anyone', true);
    expect([reply.status, reply.text]).toEqual([
      403,
      expect.stringContaining('An anonymous caller may not use process TOLD.'),
    ]);
  });

  it.each([
    ['nested', 'context.transaction was called inside a transaction: use the transaction that is open'],
    ['nested-save', 'context.saveComponent was called inside a transaction: use saveComponent of the transaction'],
    [
      'datasource',
      "ELSEWHERE reads the datasource OTHER, which a transaction can't: it has the gateway's own database",
    ],
    ['unnamed', 'src/handlers/try.ts of operation TRY uses the query undefined, but a name is a text.'],
    [
      'undeclared',
      'src/handlers/try.ts of operation TRY uses the process "TODL", but no definition declares it. Did you mean TOLD?',
    ],
  ])('tells mistakes of code in the log: %s', async (path, message) => {
    const { status, lines } = await attempt(`try/${path}`);
    expect(status).toBe(500);
    expect(lines).toContainEqual(
      expect.objectContaining({ level: 'error', err: expect.objectContaining({ message }) }),
    );
  });

  it('waits for what its work has not awaited, and is closed then', async () => {
    expect((await attempt('try/not-awaited')).text).toBe('1');
    expect(await kilometres('not-awaited')).toEqual([31]);
    expect(JSON.parse((await attempt('try/late')).text)).toBe('the transaction is over: await everything that it does');
  });

  it('goes on after a query that was refused', async () => {
    expect(JSON.parse((await attempt('try/caught')).text)).toBe('BAD_PARAMETER');
    expect(await kilometres('caught')).toEqual([41]);
  });

  it('ends with the time limit, and lets others write', async () => {
    const { status } = await attempt('try/hangs');
    expect(status).toBe(504);
    expect(await kilometres('hangs')).toEqual([]);
    expect((await attempt('try/event')).status).toBe(200);
  });

  it.runIf(kind === 'postgres')(
    'runs again when it gave way to another transaction, and is committed once',
    async () => {
      const before = await requests();
      expect((await attempt('try/gives-way')).text).toBe('3');
      expect(await kilometres('gives-way')).toEqual([83]);
      expect(await requests()).toBe(before + 1);
      await box.rows("insert into vehicle (plate, km) values ('left', 0), ('right', 0)");
      expect((await attempt('try/deadlock')).text).toBe('[1,2]');
      expect([await kilometres('left'), await kilometres('right')]).toEqual([[2], [2]]);
    },
  );

  it('reads a record outside of a transaction', async () => {
    expect(JSON.parse((await attempt('try/read')).text)).toEqual({ PLATE: 'second', KM: 7 });
  });
});
