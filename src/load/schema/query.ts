import type { CsvOptions } from '../../wire/csv.ts';
import type { FieldsDeclared } from './document.ts';
import {
  description,
  infinity,
  integer,
  keys,
  matching,
  reference,
  refersTo,
  type TextsDeclared,
  text,
  time,
  yesNo,
} from './json-schema.ts';
import { permission, publicKey } from './operation.ts';

export interface QueryDeclared {
  readonly description?: string;
  readonly permission?: string | readonly string[];
  readonly public?: boolean;
  readonly prompts?: FieldsDeclared;
  readonly columns: FieldsDeclared;
  readonly sql: string;
  readonly datasource?: string;
  /** By child id: columns of the child, and the columns of the parent that they equal. */
  readonly connects?: Readonly<Record<string, TextsDeclared>>;
  readonly rows?: number;
  readonly timeout?: string;
  readonly csv?: CsvOptions;
  readonly infinity?: 'null' | 'text' | null;
}

const csv = keys<keyof CsvOptions>(
  {
    minProperties: 1,
    description: 'How its results are written as CSV.',
    examples: [{ neutral: true, bom: true, file: 'employees.csv' }],
  },
  {
    neutral: yesNo(
      'For spreadsheets: an apostrophe comes before texts that begin with `=`, `+`, `-`, `@`, a tab or a line end, so that none is calculated as a formula. Numbers stay as they are.',
      false,
    ),
    bom: yesNo('For spreadsheets: a byte order mark comes first, by which they know UTF-8.', false),
    file: matching(
      'a file name of the letters A to Z, digits, "_", "." and "-"',
      '^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$',
      'The name of the file that browsers save (`Content-Disposition`), of the letters A to Z, digits, `_`, `.` and `-`.',
      'employees.csv',
    ),
  },
);

export const query = keys<'query' | keyof QueryDeclared>(
  {
    title: 'query',
    description: 'Named SQL: one SELECT with typed prompts and columns. Callers need a grant to run it.',
    required: ['query', 'columns', 'sql'],
    examples: [
      {
        query: 'EMPLOYEES_BY_DEPT',
        permission: 'LOCATIONS',
        prompts: { DEPTNAME: { type: 'string(30)', required: true } },
        columns: { NAME: 'string', TITLE: 'string' },
        sql: 'select name, title from employee_tbl where deptname = :DEPTNAME order by name',
      },
    ],
  },
  {
    query: {
      title: 'a query name',
      type: 'string',
      pattern: '^[A-Za-z][A-Za-z0-9_]*$',
      maxLength: 30,
      description: 'Its id, at most 30 characters.',
      examples: ['EMPLOYEES_BY_DEPT'],
    },
    description,
    permission,
    public: publicKey,
    prompts: {
      ...reference('fields'),
      description:
        'Input by name. In the SQL, `:NAME` refers to it; it is bound with its type, and an empty value is NULL.',
    },
    columns: {
      ...reference('fields'),
      description:
        'The columns of a row. They are found in the result by name regardless of letter case, never by position.',
    },
    sql: text(
      'One SELECT (or WITH ... SELECT). It runs read-only. The operators `?`, `?|` and `?&` of PostgreSQL are written `??`, `??|` and `??&`.',
      'select name, title from employee_tbl where deptname = :DEPTNAME order by name',
    ),
    datasource: refersTo('datasource-id', "The database to read. The default is the gateway's own.", 'REPORTING'),
    connects: {
      type: 'object',
      minProperties: 1,
      propertyNames: reference('query-id'),
      additionalProperties: {
        type: 'object',
        minProperties: 1,
        additionalProperties: { type: 'string', minLength: 1 },
        description: 'Maps columns of the child to the columns of this query that they equal.',
        examples: [{ DEPTNAME: 'DEPTNAME' }],
      },
      description: 'Queries that are nested under its rows when it is run as a connected query.',
      examples: [{ EMPLOYEES_BY_DEPT: { DEPTNAME: 'DEPTNAME' } }],
    },
    rows: integer("Maximum number of rows, instead of the gateway's limit.", { minimum: 1 }, 500),
    timeout: time("Time limit, instead of the gateway's."),
    csv,
    infinity: infinity('its rows'),
  },
);
