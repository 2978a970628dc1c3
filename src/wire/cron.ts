/**
 * Cron expressions of five fields, as crontab(5) has them: minute, hour, day of month, month, day of week. In a time zone
 * that changes its clocks, hours that are named happen once a day: in the hour that does not exist at the first moment
 * after it, in the hour that comes twice the first time. What steps through every hour goes by the time that passes.
 * Where day of month and day of week are both restricted, either of them matches; where one of them contains a `*`, as in
 * `*\/2`, both have to match.
 */
import { Cron, CronPattern } from 'croner';

/** What is wrong with an expression, as the end of a sentence; `undefined` when it is sound. */
export function cronProblem(cron: string): string | undefined {
  try {
    const fields = fieldsOf(cron);
    if (fields.length !== 5) return `it has ${fields.length === 1 ? 'one field' : `${fields.length} fields`}, not five`;
    const next = schedule(cron, 'UTC').nextRun();
    return next === null ? 'no such day ever comes' : undefined;
  } catch (error) {
    return lowered((error as Error).message.replace(/^CronPattern: /, ''));
  }
}

/**
 * The first scheduled time after a moment; `undefined` if there is none.
 * @param zone IANA time zone
 * @throws TypeError for an invalid expression or zone
 */
export function nextTime(cron: string, zone: string, after: Date): Date | undefined {
  return schedule(cron, zone).nextRun(after) ?? undefined;
}

function schedule(cron: string, zone: string): Cron {
  // UTC as a fixed offset needs no formatter of ECMA-402: the first one of a process takes 35 ms of its start.
  const clock = zone === 'UTC' ? { utcOffset: 0 } : { timezone: zone };
  const domAndDow = !daysAreRestricted(cron);
  return new Cron(named(cron), { ...clock, domAndDow, mode: '5-part', fixedTimeRule: 'no-wildcard', paused: true });
}

/** Whether neither day of month nor day of week contains a `*`, which is what crontab(5) calls restricted. */
function daysAreRestricted(cron: string): boolean {
  const [, , day = '', , weekday = ''] = fieldsOf(cron);
  return !/[*?]/.test(day) && !/[*?]/.test(weekday);
}

/**
 * Writes out the steps of an expression that names its hours: croner takes `*\/20 2` for something that steps through
 * every hour, and runs it twice in an hour that comes twice, and not at all in one that does not exist.
 */
function named(cron: string): string {
  const [minute = '', hour = '', ...days] = fieldsOf(cron);
  if (/[*?]/.test(hour)) return cron;
  const pattern = new CronPattern([minute, hour, ...days].join(' '), undefined, { mode: '5-part' });
  return [listed(pattern.minute), listed(pattern.hour), ...days].join(' ');
}

function listed(marks: readonly number[]): string {
  return marks.flatMap((mark, value) => (mark === 1 ? [value] : [])).join(',');
}

function fieldsOf(cron: string): string[] {
  return cron.trim().split(/\s+/);
}

function lowered(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1).replace(/\.$/, '');
}
