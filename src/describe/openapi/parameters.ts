import { isDeepStrictEqual } from 'node:util';
import type { Field } from '../../model/field.ts';
import type { Gateway, Once } from '../../model/gateway.ts';
import { primitiveOf } from '../../model/scalar.ts';
import { finalAnswer, type HeaderBinding, type Operation, onceOf } from '../../model/service.ts';
import { fieldJson } from '../example/text.ts';
import { exampleField } from '../example/value.ts';
import { isKeyNeeded, keyWords } from '../exchange.ts';
import { mustBeGiven, takenFor } from '../field.ts';
import type { Json, JsonObject } from '../json.ts';
import { type DescribedUri, type DescribedVariable, operatorNote } from '../uri.ts';
import { caseNote, joined } from '../words.ts';
import { defaultOf, type SchemaRefs, valueSchema } from './schema.ts';

/** The parameters of a URI, in its order: path, query, headers. `names` are those of the path item, by position. */
export function uriParameters(
  described: DescribedUri,
  names: readonly string[],
  operation: Operation,
  gateway: Pick<Gateway, 'once'>,
  refs: TypeRefs,
): JsonObject[] {
  const { requestHeaders: headers } = operation;
  const once = onceOf(operation, gateway);
  return [
    ...described.pathVariables.map((variable, index) =>
      pathParameter(variable, names[index] ?? variable.template.name, refs),
    ),
    ...described.constants.map(({ name, value }) => constantParameter(name, value)),
    ...described.queryVariables.map((variable) => queryParameter(variable, refs)),
    // OpenAPI ignores parameters of these names (4.8.12.2.1): bodies and security describe them.
    ...headers
      .filter(({ header }) => !/^(accept|content-type|authorization)$/i.test(header))
      .map((each) => headerParameter(each, refs)),
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

function pathParameter(variable: DescribedVariable, name: string, refs: TypeRefs): JsonObject {
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
    ...schemaAndExample(field, true, refs),
  };
}

function queryParameter(variable: DescribedVariable, refs: TypeRefs): JsonObject {
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
    ...schemaAndExample(field, required, refs),
  };
}

function constantParameter(name: string, value: string): JsonObject {
  return { name, in: 'query', required: true, schema: { type: 'string', const: value }, example: value };
}

function headerParameter({ header, field }: HeaderBinding, refs: TypeRefs): JsonObject {
  const required = mustBeGiven(field);
  return {
    name: header,
    in: 'header',
    description: words(field),
    required,
    ...schemaAndExample(field, required, refs),
  };
}

function words(field: Field, ...notes: readonly (string | undefined)[]): string | undefined {
  return joined(' ', field.description, ...notes, caseNote(field));
}

/** Schema and example. An optional field has an example only if its definition has one. */
function schemaAndExample(field: Field, required: boolean, refs: TypeRefs): JsonObject {
  const value = required || field.example !== undefined ? exampleField(field) : undefined;
  if (primitiveOf(field.type) === 'json') {
    // A JSON parameter is text.
    const minLength = required ? 1 : undefined;
    const schema = { type: 'string', contentMediaType: 'application/json', minLength, default: takenFor(field) };
    return { schema, example: value as string | undefined };
  }
  const { named, ...plain } = field;
  const bare = valueSchema(plain, noDocuments);
  const values = (bare.enum as readonly Json[] | undefined)?.filter((each) => each !== '');
  const narrowed = {
    ...bare,
    enum: values,
    // An empty value counts as absent.
    minLength: required && isFreeText(bare) ? Math.max(1, (bare.minLength as number | undefined) ?? 0) : bare.minLength,
  };
  const preset = defaultOf(field);
  // A value that the type permits and a parameter does not is an empty one.
  const isOfType = named !== undefined && !field.sensitive && field.fixed === undefined;
  const refers = isOfType && isDeepStrictEqual(withoutUndefined(narrowed), withoutUndefined(bare));
  const schema = { ...(refers ? refs.type(named) : narrowed), default: preset };
  return { schema, example: value === undefined ? undefined : fieldJson(field, value) };
}

function withoutUndefined(schema: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined));
}

/** Whether only a minimum length can state that a text must not be empty. */
function isFreeText({ type, format, enum: values, const: fixed }: JsonObject): boolean {
  return (
    type === 'string' && (format === undefined || format === 'password') && values === undefined && fixed === undefined
  );
}

/** Neither a URL nor a header contains documents: definitions with one there don't load. */
const noDocuments = { document: () => ({}), branch: () => ({}), kind: () => ({}), blank: () => ({}), type: () => ({}) };

/** Returns references to the schemas of named types. */
type TypeRefs = Pick<SchemaRefs, 'type'>;
