import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { QueryResult } from '../../src/query/index.ts';
import { sweepTemporary } from '../../src/store/file/folder.ts';
import { inUse } from '../support/memory.ts';
import { bytesOf, databaseOf, query, readersOf, textOf } from './support.ts';

const ROWS = 200_000;
const store = await databaseOf(
  `create table t (id integer primary key, name text, at text, cost real);
   insert into t with recursive c(x) as (select 1 union all select x + 1 from c where x < ${ROWS})
   select x, 'request number ' || x || ' of many, each of them long enough', '2026-01-01 10:00:00', x * 1.25 from c;`,
  afterAll,
);
const port = readersOf(store, { limits: { rows: ROWS, timeout: 60_000 } }, afterAll);
const columns = { ID: 'integer', NAME: 'string', AT: 'datetime', COST: 'decimal' } as const;
const all = query('select * from t', columns);
/** Twice what is kept in memory and no more: what holds for it holds for all of them. */
const LARGE = 20_000;
const large = query(`select * from t where id <= ${LARGE}`, columns);
const folder = `${store.location}-results`;

/** Resident memory of a process, in bytes. */
function residentOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
}

describe('more rows than are kept in memory', () => {
  it('come whole, with a true count and length', async () => {
    const result = await port.run({ query: large, prompts: {}, format: 'json' });
    expect(result).toMatchObject({ rows: LARGE, truncated: false });
    expect(result.length).toBeGreaterThan(2_000_000);
    const { data } = JSON.parse(await textOf(result));
    expect(data.query.numrows).toBe(LARGE);
    expect(data.query.rows).toHaveLength(LARGE);
    expect(data.query.rows.at(-1)).toEqual({
      'attr:rownumber': LARGE,
      ID: LARGE,
      NAME: `request number ${LARGE} of many, each of them long enough`,
      AT: '2026-01-01T10:00:00+0000',
      COST: 25_000,
    });
  });

  it.each(['csv', 'xmlp', 'rows-json'] as const)('come whole as %s', async (format) => {
    const text = await textOf(await port.run({ query: large, prompts: {}, format }));
    expect(text.match(/request number \d+ of many/g)).toHaveLength(LARGE);
    expect(text).toMatch(
      /(,25000\r\n|<COST>25000<\/COST><\/row><\/query><\/QAS_GETQUERYRESULTS_RESP_MSG>|"COST":25000\}\]\})$/,
    );
  });

  it.skipIf(process.platform !== 'linux')('leave the memory of gateway and reader flat (read from /proc)', async () => {
    const one = readersOf(store, { readers: 1, maxReaders: 1, limits: { rows: ROWS, timeout: 60_000 } });
    let atRest = 0;
    const once = async (measures = false): Promise<{ length: number; digest: string; own: number; reader: number }> => {
      const result = await one.run({ query: all, prompts: {}, format: 'json' });
      const hash = createHash('sha256');
      let length = 0;
      if (typeof result.body !== 'function') throw new Error('a large result should be a stream');
      let own = 0;
      let measured = 0;
      for await (const chunk of result.body()) {
        length += chunk.length;
        hash.update(chunk);
        if (!measures || length - measured < 4 * 1_048_576) continue;
        measured = length;
        own = Math.max(own, inUse() - atRest);
      }
      expect(length).toBe(result.length);
      return { length, digest: hash.digest('hex'), own, reader: residentOf(one.status().readers[0]?.pid ?? 0) };
    };
    const first = await once();
    // What the first one loaded and compiled stays.
    atRest = inUse();
    let last = first.reader;
    for (let round = 0; round < 3; round += 1) {
      // Of the gateway's memory one round tells as much as three, and each measurement takes time.
      const next = await once(round === 0);
      expect(next.digest).toBe(first.digest);
      // A copy in memory would be the whole length.
      expect(next.own).toBeLessThan(first.length / 2);
      last = next.reader;
    }
    // What the reader kept of each result would be three lengths by now.
    expect(last - first.reader).toBeLessThan(2 * first.length);
    expect(last).toBeLessThan(200 * 1_048_576);
  });

  it('leave no file behind, read or not', async () => {
    const read = await port.run({ query: large, prompts: {}, format: 'csv' });
    expect(readdirSync(folder)).toEqual([]);
    await bytesOf(read);
    const given = await port.run({ query: large, prompts: {}, format: 'csv' });
    given.dispose?.();
    if (typeof given.body !== 'function') throw new Error('a large result should be a stream');
    await expect(Array.fromAsync(given.body())).rejects.toThrow('the result was given up');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('hold no reader while a slow client takes them', async () => {
    const one = readersOf(store, { readers: 1, maxReaders: 1, limits: { rows: ROWS, timeout: 60_000 } });
    const small = query('select id from t where id = 7', { ID: 'integer' });
    const slow = await one.run({ query: large, prompts: {}, format: 'json' });
    if (typeof slow.body !== 'function') throw new Error('a large result should be a stream');
    const body = slow.body()[Symbol.asyncIterator]();
    await body.next();
    // The first piece is taken and no more: the only reader answers others meanwhile.
    for (let count = 0; count < 20; count += 1) {
      expect(await one.rows({ query: small, prompts: {} })).toEqual([{ ID: 7 }]);
    }
    expect((await body.next()).done).toBe(false);
    await body.return?.();
    slow.dispose?.();
  });

  it('leave their file open for its reader alone when the stream is left early', async () => {
    const result = await port.run({ query: large, prompts: {}, format: 'csv' });
    if (typeof result.body !== 'function') throw new Error('a large result should be a stream');
    for await (const chunk of result.body()) {
      expect(chunk.length).toBeGreaterThan(0);
      break;
    }
    result.dispose?.();
    result.dispose?.();
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('results about as large as fits in memory', () => {
  it.each([
    1_048_000, 1_048_400, 1_048_500, 1_048_560, 1_048_576, 1_048_600, 1_100_000, 3_000_000,
  ])('are exact at %i bytes', async (size) => {
    const wide = query(
      "select replace(printf('%*c', :SIZE, 'x'), ' ', 'é') as name",
      { NAME: 'text' },
      { SIZE: 'integer' },
    );
    const result = await port.run({ query: wide, prompts: { SIZE: size }, format: 'json' });
    const { data } = JSON.parse(await textOf(result));
    expect(data.query.rows[0].NAME).toBe(`${'é'.repeat(size - 1)}x`);
  });

  it.each([1, 2, 3, 4, 5, 6, 7])('are exact whatever the rows add up to (%i)', async (extra) => {
    const wide = query(
      "with recursive c(x) as (select 1 union all select x + 1 from c where x < 200) select x, printf('%*c', :SIZE, 'x') as s from c",
      { X: 'integer', S: 'text' },
      { SIZE: 'integer' },
    );
    const result = await port.run({ query: wide, prompts: { SIZE: 5200 + extra }, format: 'rows-json' });
    const { rows } = JSON.parse(await textOf(result));
    expect(rows.map((row: { X: number; S: string }) => [row.X, row.S.length])).toEqual(
      Array.from({ length: 200 }, (_, index) => [index + 1, 5200 + extra]),
    );
  });
});

describe('the folder of large results', () => {
  it('is swept of what a killed gateway left, never of what is fresh, and of no file with another name', () => {
    const place = mkdtempSync(join(tmpdir(), 'signalbox-test-'));
    try {
      const [old, cut, fresh] = [randomUUID(), `${randomUUID()}-12`, randomUUID()];
      const others = ['.env', 'README.md', `${randomUUID()}.yaml`];
      mkdirSync(join(place, '.git'));
      for (const name of [old, cut, fresh, ...others]) writeFileSync(join(place, name), '');
      for (const name of [old, cut, ...others]) utimesSync(join(place, name), 1, 1);
      sweepTemporary(place);
      expect(readdirSync(place).sort()).toEqual(['.git', fresh, ...others].sort());
      expect(() => sweepTemporary(join(place, 'missing'))).not.toThrow();
    } finally {
      rmSync(place, { recursive: true });
    }
  });
});

describe('the row cap', () => {
  const ten = query('select id, name, at, cost from t where id <= 10 order by id', columns);
  const capped = new Map(
    [3, 5, 10, 100].map((cap) => [
      cap,
      readersOf(store, { readers: 1, limits: { rows: cap, timeout: 20_000 } }, afterAll),
    ]),
  );

  it.each([
    ['the cap cuts', 5, undefined, undefined, 5, true],
    ['the cap just fits', 10, undefined, undefined, 10, false],
    ["the query's own cap cuts", 100, 3, undefined, 3, true],
    ["the query's own cap is the larger", 3, 100, undefined, 10, false],
    ['the caller wants fewer', 100, undefined, 4, 4, false],
    ['the caller wants exactly the cap', 5, undefined, 5, 5, false],
    ['the caller wants more than the cap', 5, undefined, 6, 5, true],
    ['the caller says no limit', 5, undefined, 0, 5, true],
  ] as const)('says so where it cut, and only then: %s', async (_, cap, own, maxrows, rows, truncated) => {
    const result = await capped.get(cap)?.run({
      query: own === undefined ? ten : { ...ten, rows: own },
      prompts: {},
      format: 'csv',
      ...(maxrows === undefined ? {} : { maxrows }),
    });
    expect(result).toMatchObject({ rows, truncated });
    expect(result?.headers).toEqual(truncated ? { 'Rows-Truncated': 'true' } : undefined);
    expect((await textOf(result as QueryResult)).split('\r\n')).toHaveLength(rows + 2);
  });
});
