import { didYouMean } from '../suggest.ts';
import { error, warning } from './entry.ts';

const query = (prompts: string, sql: string): string =>
  `query: ORDERS\npublic: true\n${prompts === '' ? '' : `prompts: ${prompts}\n`}columns: { NUMBER: integer }\nsql: ${sql}`;

const answered = (response: string, answer: string): string =>
  `${query('', 'select number from orders')}\n---\ndocument: ORDER\nfields: { NUMBER: integer }\n---\nservice: Orders.v1\npublic: true\noperations:\n  ORDERS_GET:\n    get: Orders\n    response: ${response}\n    query: ${answer}`;

/** A customer's orders; `connects` of the customers, `columns` of the orders. */
const connected = (connects: string, columns = '{ NUMBER: integer, CUSTOMER: integer }', more = ''): string =>
  `query: CUSTOMERS\npublic: true\ncolumns: { ID: integer, NAME: string }\nsql: select id, name from customers\nconnects: ${connects}\n---\nquery: ORDERS\npublic: true\ncolumns: ${columns}\nsql: select number, customer from orders${more}`;

const levels = (count: number): string =>
  Array.from({ length: count }, (_, index) => {
    const below = index + 1 < count ? `connects: { LEVEL_${index + 1}: { N: N } }\n` : '';
    return `query: LEVEL_${index}\npublic: true\ncolumns: { N: integer }\nsql: select n from t${index}\n${below}`;
  }).join('---\n');

/** Mistakes in stored queries and where they answer operations. */
export const queryEntries = {
  'sql-not-select': error<{ word: string }>({
    message: ({ word }) =>
      word === '' ? 'The SQL holds no statement.' : `A query reads, and this statement begins with ${word}.`,
    hint: () => 'Write one SELECT, or WITH ... SELECT.',
    explanation:
      'A stored query is one SELECT, which may begin with WITH. It runs in a transaction that can only read; a statement that writes would fail there.',
    wrong: query('', 'delete from orders'),
    right: query('', 'select number from orders'),
  }),
  'sql-many-statements': error<{ word: string }>({
    message: ({ word }) => `A query is one statement, and after the semicolon stands another: ${word}.`,
    explanation: 'A stored query is one statement. One semicolon at its end is passed over.',
    wrong: query('', 'select number from orders; select 1'),
    right: query('', 'select number from orders'),
  }),
  'sql-unterminated': error<{ what: string }>({
    message: ({ what }) => `The SQL ends inside ${what}.`,
    explanation:
      'A literal, a quoted name, a comment or a parenthesis is not closed, so that the rest of the text would be read as something else.',
    wrong: query('', "select number from orders where region = 'N"),
    right: query('', "select number from orders where region = 'N'"),
  }),
  'foreign-placeholder': error<{ text: string }>({
    message: ({ text }) => `${text} is a placeholder of a database driver; prompts are written :NAME.`,
    explanation:
      'Prompts are declared and bound by name. Other placeholders would stay unbound, and be NULL without a word.',
    wrong: query('{ REGION: string(1) }', '"select number from orders where region = :REGION and number > ?1"'),
    right: query('{ REGION: string(1) }', '"select number from orders where region = :REGION"'),
  }),
  'unknown-prompt': error<{ prompt: string; known: readonly string[] }>({
    message: ({ prompt }) => `The SQL names :${prompt}, and there is no such prompt.`,
    hint: ({ prompt, known }) =>
      didYouMean(prompt, known, 'Prompts here:') ?? `Declare it: prompts: { ${prompt}: string }.`,
    explanation: 'Every `:NAME` outside of literals and comments is a prompt of the query, spelled as it is declared.',
    wrong: query('{ REGION: string(1) }', '"select number from orders where region = :REGOIN"'),
    right: query('{ REGION: string(1) }', '"select number from orders where region = :REGION"'),
  }),
  'unused-prompt': warning<{ prompt: string }>({
    message: ({ prompt }) => `The SQL does not use the prompt ${prompt}.`,
    explanation:
      'A prompt that the SQL does not name has no effect on the result. Callers may give it, so it is probably a condition that was forgotten.',
    wrong: query('{ REGION: string(1) }', 'select number from orders'),
    right: query('{ REGION: string(1) }', '"select number from orders where region = :REGION"'),
  }),
  'not-a-value': error<{ name: string; what: string }>({
    message: ({ name, what }) => `The ${what} ${name} must be a single value.`,
    explanation:
      "Prompts and columns are single values; documents and lists have no form in SQL. Prompts can't be binary.",
    wrong: 'query: ORDERS\npublic: true\ncolumns: { NUMBERS: list of integer }\nsql: select number from orders',
    right: query('', 'select number from orders'),
  }),
  'no-columns': error<{ query: string }>({
    message: ({ query: id }) => `${id} declares no columns.`,
    explanation: 'A query returns the columns that it declares, by name, with their types.',
    wrong: 'query: ORDERS\npublic: true\ncolumns: {}\nsql: select number from orders',
    right: query('', 'select number from orders'),
  }),
  'bad-query-answer': error<{ reason: string }>({
    message: ({ reason }) => `${reason}.`,
    explanation:
      'With `query: NAME` the prompts are the request and the rows the reply, so neither is declared. With `query: { FIELD: NAME }` the rows of each query fill a list field of the response, and columns fill the fields of the same name: a required field needs a column of a type that fits. A public operation needs public queries.',
    wrong: answered('{ fields: { orders: list of ORDER } }', '{ order: ORDERS }'),
    right: answered('{ fields: { orders: list of ORDER } }', '{ orders: ORDERS }'),
  }),
  'unknown-column': error<{ column: string; query: string; known: readonly string[] }>({
    message: ({ column, query: id }) => `${column} is no column of ${id}.`,
    hint: ({ column, known }) => didYouMean(column, known, 'It has'),
    explanation:
      "`connects` names columns as the two queries declare them: the child's first, and behind the colon the column of this query that it equals.",
    wrong: connected('{ ORDERS: { CUSTOMER_ID: ID } }'),
    right: connected('{ ORDERS: { CUSTOMER: ID } }'),
  }),
  'connected-types': error<{ reason: string }>({
    message: ({ reason }) => `${reason}.`,
    hint: () => 'Declare both columns with one type.',
    explanation:
      'Rows stand under the row of which the columns are equal, so both columns have one type; string, text and flag count as one. A binary, a JSON or an XML value is compared with nothing.',
    wrong: connected('{ ORDERS: { CUSTOMER: ID } }', '{ NUMBER: integer, CUSTOMER: string }'),
    right: connected('{ ORDERS: { CUSTOMER: ID } }'),
  }),
  'connected-circle': error<{ circle: string }>({
    message: ({ circle }) => `The queries would stand under each other for ever: ${circle}.`,
    explanation: 'A query stands under rows of another, but never under its own, by however many others in between.',
    wrong: connected('{ ORDERS: { CUSTOMER: ID } }', undefined, '\nconnects: { CUSTOMERS: { ID: CUSTOMER } }'),
    right: connected('{ ORDERS: { CUSTOMER: ID } }'),
  }),
  'connected-datasource': error<{ parent: string; child: string }>({
    message: ({ parent, child }) => `${child} reads another database than ${parent}.`,
    hint: () => 'Give both the same `datasource`, or none.',
    explanation: 'All of a connected query is read in one transaction, and so from one database.',
    wrong: `${connected('{ ORDERS: { CUSTOMER: ID } }', undefined, '\ndatasource: REPORTING')}\n---\ndatasource: REPORTING\nurl: sqlite:reporting.db`,
    right: connected('{ ORDERS: { CUSTOMER: ID } }'),
  }),
  'connected-not-public': error<{ parent: string; child: string }>({
    message: ({ parent, child }) => `${parent} is public and ${child} is not, so that its rows would be everybody's.`,
    explanation:
      'Who runs a connected query sees the rows of its members. Below a public query all members are public.',
    wrong: `${connected('{ ORDERS: { CUSTOMER: ID } }').replace('ORDERS\npublic: true', 'ORDERS\npermission: CLERKS')}\n---\npermission-list: CLERKS`,
    right: connected('{ ORDERS: { CUSTOMER: ID } }'),
  }),
  'connected-too-large': error<{ query: string; count: number; what: 'levels' | 'queries'; most: number }>({
    message: ({ query: id, count, what, most }) =>
      what === 'levels'
        ? `${id} nests ${count} levels of queries, and ${most} is the most.`
        : `Under ${id} stand ${count} queries, and ${most} is the most.`,
    explanation: 'A connected query has at most 10 levels, its own included, and at most 100 queries below it.',
    wrong: levels(11),
    right: levels(10),
  }),
};

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

