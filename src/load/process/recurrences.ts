import type { Recurrence } from '../../model/process.ts';
import { cronProblem } from '../../wire/cron.ts';
import { positionOf } from '../diagnostic/place.ts';
import { given } from '../given.ts';
import { byId, declarationsOf, type Linking } from '../linking.ts';
import type { Declaration } from '../read/declaration.ts';
import type { GatewayDeclared } from '../schema/gateway.ts';
import type { RecurrenceDeclared } from '../schema/process.ts';
import { isTimezone } from '../value/time-zone.ts';

/** Links every recurrence. */
export function linkRecurrences(linking: Linking): Map<string, Recurrence> {
  const [gateway] = declarationsOf<GatewayDeclared>(linking, 'gateway');
  const standard = gateway?.value.timezone ?? 'UTC';
  const declared = declarationsOf<RecurrenceDeclared>(linking, 'recurrence');
  return byId(declared.map((each) => linkRecurrence(linking, each, standard)));
}

function linkRecurrence(
  { report, places }: Linking,
  { id, value, at }: Declaration<RecurrenceDeclared>,
  standard: string,
): Recurrence {
  const { cron, zone } = value;
  if (zone !== undefined && !isTimezone(zone)) {
    const reason = `${zone} is not a time zone of the IANA database`;
    report.raise('bad-recurrence', { recurrence: id, reason }, places.value(value, 'zone'));
  }
  const problem = cronProblem(cron);
  if (problem !== undefined)
    report.raise('bad-recurrence', { recurrence: id, reason: problem }, places.value(value, 'cron'));
  return {
    id,
    cron,
    zone: zone ?? standard,
    ...given({ description: value.description }),
    at: positionOf(at),
  };
}
