import { afterAll, describe, expect, it } from 'vitest';
import { hasPostgres } from '../../support/postgres.ts';
import { query } from '../support.ts';
import { postgresOf } from './support.ts';

describe.skipIf(!hasPostgres)('values of PostgreSQL alone', async () => {
  if (!hasPostgres) return;
  const postgres = await postgresOf('', afterAll);
  const ofPostgres = await postgres.open({ timezone: 'UTC' });
  const inBerlin = await postgres.open({ timezone: 'Europe/Berlin' });

  it('of the time before there were zones have whole minutes', async () => {
    const old = query("select timestamptz '1890-01-01 00:00:00+00' as at", { AT: 'datetime' });
    expect(await inBerlin.rows({ query: old, prompts: {} })).toEqual([{ AT: '1890-01-01T00:53:00+00:53' }]);
  });

  it('of other types are texts, integers with a scale are integers, and NULL is NULL', async () => {
    const other = query(
      "select array[1, 2] as a, interval '1 day 2 hours' as i, inet '10.0.0.1' as n, '{\"b\": 1, \"a\": 2}'::jsonb as j, 5.00::numeric as k, null::integer as x, 12.50::numeric as s, 0.1::real as r",
      { A: 'text', I: 'text', N: 'text', J: 'json', K: 'integer', X: 'integer', S: 'string', R: 'decimal' },
    );
    expect(await ofPostgres.rows({ query: other, prompts: {} })).toEqual([
      { A: '{1,2}', I: 'P1DT2H', N: '10.0.0.1', J: '{"a": 2, "b": 1}', K: 5, X: null, S: '12.50', R: '0.1' },
    ]);
  });
});
