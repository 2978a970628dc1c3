import { type Entry, error, warning } from './catalogue/entry.ts';
import { type Diagnostic, diagnosticOf, type Place, placeOf } from './diagnostic.ts';

type Code = keyof typeof databaseCatalogue;
type ParametersOf<C extends Code> = Parameters<(typeof databaseCatalogue)[C]['message']>[0];

/** A database's objection to a definition, as a diagnostic like those of the loader. */
export function databaseDiagnostic<C extends Code>(code: C, parameters: ParametersOf<C>, at: Place): Diagnostic {
  return diagnosticOf(code, databaseCatalogue[code] as Entry<typeof parameters>, parameters, placeOf(at));
}

/**
 * Diagnostics of `check --connect` about stored queries, components and their databases. The samples assume a database with the
 * tables `orders (number integer, note varchar(30))` and `place (id varchar(5) primary key, name varchar(30), rank integer)`, and the user
 * `kept`.
 */
export const databaseCatalogue = {
  'database-unreachable': error<{ what: string; reason: string }>({
    message: ({ what, reason }) => `${what} can't be read: ${reason}.`,
    explanation:
      "The gateway's own database, or a datasource of a query, can't be opened with the current configuration, so its queries could not be checked.",
  }),
  'database-outdated': warning<{ location: string; changes: readonly string[] }>({
    message: ({ location, changes }) => `${location} still needs ${changes.join(', ')}.`,
    hint: () =>
      'Run `signalbox migrate`, which applies all of it; `signalbox serve` does so at start unless its database has `migrate: false`. `signalbox migrate --plan --sql` prints the statements.',
    explanation:
      "The gateway's own tables, its queue, the migrations of the project and the sample data are applied in steps, which are listed. Queries and components are checked on the database as it will be: on PostgreSQL in a transaction that runs the steps and is rolled back, without migrations that have no transaction; on SQLite on a copy without rows.",
  }),
  'migration-failed': error<{ reason: string; hint: string }>({
    message: ({ reason }) => `The migration fails: ${reason}.`,
    hint: () => 'Correct it. It was tried, and the database is unchanged.',
    explanation:
      'A migration of the project that is pending was tried where it leaves nothing behind, and the database rejected a statement of it: on PostgreSQL in a transaction that is rolled back, on SQLite on a copy of the tables without rows. A migration that waits for a lock for longer than a second there, or for longer than five for a statement, is not tried to its end: a warning says so.',
  }),
  'migration-changed': error<{ reason: string; hint: string }>({
    message: ({ reason }) => `The migration can't be what ran: ${reason}.`,
    hint: ({ hint }) => hint,
    explanation:
      'The database records each migration of the project that ran with a checksum of its text, in which the ends of lines do not count. A migration that ran never changes, since databases on which it ran would differ from those on which it runs later: the change is a new migration. `signalbox migrate --baseline NUMBER` records the present text instead.',
  }),
  'migration-order': error<{ reason: string; hint: string }>({
    message: ({ reason }) => `The migration is too late: ${reason}.`,
    hint: ({ hint }) => hint,
    explanation:
      'Migrations run in the order of their numbers, so that every database has been through the same sequence. One that was added below a number that ran, as when two branches are merged, gets a new number.',
  }),
  'database-setup': warning<{ what: string; reason: string }>({
    message: ({ what, reason }) => `${what}: ${reason}`,
    explanation:
      'The database can be used, but not as safely or by as many gateways as it should: its server is not verified, or it may run out of connections. A gateway logs the same at its start.',
  }),
  'replica-setup': warning<{ replica: string; of: string; reason: string }>({
    message: ({ replica, of, reason }) => `${of}: the replica ${replica} can't be read from: ${reason}.`,
    hint: () => 'Queries run on the other replicas, or on the database itself, as long as that is so.',
    explanation:
      'A replica can not be reached, is not a standby, or rejects a query that the database itself accepts, perhaps because it is behind.',
  }),
  'query-refused': error<{ query: string; reason: string }>({
    message: ({ query: id, reason }) => `The database rejects query ${id}: ${reason}${reason.endsWith('?') ? '' : '.'}`,
    explanation:
      'The statement was prepared on the database without being run. The database rejected it, or it could do more than read: change a setting of the session, take a lock, advance a sequence. The reason is quoted from the database.',
  }),
  'column-missing': error<{ query: string; reason: string }>({
    message: ({ query: id, reason }) => `The result of query ${id} does not fit: ${reason}.`,
    explanation:
      'Declared columns are found in the result by name, regardless of letter case. Each must be in the result exactly once.',
  }),
  'column-type': error<{ query: string; reason: string }>({
    message: ({ query: id, reason }) => `A type of query ${id} does not fit: ${reason}.`,
    hint: () => 'Declare the type that the database has, or cast the column in the SQL.',
    explanation:
      'According to the database, the column has another type than the declared one. A value that does not fit its column ends the query with an error.',
  }),
  'column-narrow': warning<{ query: string; reason: string }>({
    message: ({ query: id, reason }) => `A type of query ${id} is too narrow: ${reason}.`,
    explanation:
      'The database may contain longer texts, or more digits, than the declared type allows. They are returned unchanged, contrary to the contract.',
  }),
  'column-nullable': warning<{ query: string; reason: string }>({
    message: ({ query: id, reason }) => `A column of query ${id} is required: ${reason}.`,
    hint: () =>
      'Declare the column without `required`, make it `not null` in the database, or use coalesce() in the SQL.',
    explanation:
      'The contract promises a value in each row, and code is typed so, but the column of the table may be NULL. Only columns of tables are looked at, not expressions.',
  }),
  'column-local': warning<{ query: string; reason: string }>({
    message: ({ query: id, reason }) => `Datetimes of query ${id} are ambiguous: ${reason}.`,
    hint: () =>
      "Make it `timestamptz` (on MariaDB `timestamp`), or name its zone in the SQL: `at at time zone 'UTC' as at`.",
    explanation:
      'The column holds local times: `timestamp` of PostgreSQL, `datetime` of MariaDB. They are read as times of `timezone:` of the gateway and returned with its offset (RFC 3339). In the hour that a clock change repeats, two instants have the same local time. In a zone without clock changes, such as UTC, nothing is reported. SQLite keeps an offset that was stored.',
  }),
  'component-column': error<{ component: string; reason: string }>({
    message: ({ component: id, reason }) =>
      `A column of component ${id} does not hold the values of its field: ${reason}.`,
    explanation:
      'Values that the shape allows are changed or rejected when they are saved: an instant loses its offset in a `timestamp`, a text or a number is longer than its column, a fraction is rounded. Change the column by a migration, or the type or bounds of the field. A gateway starts nevertheless.',
  }),
  'component-column-may': warning<{ component: string; reason: string }>({
    message: ({ component: id, reason }) =>
      `A column of component ${id} may not hold the values of its field: ${reason}.`,
    explanation:
      'Some values that the shape allows are changed or rejected when they are saved: the field has no bounds where its column has some, the column is of another type, or it may not be NULL while the field may be absent. Declare bounds, make the field required, or change the column by a migration.',
  }),
  'component-table': error<{ component: string; reason: string }>({
    message: ({ component: id, reason }) => `The table of component ${id} does not fit: ${reason}.`,
    explanation:
      "A component is saved in a table of the gateway's own database. The table has a column for each field of the shape, with the name of the field in lower case. No two rows may have the same keys.",
  }),
  'user-in-both': error<{ user: string }>({
    message: ({ user }) => `The database also has a user ${user}.`,
    hint: () => 'Rename this user, or remove it. `signalbox user` manages the user in the database.',
    explanation:
      'A user id belongs to one user, in the definitions or in the database, where `signalbox user` manages users; otherwise the caller would be ambiguous. A disabled user in the database keeps its id.',
  }),
} as const satisfies Readonly<Record<string, Entry<never>>>;