const places = (component: string, more = ''): string =>
  `document: PLACE\nfields: { ID: { type: string(10), required: true }, NAME: string(30), REVISION: integer }\n---\ncomponent: PLACES\ntable: place\nshape: PLACE\n${component}${more}`;

const events = (registrations: string): string =>
  `${places(`keys: [ID]\nevents: ${registrations}`)}\n---\nrelated-content: AUDIT\nclass: audit\npublic: true`;

const saved = (operation: string): string =>
  places('keys: [ID]', `\n---\nservice: Places.v1\npublic: true\noperations:\n  ${operation}`);

/** Mistakes in components and related-content services. */
export const componentEntries = {
  'bad-component': error<{ component: string; reason: string }>({
    message: ({ component, reason }) => `${component} can't be saved so: ${reason}.`,
    explanation:
      'A component is a table behind a document: each field is a column, so that fields are single values. Its keys are required fields, its lock is an integer field that the gateway alone counts up.',
    wrong: places('keys: [CODE]'),
    right: places('keys: [ID]'),
  }),
  'bad-registration': error<{ component: string; reason: string }>({
    message: ({ component, reason }) => `A class can't be registered at ${component} so: ${reason}.`,
    explanation:
      'A class runs before the save (SavePreChange, `Pre Process`) or after its commit (SavePostChange, `Post Process`). Those of one event run in the order of their sequence numbers, each of which stands once.',
    wrong: events('[{ event: SavePostChange, service: AUDIT, processing: Pre Process }]'),
    right: events('[{ event: SavePostChange, service: AUDIT, processing: Post Process }]'),
  }),
  'bad-save': error<{ reason: string }>({
    message: ({ reason }) => `${reason}.`,
    explanation:
      '`save:` goes with POST, PUT, PATCH and DELETE, or with SOAP alone, and `read:` with GET. A class that is not public runs for the users that its permission lists name: where everybody may save, it would never run. A component that is granted is not for everybody either.',
    wrong: saved('PLACE_GET: { get: "Places/{ID}", save: PLACES }'),
    right: saved('PLACE_GET: { get: "Places/{ID}", read: PLACES }'),
  }),
};

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
