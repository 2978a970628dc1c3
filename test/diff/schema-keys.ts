import { definitionsSchema, type JsonSchema, kindSchemas } from '../../src/load/schema/index.ts';

const parts = definitionsSchema().$defs ?? {};

/** Schemas that a value may meet: the schema itself and all that it consists of, with the place that names its keys. */
function within(schema: JsonSchema, place: string): readonly (readonly [JsonSchema, string])[] {
  const { $ref, then: yes, else: no, anyOf = [], oneOf = [], allOf = [] } = schema;
  const name = $ref?.replace('#/$defs/', '');
  const inside = [yes, no, ...anyOf, ...oneOf, ...allOf].filter((each) => each !== undefined);
  return [
    [schema, place],
    ...inside.flatMap((each) => within(each, place)),
    ...(name === undefined ? [] : within(parts[name] as JsonSchema, name)),
  ];
}

const propertiesOf = (schema: JsonSchema): readonly (readonly [string, JsonSchema])[] =>
  schema.additionalProperties === false ? Object.entries(schema.properties ?? {}) : [];

/** Schemas of the entries of a list or a map. */
const entriesOf = ({ items, additionalProperties }: JsonSchema): readonly JsonSchema[] =>
  [items, additionalProperties].filter((each): each is JsonSchema => typeof each === 'object');

/** All keys of the definitions by their places: `gateway.tls.minimum`, `field.pattern`. */
export function schemaKeys(): ReadonlySet<string> {
  const found = new Set<string>();
  const visited = new Set<JsonSchema>();
  const visit = (given: JsonSchema, at: string): void => {
    for (const [schema, place] of within(given, at)) {
      if (visited.has(schema) && place !== at) continue;
      visited.add(schema);
      for (const [key, value] of propertiesOf(schema)) {
        found.add(`${place}.${key}`);
        visit(value, `${place}.${key}`);
      }
      for (const entry of entriesOf(schema)) visit(entry, place);
    }
  };
  for (const [kind, schema] of Object.entries(kindSchemas)) visit(schema, kind);
  return found;
}
