// Builds dist/ from src/, with the bin and the exports of package.json. Run by `prepare`, and before the tests, with `--if-changed`:
// nothing is done if dist/ is what the last build wrote and everything that it read is unchanged, both by their content.
//
// The new tree is built next to the old one and then replaces it, so that programs that run from dist/ meanwhile never see half
// of it. If src/ does not compile, the old one stays.
import { chmodSync, cpSync, existsSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle } from './build/bundle.ts';
import { bundleConsole } from './build/console.ts';
import { digestInputs, isCurrent, recordBuild } from './build/current.ts';
import { writeTypes } from './build/types.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');

if (!process.argv.includes('--if-changed') || !isCurrent(root)) await build();

async function build(): Promise<void> {
  const inputs = digestInputs(root);
  const staging = mkdtempSync(join(root, '.dist-'));
  const built = join(staging, 'new');
  try {
    if (writeTypes(root, built)) {
      await bundle(root, built);
      await bundleConsole(root, built);
      copyDelivered(built);
      chmodSync(join(built, 'cli/main.js'), 0o755);
      swap(built, join(staging, 'old'));
      recordBuild(root, inputs);
    } else process.exitCode = 1;
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/** The definitions of the services that are part of the package. */
function copyDelivered(to: string): void {
  const from = join(root, 'src/delivered');
  for (const name of readdirSync(from))
    if (name.endsWith('.yaml')) cpSync(join(from, name), join(to, 'delivered', name));
}

function swap(built: string, old: string): void {
  if (existsSync(dist)) renameSync(dist, old);
  renameSync(built, dist);
}
