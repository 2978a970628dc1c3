import type { FieldsDeclared } from './document.ts';
import { description, duration, keys, reference, refersTo, type TextsDeclared, text } from './json-schema.ts';
import { permission, publicKey } from './operation.ts';

export interface QueryDeclared {
  readonly description?: string;
  readonly permission?: string | readonly string[];
  readonly public?: boolean;
  readonly prompts?: FieldsDeclared;
  readonly columns: FieldsDeclared;
  readonly sql: string;
  readonly datasource?: string;
  /** By the child's id: the child's columns, and the parent's that they equal. */
  readonly connects?: Readonly<Record<string, TextsDeclared>>;
  readonly rows?: number;
  readonly timeout?: string;
}

export const query = keys<'query' | keyof QueryDeclared>(
  {
    title: 'query',
    description: 'Named SQL: one SELECT with typed prompts and columns. Who runs it needs a grant for it.',
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
        'What the caller gives, by name. In the SQL `:NAME` stands for it, bound with its type; an empty one is NULL.',
    },
    columns: {
      ...reference('fields'),
      description: 'What a row holds. Found in the result by name without case, never by position.',
    },
    sql: text(
      'One SELECT (or WITH ... SELECT). Runs read-only.',
      'select name, title from employee_tbl where deptname = :DEPTNAME order by name',
    ),
    datasource: refersTo('datasource-id', "The database that it reads; the gateway's own where left out.", 'REPORTING'),
    connects: {
      type: 'object',
      minProperties: 1,
      propertyNames: reference('query-id'),
      additionalProperties: {
        type: 'object',
        minProperties: 1,
        additionalProperties: { type: 'string', minLength: 1 },
        description: 'Columns of the child, and the columns of this query that they equal.',
        examples: [{ DEPTNAME: 'DEPTNAME' }],
      },
      description: 'Queries that are nested under its rows where it is run as a connected query.',
      examples: [{ EMPLOYEES_BY_DEPT: { DEPTNAME: 'DEPTNAME' } }],
    },
    rows: { type: 'integer', minimum: 1, description: "Most rows, in place of the gateway's limit.", examples: [500] },
    timeout: { ...duration, description: "Longest time, in place of the gateway's limit." },
  },
);
