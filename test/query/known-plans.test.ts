import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it, onTestFinished } from 'vitest';
import { planOf } from '../../src/query/plan.ts';
import { sqlite } from '../../src/query/sqlite/adapter.ts';
import { Executor } from '../../src/query/sqlite/execute.ts';
import { Output } from '../../src/query/sqlite/output.ts';
import { KnownPlans } from '../../src/query/sqlite/reader-process.ts';
import { compileZone } from '../../src/wire/timezone.ts';
import { query } from './support.ts';

const plan = (id: number) => planOf(query(`select ${id} as n`, { N: 'integer' }), id, sqlite.dialect);

it('a reader is given each plan once, and forgets the one that was not used for longest', () => {
  const known = new KnownPlans(2);
  const told = [1, 2, 1, 3, 1, 2].map((id) => {
    const { define, forget } = known.use(plan(id));
    return [define?.id, forget];
  });
  expect(told).toEqual([
    [1, undefined],
    [2, undefined],
    [undefined, undefined],
    [3, 2],
    [undefined, undefined],
    [2, 3],
  ]);
});

it('what a reader was told to forget it holds no longer, until it is given it anew', () => {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-test-'));
  const socket = openSync(join(folder, 'replies'), 'w');
  const database = new Database(':memory:');
  onTestFinished(() => {
    database.close();
    closeSync(socket);
    rmSync(folder, { recursive: true });
  });
  const executor = new Executor(database, compileZone('UTC'));
  const command = { format: 'raw', values: [], limit: 10, probe: true } as const;
  const output = new Output(socket, folder, 'spill');
  executor.run({ ...command, plan: 1, define: plan(1) }, output);
  executor.run({ ...command, plan: 2, define: plan(2), forget: 1 }, output);
  executor.run({ ...command, plan: 2 }, output);
  expect(() => executor.run({ ...command, plan: 1 }, output)).toThrow('there is no plan 1');
  executor.run({ ...command, plan: 1, define: plan(1) }, output);
});
