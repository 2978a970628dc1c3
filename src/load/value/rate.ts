import type { CallLimits, Rate } from '../../model/rate.ts';
import { given } from '../given.ts';
import type { Linking } from '../linking.ts';
import type { CallLimitsDeclared, RateDeclared } from '../schema/limits.ts';
import { milliseconds } from './units.ts';

/** Bounds of calls as one place says them: a gateway, a service or an operation. */
export function linkCallLimits(linking: Linking, declared: CallLimitsDeclared | undefined): CallLimits {
  if (declared === undefined) return {};
  return given({ rate: linkRate(linking, declared), concurrent: declared.concurrent });
}

/** `100 per 1 min`, or the map; the time is whole seconds, which is what a caller can be told (RFC 9110 section 10.2.3). */
function linkRate({ report, places }: Linking, limits: CallLimitsDeclared): Rate | undefined {
  const { rate } = limits;
  if (rate === undefined) return undefined;
  const { requests, per, by = 'caller' } = typeof rate === 'string' ? spelledRate(rate) : rate;
  const time = milliseconds(per);
  if (time < 1000 || time > LONGEST || time % 1000 !== 0) {
    const at = typeof rate === 'string' ? places.value(limits, 'rate') : places.value(rate, 'per');
    const reason = `is counted over whole seconds, from 1 s to 24 days, and not over ${per}`;
    report.raise('bad-value', { name: 'limits.rate', reason, examples: ['100 per 1 min'] }, at);
  }
  return { requests, per: time, by };
}

const LONGEST = 24 * 86_400_000;

function spelledRate(text: string): Exclude<RateDeclared, string> {
  const [requests = '', per = ''] = text.split(' per ');
  return { requests: Number(requests), per };
}
