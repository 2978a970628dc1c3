import type { Recurrence } from '../../model/process.ts';
import { cronProblem } from '../../wire/cron.ts';
import type { GatewayDeclared, RecurrenceDeclared } from '../declared.ts';
import { isTimezone } from '../gateway/gateway.ts';
import { given } from '../given.ts';
import { declarationsOf, type Linking, positionOf } from '../linking.ts';
import type { Declaration } from '../read/declaration.ts';

/** Links every recurrence. */
export function linkRecurrences(linking: Linking): Recurrence[] {
  const [gateway] = declarationsOf<GatewayDeclared>(linking, 'gateway');
  const standard = gateway?.value.timezone ?? 'UTC';
  return declarationsOf<RecurrenceDeclared>(linking, 'recurrence').map((each) =>
    linkRecurrence(linking, each, standard),
  );
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
