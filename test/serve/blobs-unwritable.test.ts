import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../store/support.ts';
import { startTestGateway } from '../support/gateway.ts';
import { gatewayText } from '../support/project.ts';

// A file where the folder should be: permissions would not stop root.
const FILES = { 'definitions/gateway.yaml': gatewayText() };

it('a gateway whose blobs can not be written is not ready, and says so', async () => {
  const gateway = await startTestGateway({ files: FILES });
  onTestFinished(() => gateway.stop());
  const ready = () => gateway.call('/health/ready', { anonymous: true });
  const blobs = join(gateway.folder, 'blobs');
  expect([(await ready()).status, readdirSync(blobs)]).toEqual([200, []]);
  renameSync(blobs, `${blobs}-away`);
  writeFileSync(blobs, '');
  const { status, text } = await ready();
  expect([status, text]).toEqual([503, expect.stringContaining("the folder of blobs can't be written")]);
  expect(text).not.toContain(gateway.folder);
  const line = gateway.log().findLast(({ msg }) => msg === 'The gateway is not ready.');
  expect(JSON.stringify(line?.err)).toContain(`${blobs} can't be used for blobs: `);
  expect((await gateway.call('/health/live', { anonymous: true })).status).toBe(200);
  rmSync(blobs);
  expect((await ready()).status).toBe(200);
});

it.each<[string, (folder: string) => void]>([
  ['a file', (folder) => writeFileSync(join(folder, 'blobs'), '')],
  [
    'a folder that writers can not use',
    (folder) => {
      mkdirSync(join(folder, 'blobs'));
      writeFileSync(join(folder, 'blobs', 'box.db-writers'), '');
    },
  ],
])('does not start where there is %s in place of it', async (_, put) => {
  const folder = temporaryFolder();
  put(folder);
  const started = startTestGateway({ files: FILES, env: { DATABASE_URL: `sqlite:${join(folder, 'box.db')}` } });
  onTestFinished(() => started.then((gateway) => gateway.stop()).catch(() => {}));
  await expect(started).rejects.toThrow(`${join(folder, 'blobs')} can't be used for blobs: `);
});
