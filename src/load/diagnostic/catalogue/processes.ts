import { error } from './entry.ts';

const recurring = (more: string): string =>
  `query: ORDERS\npublic: true\ncolumns: { NUMBER: integer }\nsql: select number from orders\n---\nrecurrence: DAILY\ncron: 0 6 * * *\n---\nuser: night\npassword: $scrypt$ln=14,r=8,p=1$jR0yTa7bt0qeomBbRenAvA$wSlCxAc7gaLReG+XaGmUzD343GJUeovNU9UxA8IF5zg\n---\nprocess: ORDER_LIST\ntype: PSQuery\npublic: true\nquery: ORDERS\nrecurs: DAILY${more}`;

/** Mistakes in processes and recurrences. */
export const processEntries = {
  'bad-recurrence': error<{ recurrence: string; reason: string }>({
    message: ({ recurrence, reason }) => `${recurrence} never comes: ${reason}.`,
    explanation: 'A recurrence is a cron expression of five fields in a time zone.',
    wrong: 'recurrence: DAILY\ncron: 0 26 * * *',
    right: 'recurrence: DAILY\ncron: 0 6 * * *\nzone: Europe/Berlin',
  }),
  'bad-process': error<{ process: string; reason: string }>({
    message: ({ process, reason }) => `${process} ${reason}.`,
    hint: () => 'A process that recurs needs `run-as: USER` with a grant of it, and a default for what it requires.',
    explanation:
      'A process with `recurs:` is run without a request. `run-as:` names the user in whose name that happens, who needs a permission list that the process names, as every caller does; and as nobody gives it parameters, those that are required need a default.',
    wrong: recurring(''),
    right: recurring('\nrun-as: night'),
  }),
};
