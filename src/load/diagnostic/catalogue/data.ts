import { didYouMean, didYouMeanSaved, nearest } from '../suggest.ts';
import { error, warning } from './entry.ts';

/** Mistakes in stored queries and where they answer operations. */
export const queryEntries = {
  'sql-not-select': error<{ word: string }>({
    message: ({ word }) =>
      word === ''
        ? 'The SQL contains no statement.'
        : `A query must be a SELECT, but this statement begins with ${word}.`,
    hint: () => 'Write one SELECT, or WITH ... SELECT.',
    explanation:
      'A stored query is one SELECT, which may begin with WITH. It runs in a read-only transaction, in which a statement that writes would fail.',
  }),
  'sql-many-statements': error<{ word: string }>({
    message: ({ word }) => `A query must be one statement, but another follows the semicolon: ${word}.`,
    explanation: 'A stored query is one statement. A semicolon at its end is allowed.',
  }),
  'sql-unterminated': error<{ what: string }>({
    message: ({ what }) => `The SQL ends inside ${what}.`,
    explanation:
      'A literal, a quoted name, a comment or a parenthesis is not closed, so the rest of the text would be read as part of it.',
  }),
  'sql-executable-comment': error<object>({
    message: () => 'MariaDB and MySQL run what this comment holds.',
    hint: () => 'Write what it holds without the comment, or leave it out.',
    explanation:
      'MariaDB and MySQL run the text of a comment that begins with `/*!` or `/*M!`, and obey a hint with SET_VAR, which changes a setting. What a query does must be visible to whoever reads it.',
  }),
  'foreign-placeholder': error<{ text: string; known: readonly string[] }>({
    message: ({ text }) => `${text} is a placeholder of another notation; write prompts as :NAME.`,
    hint({ text, known }) {
      const operator = text === '?' ? ' The operator ? of PostgreSQL is written ??.' : '';
      const name = /[A-Za-z_]\w*/.exec(text)?.[0];
      const meant = name === undefined ? undefined : nearest(name, known);
      if (meant !== undefined || known.length === 1) return `Write :${meant ?? known[0]}.${operator}`;
      if (known.length > 0) return `Prompts here: ${known.join(', ')}.${operator}`;
      return `Write :${name ?? 'NAME'}, and declare it: prompts: { ${name ?? 'NAME'}: string }.${operator}`;
    },
    explanation:
      'Prompts are declared and bound by name. Any other placeholder would stay unbound and silently be NULL. The operators `?`, `?|` and `?&` of PostgreSQL are written `??`, `??|` and `??&`.',
  }),
  'unknown-prompt': error<{ prompt: string; known: readonly string[] }>({
    message: ({ prompt }) => `The SQL uses :${prompt}, which is not a prompt of the query.`,
    hint: ({ prompt, known }) =>
      didYouMean(prompt, known, 'Prompts here:') ?? `Declare it: prompts: { ${prompt}: string }.`,
    explanation: 'Every `:NAME` outside literals and comments is a prompt of the query, spelled as it is declared.',
  }),
  'unused-prompt': warning<{ prompt: string; asText: boolean }>({
    message: ({ prompt }) => `The SQL does not use the prompt ${prompt}.`,
    hint: ({ prompt, asText }) =>
      asText ? `In quotes or a comment, :${prompt} is text. Write it without quotes.` : undefined,
    explanation:
      'A prompt that the SQL does not use has no effect on the result, although callers may supply it. Probably a condition is missing.',
  }),
  'not-a-value': error<{ name: string; what: string }>({
    message: ({ name, what }) => `The ${what} ${name} must be a single value.`,
    explanation:
      'Prompts, columns, parameters and settings are single values; SQL and texts have no form for documents and lists. Only columns can be binary.',
  }),
  'no-null': error<{ name: string; reason: string }>({
    message: ({ name, reason }) => `${name} can't be nullable: it ${reason}.`,
    hint: () => 'Remove `nullable`.',
    explanation:
      '`nullable: true` makes null a value, other than no value at all. URLs, headers, forms and prompts have no null, so a field there is given or not given.',
  }),
  'no-columns': error<{ query: string }>({
    message: ({ query: id }) => `Query ${id} declares no columns.`,
    hint: () => 'Declare at least one column.',
    explanation: 'A query returns the columns that it declares, by name and with their types.',
  }),
  'bad-query-answer': error<{ reason: string }>({
    message: ({ reason }) => `${reason}.`,
    explanation:
      'With `query: NAME`, the prompts are the request and the rows are the reply, so neither is declared. With `query: { FIELD: NAME }`, the rows of each query fill a list field of the response, and columns fill the fields of the same names; a required field needs a column of a fitting type. A public operation needs public queries.',
  }),
  'unknown-column': error<{ column: string; query: string; known: readonly string[] }>({
    message: ({ column, query: id }) => `${column} is not a column of query ${id}.`,
    hint: ({ column, known }) => didYouMean(column, known, 'It has'),
    explanation:
      '`connects` maps columns of the child query to the columns of this query that they equal, as the two queries declare them.',
  }),
  'connected-types': error<{ reason: string }>({
    message: ({ reason }) => `${reason}.`,
    hint: () => 'Declare both columns with the same type.',
    explanation:
      "Rows are nested under the row whose columns are equal, so both columns must have the same type; string, text and flag count as one. Binary, JSON and XML values can't be compared.",
  }),
  'connected-circle': error<{ circle: string }>({
    message: ({ circle }) => `The queries contain each other: ${circle}.`,
    hint: () => 'Remove one of these connections.',
    explanation:
      'A query may be nested under rows of another query, but never under its own rows, whether directly or through others.',
  }),
  'connected-datasource': error<{ parent: string; child: string }>({
    message: ({ parent, child }) => `Query ${child} reads another database than ${parent}.`,
    hint: () => 'Give both queries the same `datasource`, or none.',
    explanation: 'A connected query is read in one transaction, and therefore from one database.',
  }),
  'connected-not-public': error<{ parent: string; child: string }>({
    message: ({ parent, child }) =>
      `Query ${parent} is public but ${child} is not, so its rows would be visible to everyone.`,
    hint: ({ parent, child }) => `Make ${child} public, or grant ${parent} with \`permission:\`.`,
    explanation:
      'A caller who runs a connected query sees the rows of its members, so all members below a public query must be public.',
  }),
  'connected-too-large': error<{ query: string; count: number; what: 'levels' | 'queries'; most: number }>({
    message: ({ query: id, count, what, most }) =>
      what === 'levels'
        ? `Query ${id} nests ${count} levels of queries; the maximum is ${most}.`
        : `Query ${id} contains ${count} queries; the maximum is ${most}.`,
    explanation: 'A connected query has at most 10 levels, its own included, and at most 100 queries below it.',
  }),
};

