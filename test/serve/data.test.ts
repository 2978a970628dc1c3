import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { loadProject } from '../../src/load/index.ts';
import type { Registry } from '../../src/model/registry.ts';
import { openData } from '../../src/serve/start/data.ts';
import { attachment, bytesOf, read } from '../store/content.ts';
import { writeProject } from '../support/project.ts';

it('a registry has blobs and a spool beside its database, and they end with it', async () => {
  const project = writeProject({});
  onTestFinished(project.remove);
  const registry = loadProject({ root: project.root }).registry as Registry;
  const data = await openData(registry, { root: project.root, env: { DATABASE_URL: 'sqlite:.signalbox/a.db' } });
  const blobs = data.blobs.scope('Files.v1');
  await blobs.put('report', attachment('one'));
  expect(String(await read(await blobs.get('report')))).toBe('one');
  expect(existsSync(join(project.root, '.signalbox/blobs'))).toBe(true);

  const kept = await data.spool.keep(attachment(bytesOf(300_000)).stream(), 300_000);
  expect(readdirSync(join(project.root, '.signalbox/a.db-spool'))).toEqual([]);
  expect(bytesOf(300_000).equals(await read(kept))).toBe(true);
  kept.dispose();

  await data.close();
  await expect(blobs.put('report', attachment('two'))).rejects.toThrow('closed');
  expect(readdirSync(join(project.root, '.signalbox/blobs/a.db-writers'))).toEqual([]);
});
