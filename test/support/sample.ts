import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { repository } from '../cli/support.ts';

/** A project in its own folder. */
export interface SampleCopy {
  readonly root: string;
  remove(): void;
}

/** A copy of the sample, like a clone after `npm ci`, with files added or replaced. */
export function copySample(files: Readonly<Record<string, string>> = {}): SampleCopy {
  const root = mkdtempSync(join(tmpdir(), 'signalbox-sample-'));
  for (const path of ['definitions', 'src/handlers', 'generated', 'package.json'])
    cpSync(join(repository, path), join(root, path), { recursive: true });
  // The copy has the package's own name, so that 'signalbox' in a handler means this folder's dist/.
  for (const path of ['node_modules', 'dist']) symlinkSync(join(repository, path), join(root, path), 'dir');
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return { root, remove: () => rmSync(root, { recursive: true, force: true, maxRetries: 3 }) };
}
