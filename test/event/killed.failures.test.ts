import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { eventually } from '../support/project.ts';
import { openAudited } from './audited.ts';

const SAVER = fileURLToPath(new URL('./saver.ts', import.meta.url));
const KILLS = 3;

/** Starts one that saves, and kills it somewhere within the moments after its second save or one of the next. */
async function killOne(folder: string): Promise<void> {
  const child: ChildProcess = spawn(process.execPath, [SAVER, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  let saves = 2 + Math.floor(Math.random() * 6);
  const saved = new Promise<void>((resolve) => {
    child.stdout!.on('data', (dots: Buffer) => {
      saves -= dots.length;
      if (saves <= 0) resolve();
    });
  });
  await Promise.race([saved, ended]);
  await pause(Math.random() * 10);
  child.kill('SIGKILL');
  expect((await ended)[1]).toBe('SIGKILL');
}

it('runs every class once for every save that was committed, in order, wherever a gateway is killed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (let n = 0; n < KILLS; n++) await killOne(folder);
  const { store, queue } = await openAudited(folder);
  await queue.start();
  const db = await store.tables();
  const counted = await sql<{ id: number; revision: number }>`select id, revision from counted order by id`.execute(db);
  const saves = counted.rows.reduce((sum, { revision }) => sum + revision, 0);
  expect(saves).toBeGreaterThan(KILLS);
  await eventually('a row of audit for each class and save', async () => {
    const found = await sql<{ rows: number }>`select count(*) as rows from audit`.execute(db);
    return found.rows[0]!.rows >= 2 * saves ? true : undefined;
  });
  for (const { id, revision } of counted.rows) {
    const { rows } = await sql`select revision, class from audit where id = ${id} order by n`.execute(db);
    const expected = Array.from({ length: revision }, (_, n) =>
      ['Audit', 'Second'].map((name) => ({ revision: n + 1, class: name })),
    ).flat();
    expect(rows).toEqual(expected);
  }
  expect(await queue.deadLetters()).toEqual([]);
  await queue.close();
  await store.close();
});
