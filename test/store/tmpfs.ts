import { spawnSync } from 'node:child_process';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from './support.ts';

/** Whether this process may mount file systems, as root outside of a strict container may. */
export const canMount = mountable();

/** A folder with room for little, unmounted when the test ends. @param options of tmpfs: `size=1m,mode=777` */
export function smallDisk(options: string): string {
  const folder = temporaryFolder();
  if (!mount(folder, options)) throw new Error(`${folder} could not be mounted`);
  onTestFinished(() => void spawnSync('umount', ['-l', folder]));
  return folder;
}

function mount(folder: string, options: string): boolean {
  return spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder]).status === 0;
}

function mountable(): boolean {
  if (process.platform !== 'linux' || process.geteuid?.() !== 0) return false;
  // Into a name space of its own, so that nothing of the trial stays.
  return spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', '-o', 'size=4k', 'tmpfs', '/mnt']).status === 0;
}
