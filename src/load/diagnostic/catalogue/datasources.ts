import { error } from './entry.ts';

/** Mistakes in datasources, and in the queries that read them. */
export const datasourceEntries = {
  'bad-datasource': error<{ datasource: string; reason: string }>({
    message: ({ datasource, reason }) => `The address of ${datasource} can't be used: ${reason}.`,
    explanation:
      'A datasource is another database, which stored queries read: `sqlite:` and a path relative to the project, or `postgres://user@host/database`. Its password is a reference.',
    wrong: 'datasource: REPORTING\nurl: mysql://reader@db.example.org/hr',
    right: 'datasource: REPORTING\nurl: postgres://reader@db.example.org/hr\npassword: ${secret:REPORTING_PASSWORD}',
  }),
};
