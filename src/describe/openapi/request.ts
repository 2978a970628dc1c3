import { isOneOfSeveral } from '../../model/derivation.ts';
import type { Document } from '../../model/document.ts';
import type { PrivateQueryKey } from '../../model/query.ts';
import { requestForms } from '../../model/request-form.ts';
import { primitiveOf } from '../../model/scalar.ts';
import { type Message, type Operation, type OperationUri, takesBody } from '../../model/service.ts';
import { DURATION } from '../../wire/duration.ts';
import { bodyExample } from '../example/request.ts';
import { exampleXml } from '../example/text.ts';
import { exampleDocument, tellingFields } from '../example/value.ts';
import { deliveredFacts } from '../exchange.ts';
import { mustBeGiven } from '../field.ts';
import type { JsonObject } from '../json.ts';
import { codingNote, joined, repeatsNote } from '../words.ts';
import { type Components, labelled } from './components.ts';
import { formContent, partsContent } from './parts.ts';
import { type Writing, xmlSchema, xmlWords } from './replies.ts';
import { anyJson, BYTES, documentSchema, fieldSchema, rawSchema } from './schema.ts';

/** Requests to an operation at one of its URIs. */
interface Requests {
  readonly operation: Operation;
  readonly uri: OperationUri;
  /** The name for the schema of the URI's body. */
  readonly name: string;
}

/** The body of requests; `undefined` if they have none. */
export function requestBody(requests: Requests, context: Writing): JsonObject | undefined {
  const { operation, uri } = requests;
  if (!takesBody(operation, uri)) return undefined;
  const { request } = operation;
  const isOne = request.kind === 'document' && isOneOfSeveral(request.document);
  const required = request.kind === 'raw' || isOne || uri.body.some(mustBeGiven);
  const content = requestForms(operation, uri).map(({ format, mediaType }): [string, JsonObject] => [
    mediaType,
    format === 'xml' ? xmlContent(requests, context) : bodyContent(requests, mediaType, context.components),
  ]);
  return { description: codingNote(context.scope.gateway), required, content: Object.fromEntries(content) };
}

/** Whether the body of requests is a document as a whole, without fields in the URI. */
export function isWhole(document: Document, { body }: OperationUri): boolean {
  return document.kinds !== undefined || body.length === document.fields.length;
}

/** A body of fields as XML: the document's element with the fields that are in the body. */
function xmlContent({ operation, uri }: Requests, { scope }: Writing): JsonObject {
  const { document } = operation.request as Extract<Message, { kind: 'document' }>;
  const whole = isWhole(document, uri);
  const names = uri.body.map((field) => field.xmlName).join(', ');
  const part = whole ? undefined : joined(' ', `Contains only ${names}.`, repeatsNote(uri.repeats));
  const fields = tellingFields(document.kinds === undefined ? uri.body : document.fields);
  const value = exampleDocument({ ...document, fields });
  return {
    schema: xmlSchema(joined(' ', xmlWords(document, scope), part) ?? ''),
    example: value === undefined ? undefined : exampleXml({ ...document, fields }, value, scope.documents),
  };
}

function bodyContent({ operation, uri, name }: Requests, mediaType: string, components: Components): JsonObject {
  const { request } = operation;
  const [field] = uri.body;
  if (request.kind === 'raw') return { schema: rawSchema(request.raw, mediaType) };
  if (request.kind === 'none') return {};
  if (operation.body === 'raw') {
    if (field === undefined || primitiveOf(field.type) === 'binary') return { schema: BYTES };
    const isQuery = deliveredFacts(operation).body === 'private-query';
    const schema = isQuery ? components.schema('QUERY_DEFINITION', PRIVATE_QUERY) : fieldSchema(field, components);
    return { schema, example: bodyExample(operation, uri) };
  }
  const { document } = request;
  if (operation.form === 'urlencoded')
    return formContent(uri.body, operation.formStyles, partSchema(document, uri, components), () =>
      bodyExample(operation, uri),
    );
  if (operation.form !== undefined)
    return partsContent(uri.body, partSchema(document, uri, components), () => bodyExample(operation, uri));
  const whole = isWhole(document, uri);
  const part = whole ? undefined : components.schema(`${name}_BODY`, partSchema(document, uri, components));
  const schema = part === undefined ? components.message(document) : document.root ? labelled(document.id, part) : part;
  return { schema, example: bodyExample(operation, uri) };
}

/** The fields of a document that are in the body; fields of the URI may be omitted. */
function partSchema(document: Document, { body, repeats }: OperationUri, components: Components): JsonObject {
  const fields = document.fields.filter((field) => body.includes(field) || repeats.includes(field));
  const required = body.filter(mustBeGiven).map((field) => field.jsonName);
  return {
    ...documentSchema(document, fields, components),
    description: joined(' ', document.description, repeatsNote(repeats)),
    required: required.length === 0 ? undefined : required,
  };
}

/** Fields by name. Each is a word or a map, and no generated class can hold both. */
const fields = (description: string): JsonObject => ({
  type: 'object',
  description,
  additionalProperties: anyJson(
    'A type such as `string(30)`, or a map with `type` and other keys such as `required` and `default`.',
  ),
});

const properties: Readonly<Record<PrivateQueryKey, JsonObject>> = {
  query: { type: 'string', pattern: '^[A-Za-z][A-Za-z0-9_]*$', maxLength: 30, description: 'The name of the query.' },
  description: { type: 'string', description: 'A description for the people who use the query.' },
  prompts: fields('Values that the caller passes, by name. The SQL refers to them as `:NAME`.'),
  columns: fields('The columns of a row, by name.'),
  sql: { type: 'string', minLength: 1, description: 'One SELECT (or WITH ... SELECT), which is run read-only.' },
  rows: { type: 'integer', format: 'int64', minimum: 1, description: "Most rows, in place of the gateway's limit." },
  timeout: {
    type: 'string',
    pattern: `^${DURATION}$`,
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
