import { isOneOfSeveral } from '../../model/derivation.ts';
import type { Document } from '../../model/document.ts';
import type { Field } from '../../model/field.ts';
import type { Gateway, Once } from '../../model/gateway.ts';
import type { PrivateQueryKey } from '../../model/query.ts';
import { requestForms } from '../../model/request-form.ts';
import { primitiveOf } from '../../model/scalar.ts';
import {
  finalAnswer,
  type HeaderBinding,
  type Message,
  type Operation,
  type OperationUri,
  onceOf,
  takesBody,
} from '../../model/service.ts';
import { bodyExample } from '../example/request.ts';
import { exampleXml, fieldJson } from '../example/text.ts';
import { exampleDocument, exampleField, tellingFields } from '../example/value.ts';
import { deliveredFacts, isKeyNeeded, keyWords } from '../exchange.ts';
import { mustBeGiven, takenFor } from '../field.ts';
import type { Json, JsonObject } from '../json.ts';
import { type DescribedUri, type DescribedVariable, operatorNote } from '../uri.ts';
import { caseNote, codingNote, joined, repeatsNote } from '../words.ts';
import { type Components, labelled } from './components.ts';
import { partsContent } from './parts.ts';
import { type Writing, xmlSchema, xmlWords } from './replies.ts';
import { anyJson, BYTES, defaultOf, documentSchema, fieldSchema, rawSchema, valueSchema } from './schema.ts';

/** The parameters of a URI, in its order: path, query, headers. `names` are those of the path item, by position. */
export function uriParameters(
  described: DescribedUri,
  names: readonly string[],
  operation: Operation,
  gateway: Pick<Gateway, 'once'>,
): JsonObject[] {
  const { requestHeaders: headers } = operation;
  const once = onceOf(operation, gateway);
  return [
    ...described.pathVariables.map((variable, index) =>
      pathParameter(variable, names[index] ?? variable.template.name),
    ),
    ...described.constants.map(({ name, value }) => constantParameter(name, value)),
    ...described.queryVariables.map(queryParameter),
    // OpenAPI ignores parameters of these names (4.8.12.2.1): bodies and security describe them.
    ...headers.filter(({ header }) => !/^(accept|content-type|authorization)$/i.test(header)).map(headerParameter),
    ...(finalAnswer(operation).kind === 'component' ? CONDITIONS : []),
    ...(once === undefined ? [] : [keyParameter(operation, once)]),
  ];
}

function keyParameter(operation: Operation, once: Once): JsonObject {
  return {
    name: 'Idempotency-Key',
    in: 'header',
    description: keyWords(once),
    required: isKeyNeeded(operation, once),
    schema: { type: 'string', minLength: 1, maxLength: 255 },
    example: '8e03978e-40d5-43e8-bc93-6894a57f9324',
  };
}

/** Conditions on the state of a record (RFC 9110, section 13.1). */
const CONDITIONS: readonly JsonObject[] = [
  condition('If-Match', 'Entity tags, one of which the record must have, or `*`: the record must exist.'),
  condition('If-None-Match', 'Entity tags that the record must not have, or `*`: the record must not exist.'),
];

function condition(name: string, description: string): JsonObject {
  return {
    name,
    in: 'header',
    description: `${description} RFC 9110, section 13.1.`,
    required: false,
    schema: { type: 'string' },
  };
}

const styles: Readonly<Record<string, string>> = { ';': 'matrix', '.': 'label' };

function pathParameter(variable: DescribedVariable, name: string): JsonObject {
  const { field, template } = variable;
  const style = styles[template.operator];
  const note = name === template.name ? undefined : `${template.name} in the URI template.`;
  return {
    name,
    in: 'path',
    description: words(field, note, operatorNote(variable)),
    required: true,
    style,
    explode: template.explode ? true : undefined,
    ...schemaAndExample(field, true),
  };
}

function queryParameter(variable: DescribedVariable): JsonObject {
  const { field, template, wireName, required } = variable;
  const isList = field.type.kind === 'list';
  return {
    name: wireName,
    in: 'query',
    description: words(field, operatorNote(variable)),
    required,
    allowEmptyValue: required ? undefined : true,
    style: isList ? 'form' : undefined,
    explode: isList ? template.explode : undefined,
    allowReserved: template.operator === '+' ? true : undefined,
    ...schemaAndExample(field, required),
  };
}

function constantParameter(name: string, value: string): JsonObject {
  return { name, in: 'query', required: true, schema: { type: 'string', const: value }, example: value };
}

function headerParameter({ header, field }: HeaderBinding): JsonObject {
  const required = mustBeGiven(field);
  return { name: header, in: 'header', description: words(field), required, ...schemaAndExample(field, required) };
}

function words(field: Field, ...notes: readonly (string | undefined)[]): string | undefined {
  return joined(' ', field.description, ...notes, caseNote(field));
}

/** Schema and example. An optional field has an example only if its definition has one. */
function schemaAndExample(field: Field, required: boolean): JsonObject {
  const value = required || field.example !== undefined ? exampleField(field) : undefined;
  if (primitiveOf(field.type) === 'json') {
    // A JSON parameter is text.
    const minLength = required ? 1 : undefined;
    const schema = { type: 'string', contentMediaType: 'application/json', minLength, default: takenFor(field) };
    return { schema, example: value as string | undefined };
  }
  const bare = valueSchema(field, noDocuments);
  const values = (bare.enum as readonly Json[] | undefined)?.filter((each) => each !== '');
  const narrowed = {
    ...bare,
    enum: values,
    // An empty value counts as absent.
    minLength: required && isFreeText(bare) ? Math.max(1, (bare.minLength as number | undefined) ?? 0) : bare.minLength,
    default: defaultOf(field),
  };
  return { schema: narrowed, example: value === undefined ? undefined : fieldJson(field, value) };
}

/** Whether only a minimum length can state that a text must not be empty. */
function isFreeText({ type, format, enum: values, const: fixed }: JsonObject): boolean {
  return (
    type === 'string' && (format === undefined || format === 'password') && values === undefined && fixed === undefined
  );
}

/** Neither a URL nor a header contains documents: definitions with one there don't load. */
const noDocuments = { document: () => ({}), branch: () => ({}), kind: () => ({}), blank: () => ({}) };

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
