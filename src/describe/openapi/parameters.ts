import type { Field } from '../../model/field.ts';
import type { HeaderBinding, Operation } from '../../model/service.ts';
import { fieldJson } from '../example/text.ts';
import { exampleField } from '../example/value.ts';
import { mustBeGiven, plainDefault } from '../field.ts';
import type { Json, JsonObject } from '../json.ts';
import { type DescribedUri, type DescribedVariable, operatorNote } from '../uri.ts';
import { caseNote, joined } from '../words.ts';
import { defaultOf, valueSchema } from './schema.ts';

/** The parameters of a URI, in its order: path, query, headers. `names` are those of the path item, by position. */
export function uriParameters(
  described: DescribedUri,
  names: readonly string[],
  { requestHeaders: headers, answer }: Pick<Operation, 'requestHeaders' | 'answer'>,
): JsonObject[] {
  return [
    ...described.pathVariables.map((variable, index) =>
      pathParameter(variable, names[index] ?? variable.template.name),
    ),
    ...described.constants.map(({ name, value }) => constantParameter(name, value)),
    ...described.queryVariables.map(queryParameter),
    // OpenAPI passes over parameters of these names (4.8.12.2.1): the description of bodies and security is where they are.
    ...headers.filter(({ header }) => !/^(accept|content-type|authorization)$/i.test(header)).map(headerParameter),
    ...(answer.kind === 'component' ? CONDITIONS : []),
  ];
}

/** What a caller expects of a record (RFC 9110, section 13.1). */
const CONDITIONS: readonly JsonObject[] = [
  condition('If-Match', 'Entity tags that the record must have one of, or `*`: it must be there.'),
  condition('If-None-Match', 'Entity tags that the record must have none of, or `*`: it must not be there.'),
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

/** Schema and example. What need not be given has an example only where one is written for it. */
function schemaAndExample(field: Field, required: boolean): JsonObject {
  const value = required || field.example !== undefined ? exampleField(field) : undefined;
  // A value that is sent empty counts as not sent.
  const minLength = required ? Math.max(1, field.minimum ?? 0) : undefined;
  if (field.type.kind === 'json') {
    // JSON as a parameter is text.
    const schema = { type: 'string', contentMediaType: 'application/json', minLength, default: plainDefault(field) };
    return { schema, example: value as string | undefined };
  }
  const bare = valueSchema(field, noDocuments);
  const values = (bare.enum as readonly Json[] | undefined)?.filter((each) => each !== '');
  const narrowed = {
    ...bare,
    enum: values,
    minLength: isFreeText(bare) ? (minLength ?? bare.minLength) : bare.minLength,
    default: defaultOf(field),
  };
  return { schema: narrowed, example: value === undefined ? undefined : fieldJson(field, value) };
}

/** Whether only its length can say that a text may not be empty. */
function isFreeText({ type, format, enum: values, const: fixed }: JsonObject): boolean {
  return (
    type === 'string' && (format === undefined || format === 'password') && values === undefined && fixed === undefined
  );
}

/** Neither a URL nor a header carries documents: definitions that put one there do not load. */
const noDocuments = { document: () => ({}), blank: () => ({}) };
