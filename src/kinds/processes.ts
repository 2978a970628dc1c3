import { defineKind } from './kind.ts';

/** A program that the process scheduler runs. */
export const process = defineKind({
  granted: 'processes',
  code: true,
  members: {
    processes: {
      word: 'process',
      optional: true,
      pages: {
        title: 'Processes',
        path: 'processes',
        about: ({ type, answer }) => [type, answer.kind === 'handler' ? answer.file : `query ${answer.query.id}`],
        fields: ({ parameters }) => parameters,
      },
    },
  },
});

/** A schedule of processes that recur. */
export const recurrence = defineKind({
  members: {
    recurrences: {
      word: 'recurrence',
      optional: true,
      hint: ({ cron }) => cron,
      pages: { title: 'Recurrences', path: 'recurrences', about: ({ cron, zone }) => [`${cron} ${zone}`] },
    },
  },
});
