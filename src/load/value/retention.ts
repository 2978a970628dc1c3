import type { Retention, RetentionPeriod } from '../../model/gateway.ts';
import { DURATION } from '../../wire/duration.ts';
import type { Linking } from '../linking.ts';
import { type Defaulted, defaultsOf, type JsonSchema, keys } from '../schema/json-schema.ts';
import { linkDuration, milliseconds } from './units.ts';

export type RetentionDeclared = Partial<Record<keyof Retention, string>>;

const kept = (otherwise: string, description: string): Defaulted<string> => ({
  title: 'a time with its unit, or forever',
  type: 'string',
  pattern: `^(?:${DURATION}|forever)$`,
  description,
  default: otherwise,
  examples: ['90 d', 'forever'],
});

export const retention = keys(
  {
    description:
      'How long data is kept that nothing needs any more. Expired data is removed every ten minutes, in small batches, by one gateway at a time; what has not ended is never removed.',
    examples: [{ 'process-requests': '30 d', audit: 'forever' }],
  },
  {
    results: kept('7 d', 'Results in files, polled results, and reports of processes, from their end.'),
    'process-requests': kept('90 d', 'Process requests with their message logs and reports, from their end.'),
    'process-logs': kept('30 d', 'Message logs of process requests, from the end of the request.'),
    calls: kept('7 d', 'Records of calls in the message store (`log:` of a routing), from their end.'),
    statistics: kept(
      '8 d',
      'Statistics of calls by minute, which `signalbox stats` shows, from the minute that they are about.',
    ),
    'failed-jobs': kept('90 d', 'Jobs that have failed, from the last attempt.'),
    callers: kept(
      '90 d',
      'Callers that are known by their tokens alone, from the last call that queued work. Those with work that has not ended are kept.',
    ),
    sessions: kept('30 d', 'Sessions of the console, from their end.'),
    audit: kept(
      '365 d',
      'The audit trails of users and of operators, which `signalbox user log` and `signalbox queue log` show.',
    ),
  } satisfies Record<keyof Retention, JsonSchema>,
);

const RETENTION = defaultsOf(retention);

export function linkRetention(linking: Linking, declared: RetentionDeclared = {}): Retention {
  const most = { amount: milliseconds('36500 d'), words: 'from 1 ms to 36500 d, or forever' };
  const entries = Object.entries(RETENTION).map(([key, otherwise]): [string, RetentionPeriod] => {
    if (declared[key as keyof Retention] === 'forever') return [key, 'forever'];
    return [key, linkDuration(linking, declared, `retention.${key}`, most) ?? milliseconds(otherwise)];
  });
  return Object.fromEntries(entries) as unknown as Retention;
}
