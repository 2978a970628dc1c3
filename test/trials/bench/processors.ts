import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** The two sides of a measurement over HTTP. */
type Side = 'server' | 'client';

/** The processors that this process may use, in the kernel's notation: `0,1` or `0-3`. `undefined` without taskset(1). */
function allowed(): string | undefined {
  const { status, stdout } = spawnSync('taskset', ['-cp', `${process.pid}`], { encoding: 'utf8' });
  return status === 0 ? stdout.trim().split(' ').at(-1) : undefined;
}

const list = allowed();
const processors = (list ?? '').split(',').flatMap((range) => {
  const [first = Number.NaN, last = first] = range.split('-').map(Number);
  return Array.from({ length: last - first + 1 || 0 }, (_, index) => first + index);
});

/** Whether server and client run on a processor of their own each. */
export const areApart = processors.length > 1;

const processorOf = (side: Side): string => `${processors[side === 'server' ? 0 : 1]}`;

/** A command that runs on the processor of its side, where there are two and taskset(1) is installed. */
export function onProcessor(side: Side, command: readonly string[]): readonly string[] {
  return areApart ? ['taskset', '-c', processorOf(side), ...command] : command;
}

/** Keeps all threads of this process off the server's processor during some work. */
export async function asClient<T>(work: () => Promise<T>): Promise<T> {
  if (!areApart || list === undefined) return work();
  const confine = (to: string): unknown => spawnSync('taskset', ['-acp', to, `${process.pid}`]);
  confine(processorOf('client'));
  try {
    return await work();
  } finally {
    confine(list);
  }
}

/** Ticks of the kernel's clock in a second (`USER_HZ`): 100 on all architectures on which Node runs. */
const TICKS = 100;

/**
 * Processor time of a process so far, in microseconds; `undefined` where there is no /proc (proc(5)).
 * @param of all threads, or its main thread alone
 */
export function processorTime(pid: number, of: 'all' | 'main' = 'all'): number | undefined {
  try {
    // The name, in parentheses, may contain spaces; utime and stime are the fields 14 and 15.
    const fields =
      readFileSync(of === 'all' ? `/proc/${pid}/stat` : `/proc/${pid}/task/${pid}/stat`, 'latin1')
        .split(') ')
        .at(-1)
        ?.split(' ') ?? [];
    return ((Number(fields[11]) + Number(fields[12])) * 1e6) / TICKS;
  } catch {
    return undefined;
  }
}
