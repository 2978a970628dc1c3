import { Fault } from '../../model/fault.ts';
import type { JobQueue } from './port.ts';

/** Seconds after which it may be worth trying again: jobs take their time. */
const AGAIN = 5;

/**
 * Refuses what would be one more to wait where as many wait as may.
 * @param most any number where undefined: nothing is asked of the database then
 * @param what those that wait are called: `process requests`
 * @throws Fault UNAVAILABLE
 */
export async function needRoom(
  jobs: Pick<JobQueue, 'isFull'>,
  queue: string,
  most: number | undefined,
  what: string,
): Promise<void> {
  if (most === undefined || !(await jobs.isFull(queue, most))) return;
  throw Fault.of(
    'UNAVAILABLE',
    { reason: `as many ${what} wait as may` },
    { headers: { 'Retry-After': String(AGAIN) }, reason: `queue depth of ${queue}` },
  );
}
