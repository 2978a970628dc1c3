// JSON Schema 2020-12, the dialect of OpenAPI 3.1, of documents in their JSON form.
import type { Document } from '../../model/document.ts';
import { type Field, type FieldType, type ScalarKind, type ScalarType, singleType } from '../../model/field.ts';
import type { RawKind } from '../../model/service.ts';
import { entryField, longest, mustBeGiven, plainDefault } from '../field.ts';
import type { Json, JsonObject } from '../json.ts';
import { caseNote, digitsNote, joined } from '../words.ts';

/** Where schemas of documents are kept; each gives a reference to one. */
export interface SchemaRefs {
  /** The document's fields, without a root label. */
  document(document: Document): JsonObject;
  /** The one object that stands for a document where nothing is given (`absent: blank`). */
  blank(document: Document): JsonObject;
}

/** The object that a document is in JSON. */
export function documentSchema(document: Document, fields: readonly Field[], refs: SchemaRefs): JsonObject {
  const required = fields.filter(mustBeGiven).map((field) => field.jsonName);
  return {
    type: 'object',
    description: document.description,
    properties: Object.fromEntries(
      fields.map((field) => {
        const schema = fieldSchema(field, refs);
        return [field.jsonName, document.patch === true && !field.required ? orNull(schema) : schema];
      }),
    ),
    required: required.length === 0 ? undefined : required,
    additionalProperties: document.open,
  };
}

/** In a change of a record null takes a value away (RFC 7396). */
function orNull({ description, ...schema }: JsonObject): JsonObject {
  return { anyOf: [schema, { type: 'null' }], description };
}

/** A field's value, or what stands for it where it is absent. */
export function fieldSchema(field: Field, refs: SchemaRefs): JsonObject {
  const schema = valueSchema(field, refs);
  const words = describedBy(field);
  const blank = field.absent === 'blank' ? blankAlternative(field, schema, refs) : undefined;
  if (blank === undefined) return { ...schema, ...words };
  // A list and an object exclude each other; a document's own form may include its blank one.
  return { [field.type.kind === 'list' ? 'oneOf' : 'anyOf']: [schema, blank], ...words };
}

/** A field's value alone, without the words about it. */
export function valueSchema(field: Field, refs: SchemaRefs): JsonObject {
  const { type } = field;
  if (type.kind === 'document') return refs.document(type.document);
  if (type.kind !== 'list') return scalarSchema(field, type);
  const items =
    type.item.kind === 'document' ? refs.document(type.item.document) : scalarSchema(entryField(field), type.item);
  return { type: 'array', items, minItems: field.minimum, maxItems: field.maximum };
}

/** The default of a field in JSON; undefined where there is none, or one that only a fault fills. */
export function defaultOf(field: Field): Json | undefined {
  const value = plainDefault(field);
  return value === undefined ? undefined : asJson(singleType(field.type).kind, value);
}

/** The blank of a type as a schema, all of it in place. */
export function blankSchema(type: FieldType, outer: readonly Document[] = []): JsonObject {
  if (type.kind === 'list') return blankSchema(type.item, outer);
  if (type.kind !== 'document') return noStrings.has(type.kind) ? { type: 'null' } : { type: 'string', const: '' };
  const { document } = type;
  if (outer.includes(document)) return { type: 'null' };
  const members = document.fields.map(
    (field) => [field.jsonName, blankSchema(field.type, [...outer, document])] as const,
  );
  return {
    type: 'object',
    properties: Object.fromEntries(members),
    required: members.map(([name]) => name),
    additionalProperties: false,
  };
}

const noStrings: ReadonlySet<ScalarKind> = new Set(['integer', 'decimal', 'boolean', 'json']);

/** The blank beside the schema; undefined where the schema allows it by itself. */
function blankAlternative(field: Field, schema: JsonObject, refs: SchemaRefs): JsonObject | undefined {
  const type = singleType(field.type);
  if (type.kind === 'document') return refs.blank(type.document);
  if (field.type.kind === 'list') return blankSchema(type);
  const free = ['minLength', 'pattern', 'enum', 'const', 'format'].every((keyword) => schema[keyword] === undefined);
  return type.kind === 'json' || (schema.type === 'string' && free) ? undefined : blankSchema(type);
}

function describedBy(field: Field): JsonObject {
  const { example, description } = field;
  const kind = singleType(field.type).kind;
  const value = example === undefined || kind === 'document' ? undefined : asJson(kind, example);
  return {
    description: joined(' ', description, caseNote(field), typeNote(field)),
    default: defaultOf(field),
    examples: value === undefined ? undefined : [field.type.kind === 'list' ? [value] : value],
  };
}

/** What a schema can't say of a type. */
function typeNote(field: Field): string | undefined {
  const type = singleType(field.type);
  if (type.kind === 'decimal') return digitsNote(type);
  return type.kind === 'json' ? 'Any JSON value.' : undefined;
}

function asJson(kind: ScalarKind | 'document', value: string | number | boolean): Json {
  if (kind === 'integer' || kind === 'decimal') return Number(value);
  if (kind === 'boolean') return value === true || value === 'true';
  if (kind !== 'json') return String(value);
  return typeof value === 'string' ? (JSON.parse(value) as Json) : value;
}

function scalarSchema(field: Field, type: ScalarType): JsonObject {
  const values = (field.enum ?? []).map((value) => asJson(type.kind, value));
  return {
    ...bare(field, type),
    ...(values.length === 0 ? {} : { enum: values }),
    const: field.fixed === undefined ? undefined : asJson(type.kind, field.fixed),
  };
}

function bare(field: Field, type: ScalarType): JsonObject {
  const pattern = field.pattern === undefined ? undefined : `^(?:${field.pattern})$`;
  switch (type.kind) {
    case 'string':
    case 'text':
      return {
        type: 'string',
        format: field.sensitive ? 'password' : undefined,
        minLength: field.minimum,
        maxLength: longest(field, type),
        pattern,
      };
    case 'integer':
      return { type: 'integer', format: 'int64', minimum: field.minimum, maximum: field.maximum };
    case 'decimal':
      return { type: 'number', format: 'decimal', ...decimalBounds(field, type) };
    case 'boolean':
      return { type: 'boolean' };
    case 'flag':
      return { type: 'string', enum: ['Y', 'N'] };
    case 'date':
      return { type: 'string', format: 'date', pattern };
    case 'time':
      return { type: 'string', format: 'time-local', pattern };
    case 'datetime':
      return { type: 'string', format: 'date-time', pattern };
    case 'binary':
      return { type: 'string', contentEncoding: 'base64' };
    case 'xml':
      return { type: 'string', contentMediaType: 'application/xml' };
    case 'json':
      return {};
  }
}

/** The digits before the point bound the value where nothing narrower is said. */
function decimalBounds(field: Field, { length, scale = 0 }: ScalarType): JsonObject {
  const end = length === undefined || length - scale > 15 ? undefined : 10 ** (length - scale);
  return {
    minimum: field.minimum,
    exclusiveMinimum: field.minimum === undefined && end !== undefined ? -end : undefined,
    maximum: field.maximum,
    exclusiveMaximum: field.maximum === undefined ? end : undefined,
  };
}

/** A message without a document: JSON of any kind, text, or bytes, which OpenAPI 3.1 leaves without a schema. */
export function rawSchema(kind: RawKind, mediaType: string): JsonObject {
  if (kind === 'json' || kind === 'binary') return {};
  return { type: 'string', contentMediaType: kind === 'xml' ? mediaType : undefined };
}