/** Mistakes in datasources, and in the queries that read them. */
export const datasourceEntries = {
  'bad-datasource': error<{ datasource: string; reason: string }>({
    message: ({ datasource, reason }) => `The address of datasource ${datasource} can't be used: ${reason}.`,
    explanation:
      'A datasource is another database, which stored queries read: `sqlite:` and a path relative to the project, `postgres://user@host/database`, or `mysql://user@host/database` for MariaDB and MySQL. Its password is a reference.',
  }),
  'bad-replica': error<{ of: string; reason: string }>({
    message: ({ of, reason }) => `The replicas of ${of} can't be used: ${reason}.`,
    explanation:
      'Replicas are servers of PostgreSQL that replicate a database by streaming. Each has a URL with one host, because each may be behind by another time.',
  }),
};

/** Mistakes in components and related-content services. */
export const componentEntries = {
  'bad-component': error<{ component: string; reason: string }>({
    message: ({ component, reason }) => `Component ${component} can't be saved: ${reason}.`,
    explanation:
      'A component stores a document in a table with a column for each field, so all fields are single values. Its keys are required fields. Its lock is an integer field that only the gateway increments.',
  }),
  'bad-registration': error<{ component: string; reason: string }>({
    message: ({ component, reason }) => `Invalid registration of a class at component ${component}: ${reason}.`,
    explanation:
      'A class runs before the save (SavePreChange, `Pre Process`) or after its commit (SavePostChange, `Post Process`). The classes of an event run in the order of their sequence numbers, which must be unique.',
  }),
  'bad-publication': error<{ component: string; reason: string }>({
    message: ({ component, reason }) => `Component ${component} ${reason}.`,
    explanation:
      'With `publish:` each save of a component publishes a message: an operation with `queue:`, or the only operation that publishes to a queue. Fields of the message are filled by fields of the record with the same name, or as `map` says. Each field that the message requires must always be there, the types must fit, and what is `sensitive` in the record is so in the message. Conditions, also those of `after-save:`, are about fields with single values.',
  }),
  'publication-may-not-fit': warning<{ component: string; field: string; reason: string }>({
    message: ({ component, field, reason }) => `Component ${component} fills ${field}: it ${reason}.`,
    hint: () => 'Bound the field of the record as the message bounds its own, or remove the bounds of the message.',
    explanation:
      'A record may have a value that the message does not take: one that is longer, or beyond its bounds. Such a save fails, since it would publish nothing. The types, lengths, digits, bounds, patterns and listed values of both fields are compared.',
  }),
  'unknown-saved-field': error<{ name: string; of: string; known: readonly string[] }>({
    message: ({ name, of }) => `${name} is not a field of ${of}.`,
    hint: ({ name, known }) => didYouMeanSaved(name, known, 'Fields there:'),
    explanation:
      'The conditions of `publish:` and `after-save:` are about fields of the record, about their values before the save (`before.FIELD`), which a new record does not have, and about what the save did (`save.action`).',
  }),
  'bad-save': error<{ reason: string }>({
    message: ({ reason }) => `${reason}.`,
    explanation:
      '`save:` is for POST, PUT, PATCH and DELETE, or for SOAP alone; `read:` is for GET. A class that is not public runs only for users of its permission lists, so it would never run when everyone may save. The same holds for a component that is not public.',
  }),
};

/** Mistakes in processes and recurrences. */
export const processEntries = {
  'bad-recurrence': error<{ recurrence: string; reason: string }>({
    message: ({ recurrence, reason }) => `Recurrence ${recurrence} is not valid: ${reason}.`,
    explanation: 'A recurrence is a cron expression of five fields, in a time zone.',
  }),
  'bad-process': error<{ process: string; reason: string }>({
    message: ({ process, reason }) => `Process ${process} ${reason}.`,
    hint: () =>
      'A process with `recurs` needs `run-as: USER` with a grant for it, and a default for each required parameter.',
    explanation:
      'A process with `recurs:` runs without a request. `run-as:` names the user in whose name it runs; that user needs a permission list of the process, as every caller does. Nobody supplies parameters, so required ones need a default.',
  }),
};
