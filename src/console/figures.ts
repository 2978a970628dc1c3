import type { StatisticsReader } from '../store/index.ts';
import { type Html, html } from './html.ts';
import { chart } from './parts.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
/** Milliseconds after the end of a minute by which all gateways have recorded it. */
const LATENESS = 10_000;

/** The whole minutes of a period that have ended; times in milliseconds since 1970. */
export function periodOf(now: number, length: number): { readonly since: number; readonly until: number } {
  const until = Math.floor((now - LATENESS) / MINUTE) * MINUTE;
  return { since: until - length, until };
}

type Series = Awaited<ReturnType<StatisticsReader['series']>>;

/** The number of calls and their durations over time. @param step milliseconds of one point */
export function callCharts(series: Series, step: number): Html {
  const times = { from: (series[0]?.at ?? 0) / 1000, step: step / 1000 };
  const each = step === MINUTE ? 'a minute' : step === HOUR ? 'an hour' : `in ${step / MINUTE} minutes`;
  const line = (label: string, colour: string, value: (at: Series[number]) => number | undefined) => {
    return { label, colour, values: series.map(value) };
  };
  const numbers = [
    line('calls', 'accent', ({ calls }) => calls),
    line('failed', 'bad', ({ failures }) => failures),
    line('refused', 'warn', ({ refusals }) => refusals),
  ];
  const durations = [
    line('p50', 'good', ({ p50 }) => p50),
    line('p95', 'accent', ({ p95 }) => p95),
    line('p99', 'bad', ({ p99 }) => p99),
  ];
  return html`${chart(`Calls ${each}`, { ...times, unit: '', series: numbers })}${chart('Duration of calls', { ...times, unit: ' ms', series: durations })}`;
}
