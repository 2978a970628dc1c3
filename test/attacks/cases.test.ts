import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { SCHEME_ENV, writeProject } from '../trials/child/schemes.ts';
import { readCases } from '../trials/fuzz/cases.ts';
import { CHECK_MS, type Check, createCheck } from '../trials/fuzz/check.ts';
import { checkImport } from '../trials/fuzz/contracts.ts';
import { judge } from '../trials/fuzz/judge.ts';
import { expectUnharmed } from './support/attack.ts';

// What the fuzz run, or a test here, has found once: tried with the definitions that it was found with.

const root = mkdtempSync(join(tmpdir(), 'signalbox-cases-'));
let gateway: TestGateway;
let check: Check;
beforeAll(async () => {
  writeProject(fileURLToPath(new URL('../../', import.meta.url)), root);
  check = createCheck(root);
  gateway = await startTestGateway({ root, env: SCHEME_ENV });
});
afterAll(async () => {
  await expectUnharmed(gateway);
  await gateway.stop();
  rmSync(root, { recursive: true, force: true });
});

/** Found of these is that they were let in, which is no failure of the gateway's own. */
const LET_IN = ['request-two-authorizations.json', 'request-without-version.json'];

it.each(readCases())('%s', async (name, given) => {
  if (given.kind === 'request') {
    const { port } = gateway;
    const before = gateway.log().length;
    const lineOf = async (id: string) => gateway.log().filter(({ requestId }) => requestId === id);
    await judge({ port, deaths: 0, lineOf }, Buffer.from(given.bytes, 'latin1'));
    const decisions = gateway
      .log()
      .slice(before)
      .map(({ decision }) => decision);
    if (LET_IN.includes(name)) expect(decisions).toEqual(['refused']);
    return;
  }
  const from = performance.now();
  expect(given.kind === 'import' ? await checkImport(given) : check(given)).toBe('');
  expect(performance.now() - from, 'more than the fuzz run gives it').toBeLessThan(CHECK_MS);
});
