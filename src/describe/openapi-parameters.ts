import type { Field } from '../model/field.ts';
import type { HeaderBinding } from '../model/service.ts';
import { entryType } from './entry.ts';
import { fieldJson } from './example-text.ts';
import { exampleField } from './example-value.ts';
import type { Json, JsonObject } from './json.ts';
import { defaultOf, valueSchema } from './openapi-schema.ts';
import { type DescribedUri, type DescribedVariable, operatorNote } from './uri.ts';

/** The parameters of a URI, in its order: path, query, headers. `names` are those of the path item, by position. */
export function uriParameters(
  described: DescribedUri,
  names: readonly string[],
  headers: readonly HeaderBinding[],
): JsonObject[] {
  return [
    ...described.pathVariables.map((variable, index) =>
      pathParameter(variable, names[index] ?? variable.template.name),
    ),
    ...described.constants.map(({ name, value }) => constantParameter(name, value)),
    ...described.queryVariables.map(queryParameter),
    // OpenAPI passes over parameters of these names (4.8.12.2.1): the description of bodies and security is where they are.
    ...headers.filter(({ header }) => !/^(accept|content-type|authorization)$/i.test(header)).map(headerParameter),
  ];
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
  const required = field.required && field.default === undefined;
  return { name: header, in: 'header', description: words(field), required, ...schemaAndExample(field, required) };
}

function words(field: Field, ...notes: readonly (string | undefined)[]): string | undefined {
  const anyCase = field.anyCase ? 'Letter case does not matter.' : undefined;
  const text = [field.description, ...notes, anyCase].filter((note) => note !== undefined).join(' ');
  return text === '' ? undefined : text;
}

/** Schema and example. What need not be given has an example only where one is written for it. */
function schemaAndExample(field: Field, required: boolean): JsonObject {
  const schema = textual(field);
  const value = required || field.example !== undefined ? exampleField(field) : undefined;
  const example =
    value === undefined || isDocument(field)
      ? undefined
      : schema === undefined
        ? fieldJson(field, value)
        : (value as Json);
  return { schema: { ...(schema ?? valueSchema(field, noDocuments)), default: defaultOf(field) }, example };
}

function isDocument(field: Field): boolean {
  return entryType(field).kind === 'document';
}

/** JSON as a parameter is text. */
function textual(field: Field): JsonObject | undefined {
  return field.type.kind === 'json' ? { type: 'string', contentMediaType: 'application/json' } : undefined;
}

/** A URL carries no documents: one that stands in it is names with values. */
const noDocuments = { document: () => ({ type: 'object' }), blank: () => ({ type: 'object' }) };
