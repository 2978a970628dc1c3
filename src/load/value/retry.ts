import { CALL_RETRY, CLASS_RETRY, DELIVERY_RETRY, PROCESS_RETRY, type Retry } from '../../model/retry.ts';
import { duration } from '../../wire/duration.ts';
import type { Linking } from '../linking.ts';
import { given } from '../object.ts';
import { integer, type JsonSchema, keys, mapOr, statuses, time } from '../schema/json-schema.ts';
import { linkDuration } from './units.ts';

/** `retry:` of a call, a process, a class after a save or a subscription: the number of attempts, or a map. */
export type RetryDeclared = number | RetryMap;

interface RetryMap {
  readonly attempts?: number;
  readonly for?: string;
  readonly first?: string;
  readonly longest?: string;
  readonly on?: 'any' | 'failure' | number | readonly number[];
}

/**
 * The retry settings of a definition, whose form the JSON Schema has checked. Settings without effect are reported.
 * @param container the map with the key `retry`
 * @param standard what applies without `retry:`, and supplies what it leaves out
 */
export function linkRetry(
  linking: Linking,
  container: { readonly retry?: RetryDeclared },
  standard: Retry,
): Retry | undefined {
  const said = container.retry;
  if (said === undefined) return undefined;
  const { first, longest, on } = standard;
  if (typeof said === 'number') return { attempts: said, first, longest, on };
  const linked = linkMap(linking, said, standard);
  checkMap(linking, container, said, linked);
  return linked;
}

function linkMap(linking: Linking, said: RetryMap, standard: Retry): Retry {
  const { attempts, on = standard.on } = said;
  const [time, first, longest = standard.longest] = (['for', 'first', 'longest'] as const).map((key) =>
    linkDuration(linking, said, `retry.${key}`),
  );
  // The one that is declared replaces the default of the other: attempts for a day would not be attempts: 50.
  const isBound = attempts !== undefined || time !== undefined;
  return {
    ...given({ attempts: isBound ? attempts : standard.attempts, for: isBound ? time : standard.for }),
    // A longest pause below the default first pause also shortens that one.
    first: first ?? Math.min(standard.first, longest),
    longest,
    on: typeof on === 'string' || on instanceof Set ? on : new Set(typeof on === 'number' ? [on] : (on as number[])),
  };
}

function checkMap(
  { report, places }: Linking,
  container: { readonly retry?: RetryDeclared },
  said: RetryMap,
  { attempts, for: time, first, longest }: Retry,
): void {
  const refuse = (key: keyof RetryMap, reason: string): void =>
    report.raise('bad-value', { name: `retry.${key}`, reason, examples: [] }, places.value(said, key));
  const [other] = (Object.keys(said) as (keyof RetryMap)[]).filter((key) => key !== 'attempts');
  if (attempts === 1 && said.attempts === undefined) {
    const reason = 'has neither attempts nor for, so nothing is attempted again';
    report.raise('bad-value', { name: 'retry', reason, examples: [3] }, places.value(container, 'retry'));
  } else if (attempts === 1 && other !== undefined) refuse(other, 'has no effect, because retry.attempts is 1');
  else if (said.first !== undefined && first > longest)
    refuse('first', `is longer than retry.longest, which is ${duration(longest)}`);
  else if (said.for !== undefined && time !== undefined && time <= first)
    refuse('for', `leaves no time for a second attempt: the first pause is ${duration(first)}`);
}

const times = ({ attempts = 1 }: Retry): string => (attempts === 1 ? 'once' : `${attempts} times`);
const days = ({ for: time = 0 }: Retry): string => (time === DAY ? 'a day' : `${time / DAY} days`);
const pauses = ({ first, longest }: Retry): string => `after ${duration(first)} to ${duration(longest)}`;
const listed = (words: readonly number[]): string => `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
const DAY = 86_400_000;

/** The defaults of `model/retry.ts` in words. */
const DEFAULTS = [
  `A call is attempted ${times(CALL_RETRY)} by default, ${pauses(CALL_RETRY)}, on ${listed([...CALL_RETRY.on])}, and only if it can be repeated safely; \`retry\` applies to every method.`,
  `A process is attempted ${times(PROCESS_RETRY)} by default; with \`retry\`, ${pauses(PROCESS_RETRY)}, on any failure.`,
  `A class after a save is attempted for ${days(CLASS_RETRY)} by default, ${pauses(CLASS_RETRY)}, on any error.`,
  `The delivery of a message is attempted for ${days(DELIVERY_RETRY)} by default, ${pauses(DELIVERY_RETRY)}, on statuses from 500, 408, 425 and 429, and where the target is not reached.`,
].join(' ');

export const retry: JsonSchema = {
  title: 'a number of attempts or a map',
  description:
    'When a failed attempt is followed by another: the number of attempts in total, or a map. Whichever of attempts and time ends first.',
  ...mapOr(
    keys<keyof RetryMap>(
      {
        description: `When a failed attempt is followed by another. Whichever of attempts and time ends first; if only one of them is given, the other has no limit. ${DEFAULTS}`,
        minProperties: 1,
        examples: [
          { attempts: 3, on: [429, 503] },
          { for: '1 d', first: '10 s', longest: '1 h' },
        ],
      },
      {
        attempts: integer('Number of attempts in total; 1 means no retry.', { minimum: 1, maximum: 1000 }, 3),
        for: time('No attempt begins later than this after the first one began.', undefined, '1 d', '10 m'),
        first: time('The first pause. Each is twice the one before, and varies at random.', undefined, '10 s'),
        longest: time('The longest pause.', undefined, '1 h', '10 m'),
        on: {
          ...statuses(
            'What is followed by another attempt: `any` error, a `failure` (every status from 500), or HTTP statuses. Of a call, the status of its reply; a connection that fails is always retried. Of a process, a class or code that takes messages, the status of the fault that ended the attempt: 500 for an error that is not a fault, 504 for one that took too long.',
            [429, 503],
            503,
            'failure',
          ),
          title: 'any, failure, a status from 400 to 599, or a list of them',
          type: ['string', 'integer', 'array'],
          pattern: '^(any|failure)$',
        },
      },
    ),
    {
      ...integer('Number of attempts in total; 1 means no retry.', { minimum: 1, maximum: 1000 }, 3),
      title: 'a number of attempts or a map',
    },
  ),
  examples: [3, { attempts: 3, on: [429, 503] }, { for: '1 d', first: '10 s', longest: '1 h' }],
};
