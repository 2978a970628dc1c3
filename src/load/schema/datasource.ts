import { description, keys } from './json-schema.ts';

export const datasource = keys(
  {
    title: 'datasource',
    description: 'Another database that stored queries read from. Nothing is ever written to it.',
    required: ['datasource', 'url'],
    examples: [
      { datasource: 'REPORTING', url: 'postgres://reader@db.example.org/hr', password: '${secret:REPORTING_PASSWORD}' },
    ],
  },
  {
    datasource: {
      title: 'a name',
      type: 'string',
      pattern: '^[A-Za-z][A-Za-z0-9_.-]*$',
      description: 'Its id.',
      examples: ['REPORTING'],
    },
    description,
    url: {
      type: 'string',
      minLength: 1,
      description:
        '`sqlite:` and a path relative to the project, or `postgres://user@host/database`. May refer to configuration.',
      examples: ['postgres://reader@db.example.org/hr', 'sqlite:data/hr.db'],
    },
    password: {
      type: 'string',
      minLength: 1,
      description: 'The password of the user, by reference.',
      examples: ['${secret:REPORTING_PASSWORD}'],
    },
  },
);
