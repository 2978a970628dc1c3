import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What the gateway is compared with, beside what it depends on itself. Only the bench installs these. */
const VERSIONS = {
  '@fastify/basic-auth': '6.3.0',
  '@hono/node-server': '2.1.8',
  fastify: '5.12.8',
  hono: '4.13.19',
} as const;

/** Where programs of the peers are kept from run to run. */
const cache = fileURLToPath(new URL('../../../../node_modules/.cache/signalbox-bench/', import.meta.url));

/** A folder of the cache that is filled once: named after its content, and complete or absent. */
export function filledOnce(name: string, content: string, fill: (folder: string) => void): string {
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 16);
  const folder = join(cache, `${name}-${hash}`);
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  const temporary = mkdtempSync(join(cache, `${name}-`));
  try {
    fill(temporary);
    renameSync(temporary, folder);
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true });
    // Another run was faster.
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

/**
 * The folder with the packages of the peers, which npm installs on the first run.
 * @throws Error if npm can't install them
 */
export function installPeers(): string {
  const manifest = JSON.stringify({ private: true, dependencies: VERSIONS });
  return filledOnce('peers', manifest, (folder) => {
    writeFileSync(join(folder, 'package.json'), manifest);
    const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error'];
    const { status, stderr, error } = spawnSync('npm', args, { cwd: folder, encoding: 'utf8' });
    if (status === 0) return;
    throw new Error(
      `npm can't install what the gateway is compared with (${Object.keys(VERSIONS).join(', ')}): ` +
        `${error?.message ?? stderr.trim()}\nThe bench needs npm and its registry once; then the packages are in ${cache}`,
    );
  });
}

/** A package of the peers. @param folder of {@link installPeers} */
export function peer<Module>(folder: string, name: keyof typeof VERSIONS): Module {
  return createRequire(join(folder, 'package.json'))(name) as Module;
}
