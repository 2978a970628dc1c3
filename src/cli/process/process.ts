import type { Command } from 'commander';
import { explain } from '../help.ts';
import { addAction } from './act.ts';
import { addList, addReport, addShow } from './requests.ts';
import { addLoad, addPrograms, addRecurrences, addSchedule } from './schedule.ts';

const help = {
  examples: [
    'signalbox process list --status Error --since 7d',
    'signalbox process show 1042',
    'signalbox process report 1042 --output locations.csv',
    'signalbox process schedule LOCATION_EXTRACT REGION=N --user demo',
    'signalbox process restart 1042 1043',
  ],
  notes: [
    "The commands work on the configured database, also while gateways run: they notice a change within 2 s. They act with all permission lists of the definitions and `process-requests: all`; only requests for private queries of users are hidden. A request that is scheduled belongs to the user of --user and needs that user's rights. Sensitive values are masked. Each action is recorded; 'process show' and 'queue log' print the record.",
  ],
} as const;

/** `signalbox process`: the requests of the process scheduler, and what an operator does about them. */
export function addProcess(program: Command): void {
  const group = explain(program.command('process'), help).description('show process requests and act on them');
  addList(group);
  addShow(group);
  addReport(group);
  addPrograms(group);
  addSchedule(group);
  for (const name of ['hold', 'cancel', 'restart', 'delete'] as const) addAction(group, name);
  addRecurrences(group);
  addLoad(group);
}
