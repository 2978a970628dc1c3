import type { PrivateQueryKey } from '../../model/query.ts';
import type { JsonObject } from '../json.ts';
import { anyJson } from './schema.ts';

/** Fields by name. Each is a word or a map, which no generated class holds both of. */
const fields = (description: string): JsonObject => ({
  type: 'object',
  description,
  additionalProperties: anyJson('A type, as `string(30)`, or a map of `type` and more, as `required` and `default`.'),
});

const properties: Readonly<Record<PrivateQueryKey, JsonObject>> = {
  query: { type: 'string', pattern: '^[A-Za-z][A-Za-z0-9_]*$', maxLength: 30, description: 'Its name.' },
  description: { type: 'string', description: 'What it is, for the people who use it.' },
  prompts: fields('What the caller gives, by name. In the SQL `:NAME` stands for it.'),
  columns: fields('What a row holds, by name.'),
  sql: { type: 'string', minLength: 1, description: 'One SELECT (or WITH ... SELECT). Runs read-only.' },
  rows: { type: 'integer', format: 'int64', minimum: 1, description: "Most rows, in place of the gateway's limit." },
  timeout: {
    type: 'string',
    pattern: '^[0-9]+ ?(ms|s|min|h|d)$',
    description: "Longest time, in place of the gateway's limit.",
  },
};

/** The definition of a private query, as `query:` in YAML. */
export const PRIVATE_QUERY: JsonObject = {
  type: 'object',
  description: 'A stored query, by the keys of `query:` in the definitions.',
  properties,
  required: ['query', 'columns', 'sql'],
  additionalProperties: false,
};
