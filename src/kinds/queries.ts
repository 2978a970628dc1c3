import { namesOf } from './documents.ts';
import { defineKind } from './kind.ts';

/** A stored query. */
export const query = defineKind({
  // A process may run one.
  alsoKeyOf: ['process'],
  granted: 'queries',
  members: {
    queries: {
      word: 'query',
      hint: ({ columns }) => namesOf(columns),
      pages: {
        title: 'Queries',
        path: 'queries',
        about: ({ columns }) => [namesOf(columns)],
        fields: ({ prompts, columns }) => [...prompts, ...columns],
      },
    },
  },
});

/** Another database that stored queries read. */
export const datasource = defineKind({
  alsoKeyOf: ['query'],
  members: {
    datasources: {
      word: 'datasource',
      optional: true,
      pages: {
        title: 'Datasources',
        path: 'datasources',
        about: ({ engine }) => (engine === undefined ? [] : [engine]),
      },
    },
  },
});
