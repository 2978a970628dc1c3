import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { callerOf, startFailing } from '../serve/failure-project.ts';
import { startPostgresPair } from '../support/postgres-pair.ts';
import { postgresPrograms } from '../support/postgres-server.ts';
import { eventually } from '../support/project.ts';

/** Milliseconds in which both gateways go on after the primary has failed. */
const WITHIN = 10_000;

describe.skipIf(postgresPrograms() === undefined)('a primary that is killed while its standby is promoted', () => {
  it('stops no gateway for long, loses nothing that was accepted, and nothing runs twice', async () => {
    const pair = await startPostgresPair({ synchronous: true });
    onTestFinished(() => pair.remove());
    const folder = mkdtempSync(join(tmpdir(), 'signalbox-failover-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const door = join(folder, 'door');
    writeFileSync(door, '');
    const gateways = [await startFailing(pair.url), await startFailing(pair.url)];
    for (const gateway of gateways) onTestFinished(() => gateway.stop());
    const callers = gateways.map(callerOf);

    const saved: string[] = [];
    const scheduled = new Map<string, number>();
    let over = false;
    const after = [0, 0];
    let failed: number | undefined;
    const load = callers.map(async (caller, index) => {
      for (let nth = 1; !over; nth++) {
        const name = `${index}-${nth}`;
        const { status } = await caller.note(name);
        if (status === 201) saved.push(name);
        const entered = await caller.schedule(name, door);
        if (entered.status === 201) scheduled.set(name, JSON.parse(entered.text).ProcessInstance);
        if (failed !== undefined && status === 201 && entered.status === 201) (after[index] as number) += 1;
      }
    });
    await eventually('some work', () => saved.length > 10 || undefined);
    pair.primary.kill();
    pair.standby.promote();
    failed = performance.now();
    await eventually('both gateways to go on', () => after.every((count) => count >= 3) || undefined);
    expect(performance.now() - failed).toBeLessThan(WITHIN);
    over = true;
    await Promise.all(load);

    const [{ get, json, effects }] = callers as [(typeof callers)[0]];
    for (const name of saved) expect([name, (await get(`Notes.v1/Notes/${name}`)).status]).toEqual([name, 200]);
    const states = new Map<string, string>();
    await eventually('the end of all processes', async () => {
      for (const [name, instance] of scheduled) {
        if (states.has(name)) continue;
        const { RunStatus } = await json(`ProcessRequest.v1/requests/${instance}`);
        if (RunStatus !== 'Success' && RunStatus !== 'Error') return undefined;
        states.set(name, RunStatus);
      }
      return true;
    });
    const left = await eventually('what follows each save', async () => {
      const all = (await effects()).map(({ ITEM }) => ITEM);
      return saved.every((name) => all.includes(`after ${name}`)) ? all : undefined;
    });
    expect(left.toSorted()).toEqual([...new Set(left)].toSorted());
    // One that was at work may have failed; then it has left nothing.
    for (const [name, state] of states) expect([name, left.includes(name)]).toEqual([name, state === 'Success']);
    expect([...states.values()].filter((state) => state === 'Error').length).toBeLessThan(5);
  });
});
