import type { AcceptedBreak } from '../../model/gateway.ts';
import { isDate } from '../../wire/lexical.ts';
import { positionOf } from '../diagnostic/diagnostic.ts';
import type { Linking } from '../linking.ts';
import { date, type JsonSchema, keys, matching, text } from '../schema/json-schema.ts';

export interface AcceptedBreakDeclared {
  readonly rule: string;
  readonly at: string;
  readonly reason: string;
  readonly until: string;
}

const acceptedBreak = keys<keyof AcceptedBreakDeclared>(
  {
    title: 'an accepted break',
    description: 'A change of a contract that breaks something, and is intended.',
    required: ['rule', 'at', 'reason', 'until'],
    examples: [
      {
        rule: 'optional-field-removed',
        at: 'Locations.v1.LOCATIONS_GET.reply.FAX',
        reason: 'No location has a fax any more.',
        until: '2027-03-31',
      },
    ],
  },
  {
    rule: matching(
      'the name of a rule',
      '^[a-z]+(-[a-z]+)*$',
      'The rule, by its name in [compatibility.md](compatibility.md).',
      'field-removed',
    ),
    at: text(
      'What changes, as `signalbox diff` names it. A service, an operation or a message stands for everything in it.',
      'Locations.v1.LOCATIONS_GET.reply.FAX',
      'Locations.v1',
    ),
    reason: text('Why it is acceptable, for those who review it.', 'No location has a fax any more.'),
    until: date('The last day on which it is accepted.'),
  },
);

export const acceptedBreaks: JsonSchema = {
  type: 'array',
  items: acceptedBreak,
  description:
    'Changes that break something for callers or for systems that are called, and are intended: `signalbox diff` shows them as accepted, and does not fail because of them. Remove an entry when the change is released.',
  examples: [acceptedBreak.examples ?? []],
};

/** Links `accepted-breaks:` of the gateway; `undefined` without any. Rules and things are known where changes are compared. */
export function linkAcceptedBreaks(
  { report, places }: Linking,
  { 'accepted-breaks': declared = [] }: { readonly 'accepted-breaks'?: readonly AcceptedBreakDeclared[] },
): readonly AcceptedBreak[] | undefined {
  if (declared.length === 0) return undefined;
  return declared.map((each) => {
    const { rule, at: thing, reason, until } = each;
    if (!isDate(until)) {
      const reason = `${until} does not exist in the calendar`;
      report.raise('bad-date', { name: 'until', reason }, places.value(each, 'until'));
    }
    return { rule, thing, reason, until, at: positionOf(places.key(each, 'rule')) };
  });
}
