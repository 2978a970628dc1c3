import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SCHEME_ENV, writeProject as writeChild } from '../../scripts/child/schemes.ts';
import { readCases } from '../../scripts/fuzz/cases.ts';
import { judge } from '../../scripts/fuzz/judge.ts';
import { loadProject, renderDiagnostics } from '../../src/load/index.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { writeProject } from '../support/project.ts';
import { expectUnharmed } from './support/attack.ts';

// What the fuzz run, or a test here, has found once: tried with the definitions that it was found with.

const root = mkdtempSync(join(tmpdir(), 'signalbox-cases-'));
let gateway: TestGateway;
beforeAll(async () => {
  writeChild(fileURLToPath(new URL('../../', import.meta.url)), root);
  gateway = await startTestGateway({ root, env: SCHEME_ENV });
});
afterAll(async () => {
  await expectUnharmed(gateway);
  await gateway.stop();
  rmSync(root, { recursive: true, force: true });
});

it.each(readCases())('%s', async (_, given) => {
  if (given.kind === 'request') {
    const { port } = gateway;
    const lineOf = async (id: string) => gateway.log().filter(({ requestId }) => requestId === id);
    return judge({ port, alive: true, lineOf }, Buffer.from(given.bytes, 'latin1'));
  }
  const project = writeProject({ 'definitions/found.yaml': given.text });
  try {
    const loaded = loadProject({ root: project.root });
    renderDiagnostics(loaded, { colour: false });
    expect(loaded.registry === undefined).toBe(loaded.diagnostics.some(({ severity }) => severity === 'error'));
  } finally {
    project.remove();
  }
});
