import type { Field } from '../../model/field.ts';
import { partKind } from '../../model/form.ts';
import type { Json, JsonObject } from '../json.ts';
import { BYTES } from './schema.ts';

/**
 * The content of a message with a part for each field: files as bytes, documents as JSON (OpenAPI 3.1, section 4.8.14.4).
 * @param schema of the fields in JSON
 * @param example of them, which is not asked for if one is a file
 */
export function partsContent(
  fields: readonly Field[],
  schema: JsonObject,
  example: () => Json | undefined,
): JsonObject {
  const properties = schema.properties as JsonObject;
  const files = fields.filter((field) => partKind(field) === 'file');
  const bytes = files.map(({ jsonName, type }) => {
    const { description, ...own } = properties[jsonName] as JsonObject;
    return [
      jsonName,
      type.kind === 'list' ? { description, ...own, items: BYTES } : { ...BYTES, description },
    ] as const;
  });
  const encoding = fields.flatMap((field) =>
    partKind(field) === 'json' ? [[field.jsonName, { contentType: 'application/json' }] as const] : [],
  );
  return {
    schema: { ...schema, properties: { ...properties, ...Object.fromEntries(bytes) } },
    encoding: encoding.length === 0 ? undefined : Object.fromEntries(encoding),
    example: files.length === 0 ? example() : undefined,
  };
}
