import { type Entry, error, warning } from './catalogue/entry.ts';
import { type Diagnostic, diagnosticOf, type Place, placeOf } from './diagnostic.ts';

type Code = keyof typeof databaseCatalogue;
type ParametersOf<C extends Code> = Parameters<(typeof databaseCatalogue)[C]['message']>[0];

/** What a database says against the definitions, as a diagnostic like those of the loader. */
export function databaseDiagnostic<C extends Code>(code: C, parameters: ParametersOf<C>, at: Place): Diagnostic {
  return diagnosticOf(code, databaseCatalogue[code] as Entry<typeof parameters>, parameters, placeOf(at));
}

const query = (columns: string, sql = 'select number, note from orders'): string =>
  `query: ORDERS\npublic: true\ncolumns: ${columns}\nsql: ${sql}`;

const component = (table: string, fields: string, key: string): string =>
  `document: SHAPE\nfields: { ${fields} }\n---\ncomponent: KEPT\ntable: ${table}\nshape: SHAPE\nkeys: [${key}]`;

const hash = '$scrypt$ln=14,r=8,p=1$jR0yTa7bt0qeomBbRenAvA$wSlCxAc7gaLReG+XaGmUzD343GJUeovNU9UxA8IF5zg';

/**
 * What `check --connect` says of stored queries, of components, and of their databases. The examples are of a database with
 * the tables `orders (number integer, note varchar(30))` and `place (id varchar(5) primary key, name varchar(30))`, and the
 * user `kept`.
 */
export const databaseCatalogue = {
  'database-unreachable': error<{ what: string; reason: string }>({
    message: ({ what, reason }) => `${what} can't be read: ${reason}.`,
    explanation:
      "The gateway's own database, or a datasource that queries name, can't be opened with the configuration that is set now, so that nothing can be said of its queries.",
    wrong: `datasource: REPORTING\nurl: sqlite:missing.db\n---\n${query('{ NUMBER: integer }').replace('public', 'datasource: REPORTING\npublic')}`,
    right: query('{ NUMBER: integer }'),
  }),
  'database-outdated': error<{ location: string; steps: number }>({
    message: ({ location, steps }) =>
      `${location} lacks ${steps} ${steps === 1 ? 'step' : 'steps'} of the schema of this version.`,
    hint: () => 'Run signalbox migrate; signalbox serve does it too.',
    explanation:
      "The gateway's own tables are made and changed in steps. Queries that read tables of this version would be refused until they have run.",
    wrong: 'gateway: LOCAL\ndatabase: sqlite:empty.db',
    right: query('{ NUMBER: integer }'),
  }),
  'query-refused': error<{ query: string; reason: string }>({
    message: ({ query: id, reason }) => `The database refuses ${id}: ${reason}.`,
    explanation:
      'The statement was prepared on the database, without being run, and the database does not take it, or it could do more than read: change a setting of the session, take a lock, move a sequence. The reason is in the words of the database.',
    wrong: query('{ NUMBER: integer }', 'select number from ordres'),
    right: query('{ NUMBER: integer }'),
  }),
  'column-missing': error<{ query: string; reason: string }>({
    message: ({ query: id, reason }) => `The result of ${id} does not fit: ${reason}.`,
    explanation: 'A declared column is found in the result by its name without case. Each must be there, once.',
    wrong: query('{ NUMBER: integer, PRICE: decimal }'),
    right: query('{ NUMBER: integer, NOTE: string }'),
  }),
  'column-type': error<{ query: string; reason: string }>({
    message: ({ query: id, reason }) => `A type of ${id} does not fit: ${reason}.`,
    hint: () => 'Declare the type that the database has, or cast the column in the SQL.',
    explanation:
      'The database says that the column holds something else than is declared. A value that does not fit its column ends the query with an error.',
    wrong: query('{ NOTE: integer }'),
    right: query('{ NOTE: string(30) }'),
  }),
  'column-narrow': warning<{ query: string; reason: string }>({
    message: ({ query: id, reason }) => `A type of ${id} is narrow: ${reason}.`,
    explanation:
      'The database may hold longer texts, or more digits, than the declared type says. They are returned as they are, and contracts say otherwise.',
    wrong: query('{ NOTE: string(10) }'),
    right: query('{ NOTE: string(30) }'),
  }),
  'component-table': error<{ component: string; reason: string }>({
    message: ({ component: id, reason }) => `The table of ${id} does not fit: ${reason}.`,
    explanation:
      "A component is saved in a table of the gateway's own database, which has a column for each field of its shape, called as the field, in small letters. No two of its rows may have the same keys.",
    wrong: component('orders', 'NUMBER: { type: integer, required: true }, NOTE: string(30)', 'NUMBER'),
    right: component('place', 'ID: { type: string(5), required: true }, NAME: string(30)', 'ID'),
  }),
  'user-in-both': error<{ user: string }>({
    message: ({ user }) => `The database has a user ${user} too.`,
    hint: () => 'Rename this one, or remove it: signalbox user works on that of the database.',
    explanation:
      'An id belongs to one user, in the definitions or in the database, where `signalbox user` keeps them: else nobody could tell who calls. A disabled user of the database keeps its id.',
    wrong: `user: kept\npassword: ${hash}`,
    right: `user: declared\npassword: ${hash}`,
  }),
} as const satisfies Readonly<Record<string, Entry<never>>>;
