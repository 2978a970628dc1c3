import { CompiledQuery } from 'kysely';
import { describe, expect, it } from 'vitest';
import { FlowError, InvokeError, ReplyFault } from '../../src/invoke/index.ts';
import { createLog } from '../../src/serve/log/log.ts';
import { postgresPlace } from '../store/engines.ts';
import { hasPostgres } from '../support/postgres.ts';

/** What the log writes of an error. */
function logged(err: unknown): string {
  let line = '';
  createLog({
    to: {
      write(text: string) {
        line += text;
      },
    },
  }).error({ err }, 'it went wrong');
  return line;
}

const called = { operation: 'IMPORT_POST', requestId: 'call-1', address: 'http://a.example/import' };
const sent = {
  operation: 'IMPORT_POST',
  method: 'POST',
  url: 'http://a.example/import',
  headers: {},
  body: '[{"name":"PAYLOAD"}]',
};

describe('an error in the log', () => {
  it
    .skipIf(!hasPostgres)
    .each([
      ["select 'PAYLOAD'::integer"],
      ['select $1::date'],
      ["insert into box values ('PAYLOAD')"],
      ["insert into box values ('PAYLOAD-checked')"],
    ])('of PostgreSQL holds no value: %s', async (statement) => {
    const place = await postgresPlace();
    await place.run(
      "create table box (id text primary key check (id not like '%checked')); insert into box values ('PAYLOAD')",
    );
    const store = await place.open();
    const failed = await (await store.tables())
      .executeQuery(CompiledQuery.raw(statement, statement.includes('$1') ? ['PAYLOAD'] : []))
      .catch((error: unknown) => error);
    expect(JSON.stringify(failed) + String(failed)).toContain('PAYLOAD');
    for (const error of [failed, new Error('it could not be kept', { cause: failed })]) {
      const line = logged(error);
      // The statement is the author's, and no part of what is logged.
      expect(line).not.toContain('PAYLOAD');
      expect(line).toMatch(/invalid input syntax|violates/);
    }
  });

  it('of a call says where and why, and neither what was sent nor what came back', () => {
    const fault = new ReplyFault(
      called,
      { fault: { message: 'PAYLOAD' }, reason: 'No such table', detail: 'PAYLOAD' },
      { httpResponseCode: 400, body: 'PAYLOAD' },
    );
    fault.sent = sent;
    const line = logged(fault);
    expect(line).not.toContain('PAYLOAD');
    expect(JSON.parse(line).err).toEqual({
      type: 'ReplyFault',
      message: 'IMPORT_POST: No such table',
      code: 'FAULT',
      ...called,
      httpResponseCode: 400,
    });
  });

  it('of a flow says which step, with what that says', () => {
    const step = new InvokeError('CONNECTION', called, 'nothing listens at its address', {
      hint: 'Is it running?',
      cause: new TypeError('connect ECONNREFUSED'),
    });
    step.sent = sent;
    const { err } = JSON.parse(
      logged(new FlowError('Imports.v1.all', { index: 1, of: 2, operation: 'IMPORT_POST' }, step, { steps: [] })),
    );
    expect(err).toMatchObject({
      type: 'FlowError',
      message: 'Imports.v1.all: step 1 of 2, IMPORT_POST: nothing listens at its address',
      cause: {
        type: 'InvokeError',
        code: 'CONNECTION',
        cause: { type: 'TypeError', message: 'connect ECONNREFUSED' },
      },
    });
    expect(JSON.stringify(err)).not.toContain('PAYLOAD');
  });

  it('that repeats its cause says it once', () => {
    const cause = new Error('terminating connection');
    const repeats = new Error('the connection was lost: terminating connection', { cause });
    expect(JSON.parse(logged(repeats)).err.message).toBe('the connection was lost: terminating connection');
    expect(JSON.parse(logged(new Error('the save failed', { cause: repeats }))).err.message).toBe(
      'the save failed: the connection was lost: terminating connection',
    );
  });

  it('of another kind keeps its stack', () => {
    const { err } = JSON.parse(logged(new TypeError('x is not a function')));
    expect(err).toMatchObject({
      type: 'TypeError',
      message: 'x is not a function',
      stack: expect.stringContaining('at '),
    });
    expect(JSON.parse(logged('text')).err).toBe('text');
  });
});
