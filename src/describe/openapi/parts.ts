import type { Field } from '../../model/field.ts';
import { type FormStyle, type FormStyles, formStyle, formStyleWords, partKind } from '../../model/form.ts';
import type { Json, JsonObject } from '../json.ts';
import { joined } from '../words.ts';
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

/** The styles of OpenAPI ("Encoding Object"); without one, a list has a field for each entry, and an object is JSON. */
const ENCODINGS: Readonly<Partial<Record<FormStyle, JsonObject>>> = {
  comma: { style: 'form', explode: false },
  space: { style: 'spaceDelimited', explode: false },
  pipe: { style: 'pipeDelimited', explode: false },
  brackets: { style: 'deepObject', explode: true },
  json: { contentType: 'application/json' },
};

/** The content of a urlencoded form. @param schema of the fields in JSON */
export function formContent(
  fields: readonly Field[],
  styles: FormStyles | undefined,
  schema: JsonObject,
  example: () => Json | undefined,
): JsonObject {
  // deepObject is defined for objects only.
  const isInWords = (field: Field): boolean => field.type.kind === 'list' && formStyle(field, styles) === 'brackets';
  const encoding = fields.flatMap((field) => {
    const own = isInWords(field) ? undefined : ENCODINGS[formStyle(field, styles)];
    return own === undefined ? [] : [[field.jsonName, own] as const];
  });
  const properties = schema.properties as JsonObject;
  const described = fields.filter(isInWords).map((field) => {
    const { description, ...own } = properties[field.jsonName] as JsonObject & { readonly description?: string };
    const words = joined(' ', description, formStyleWords(field, 'brackets'));
    return [field.jsonName, { description: words, ...own }] as const;
  });
  return {
    schema: { ...schema, properties: { ...properties, ...Object.fromEntries(described) } },
    encoding: encoding.length === 0 ? undefined : Object.fromEntries(encoding),
    example: example(),
  };
}
