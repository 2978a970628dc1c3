import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Resident memory, in bytes, of a process and all its descendants. */
export async function residentMemory(pid: number): Promise<number> {
  const { stdout } = await run('ps', ['-A', '-o', 'pid=,ppid=,rss=']);
  return 1024 * sumOfTree(stdout, pid);
}

/**
 * Proportional memory (PSS), in bytes, of a process and all its descendants: a page that several processes share counts
 * once, in equal parts. From /proc/PID/smaps_rollup, proc_pid_smaps(5).
 */
export async function proportionalMemory(pid: number): Promise<number> {
  const { stdout } = await run('ps', ['-A', '-o', 'pid=,ppid=']);
  return tree(stdout, pid).reduce((sum, { pid: member }) => sum + proportional(member), 0);
}

function proportional(pid: number): number {
  try {
    return 1024 * Number(/^Pss: *(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1'))?.[1]);
  } catch (error) {
    // It has ended since it was listed.
    if (!existsSync(`/proc/${pid}`)) return 0;
    throw error;
  }
}

/** @param listing lines of process id, parent and size */
export function sumOfTree(listing: string, root: number): number {
  return tree(listing, root).reduce((sum, { size }) => sum + size, 0);
}

/** The lines of a process and its descendants. */
function tree(listing: string, root: number): { readonly pid: number; readonly size: number }[] {
  const processes = listing
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .map(([pid = 0, parent = 0, size = 0]) => ({ pid, parent, size }));
  const members = new Set([root]);
  let before = 0;
  while (before < members.size) {
    before = members.size;
    for (const { pid, parent } of processes) if (members.has(parent)) members.add(pid);
  }
  return processes.filter(({ pid }) => members.has(pid));
}

/** The peak memory of a process and its descendants during some work, by sampling. */
export async function peakMemory(pid: number, work: () => Promise<unknown>): Promise<number> {
  let over = false;
  const done = work().finally(() => {
    over = true;
  });
  let peak = 0;
  while (!over) peak = Math.max(peak, await residentMemory(pid));
  await done;
  return peak;
}
