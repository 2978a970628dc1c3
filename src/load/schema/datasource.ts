import { description, keys, matching, text } from './json-schema.ts';

export interface DatasourceDeclared {
  readonly description?: string;
  readonly url: string;
  readonly password?: string;
}

export const datasource = keys<'datasource' | keyof DatasourceDeclared>(
  {
    title: 'datasource',
    description: 'Another database that stored queries read from. Nothing is ever written to it.',
    required: ['datasource', 'url'],
    examples: [
      { datasource: 'REPORTING', url: 'postgres://reader@db.example.org/hr', password: '${secret:REPORTING_PASSWORD}' },
    ],
  },
  {
    datasource: matching('a name', '^[A-Za-z][A-Za-z0-9_.-]*$', 'Its id.', 'REPORTING'),
    description,
    url: text(
      '`sqlite:` and a path relative to the project, or `postgres://user@host/database`. May refer to configuration.',
      'postgres://reader@db.example.org/hr',
      'sqlite:data/hr.db',
    ),
    password: text('The password of the user, by reference.', '${secret:REPORTING_PASSWORD}'),
  },
);
