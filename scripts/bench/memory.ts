import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Resident memory, in bytes, of a process and all its descendants. */
export async function residentMemory(pid: number): Promise<number> {
  const { stdout } = await run('ps', ['-A', '-o', 'pid=,ppid=,rss=']);
  return 1024 * sumOfTree(stdout, pid);
}

/** @param listing lines of process id, parent and size */
export function sumOfTree(listing: string, root: number): number {
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
  return processes.reduce((sum, { pid, size }) => (members.has(pid) ? sum + size : sum), 0);
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
