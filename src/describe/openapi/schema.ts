// JSON Schema 2020-12, the dialect of OpenAPI 3.1, of documents in their JSON form.

import { type Kinds, kindMember, kindName, kindsOf } from '../../model/derivation.ts';
import { bareField, type Choice, type Document, documentName } from '../../model/document.ts';
import {
  entryField,
  type Field,
  type FieldType,
  isCollection,
  isSpaced,
  type ScalarType,
  singleType,
} from '../../model/field.ts';
import { isNumeric, primitiveOf, traitsOf } from '../../model/scalar.ts';
import type { RawKind } from '../../model/service.ts';
import { BEYOND_NUMBERS, doubleJson, readDouble } from '../../wire/double.ts';
import { LEXICAL, type LexicalForm } from '../../wire/lexical.ts';
import { BOUND_NAMES, brokenBound } from '../../wire/order.ts';
import { exampleKey, longest, mustBeGiven, takenFor } from '../field.ts';
import { blankJson, type Json, type JsonObject, numberJson } from '../json.ts';
import { caseNote, digitsNote, joined, rangeNote, spaceNote } from '../words.ts';

/** Returns references to the schemas of documents. */
export interface SchemaRefs {
  /** The document's fields, without a root label. */
  document(document: Document): JsonObject;
  /** A branch of a choice, with the member that names it where there is one. */
  branch(document: Document, branch: Field, tag: string | undefined): JsonObject;
  /** A document that may stand where another one is expected, with the member that names it. */
  kind(document: Document, kind: Document, by: string): JsonObject;
  /** The object that is written for a document without a value (`absent: blank`). */
  blank(document: Document): JsonObject;
}

/** The schema of a document's JSON object. */
export function documentSchema(document: Document, fields: readonly Field[], refs: SchemaRefs): JsonObject {
  const whole = bareField(document);
  if (whole !== undefined) return { ...fieldSchema(whole, refs), description: document.description };
  if (document.choice?.named) return namedChoiceSchema(document, refs);
  if (document.choice !== undefined) return choiceSchema(document, document.choice, refs);
  if (document.kinds !== undefined) return kindsSchema(document, document.kinds, refs);
  const schema = objectSchema(document, fields, refs);
  const member = document.patch === undefined ? kindMember(document) : undefined;
  return member === undefined ? schema : named(schema, member, kindName(document));
}

/** The schema of an object with a member that says what it is. */
export function named({ properties, ...schema }: JsonObject, member: string, name: string): JsonObject {
  return { ...schema, properties: { [member]: { type: 'string', const: name }, ...(properties as JsonObject) } };
}

/** The schema of an object of the document itself, not of one that derives from it. */
export function objectSchema(document: Document, fields: readonly Field[], refs: SchemaRefs): JsonObject {
  const required = fields.filter(mustBeGiven).map((field) => field.jsonName);
  return {
    type: 'object',
    description: document.description,
    properties: Object.fromEntries(
      fields.map((field) => {
        const schema = fieldSchema(field, refs);
        return [field.jsonName, document.patch?.clearable.includes(field) ? orNull(schema) : schema];
      }),
    ),
    required: required.length === 0 ? undefined : required,
    additionalProperties: isOpen(document, fields) ? anyJson('The value of an undeclared member.') : false,
  };
}

/** An object with one of the branches as its only member, which code generators read as a class. */
function namedChoiceSchema({ description, fields }: Document, refs: SchemaRefs): JsonObject {
  return {
    type: 'object',
    description,
    properties: Object.fromEntries(fields.map((field) => [field.jsonName, fieldSchema(field, refs)])),
    minProperties: 1,
    maxProperties: 1,
    additionalProperties: false,
  };
}

/** One of the documents that may stand for it, each with all of its members. */
function kindsSchema(document: Document, { by }: Kinds, refs: SchemaRefs): JsonObject {
  const kinds = kindsOf(document).map((kind) => ({
    name: kindName(kind),
    schema: refs.kind(document, kind, by.jsonName),
  }));
  return {
    description: document.description,
    oneOf: kinds.map(({ schema }) => schema),
    discriminator: {
      propertyName: by.jsonName,
      mapping: Object.fromEntries(kinds.map(({ name, schema }) => [name, schema.$ref])),
    },
  };
}

/** One of the branches. The names of a discriminator's mapping are what code generators choose a class by. */
function choiceSchema(document: Document, { tag }: Choice, refs: SchemaRefs): JsonObject {
  const branches = document.fields.map((field) => ({
    name: field.jsonName,
    schema: refs.branch(document, field, tag),
  }));
  const mapping = Object.fromEntries(branches.map(({ name, schema }) => [name, schema.$ref]));
  return {
    description: document.description,
    oneOf: branches.map(({ schema }) => schema),
    discriminator: tag === undefined ? undefined : { propertyName: tag, mapping },
  };
}

/**
 * Whether the schema permits undeclared members. Java code of openapi-generator refuses a member whose name contains one of
 * these characters, which its templates escape as HTML, unless any member is permitted.
 */
function isOpen({ open }: Document, fields: readonly Field[]): boolean {
  return open || fields.some(({ jsonName }) => /[&<>"'`=/]/.test(jsonName));
}

/**
 * JSON of any kind. Code generators read an empty schema, and `true`, as a map, and a schema with nothing but a description as
 * a value of any kind.
 */
export function anyJson(description = ANY): JsonObject {
  return { description };
}

const ANY = 'Any JSON value.';
const ANY_ELEMENT = 'The markup of an XML element.';
const ANY_ATTRIBUTES = 'XML attributes by their names, `name` or `{namespace}name`.';

/** The schema, or null: a value of a nullable field, and what removes a value in a change of a record (RFC 7396). */
function orNull({ description, ...schema }: JsonObject): JsonObject {
  return { anyOf: [schema, { type: 'null' }], description };
}

function orNullValue(schema: JsonObject): JsonObject {
  return isSimple(schema) ? withNull(schema) : orNull(schema);
}

/** A field's value, or the blank that is written when it is absent. */
export function fieldSchema(field: Field, refs: SchemaRefs): JsonObject {
  const schema = valueSchema(field, refs);
  const words = describedBy(field);
  if (field.nullable) return { ...orNullValue(schema), ...words };
  return { ...(field.absent === 'blank' ? orBlank(field, schema, refs) : schema), ...words };
}

/** A field's value, without description. */
export function valueSchema(field: Field, refs: SchemaRefs): JsonObject {
  const { type } = field;
  if (type.kind === 'document') return refs.document(type.document);
  if (!isCollection(type)) return scalarSchema(field, type);
  const entry =
    type.item.kind === 'document' ? refs.document(type.item.document) : scalarSchema(entryField(field), type.item);
  const items = field.entry?.nullable ? orNullValue(entry) : entry;
  const { minimum, maximum } = field;
  return type.kind === 'list'
    ? { type: 'array', items, minItems: minimum, maxItems: maximum }
    : { type: 'object', additionalProperties: items, minProperties: minimum, maxProperties: maximum };
}

/** What an absent field is taken for, in JSON; `undefined` if nothing, or only a default that a fault fills. */
export function defaultOf(field: Field): Json | undefined {
  const value = takenFor(field);
  return value === undefined ? undefined : asJson(singleType(field.type), value);
}

/** The blank of a type as a schema without references. */
export function blankSchema(type: FieldType): JsonObject {
  return onlyValue(blankJson(type));
}

function onlyValue(blank: Json): JsonObject {
  if (blank === null) return { type: 'null' };
  if (typeof blank !== 'object') return { type: 'string', const: blank };
  const members = Object.entries(blank).map(([name, value]) => [name, onlyValue(value as Json)] as const);
  return {
    type: 'object',
    properties: Object.fromEntries(members),
    required: members.map(([name]) => name),
    additionalProperties: false,
  };
}

/**
 * The schema, or the blank. No generated class can hold both a list and an object, or a date and an empty text. Code generators
 * ignore `if` (JSON Schema 2020-12, section 10.2.2) and see only what both have in common; with `oneOf` they write code that
 * does not compile, or refuses one of the two. Validators distinguish them.
 */
function orBlank(field: Field, schema: JsonObject, refs: SchemaRefs): JsonObject {
  const type = singleType(field.type);
  if (field.type.kind === 'list') {
    const blank = type.kind === 'document' ? refs.blank(type.document) : blankSchema(type);
    return either({ type: 'array' }, schema, blank);
  }
  // The document's schema may match its blank.
  if (type.kind === 'document') return either(refs.blank(type.document), anyJson('The blank.'), schema);
  if (primitiveOf(type) === 'json') return schema;
  if (schema.type !== 'string') return withNull(schema);
  if (schema.enum !== undefined) return { ...schema, enum: [...(schema.enum as Json[]), ''] };
  const { type: _, ...narrowed } = schema;
  const free = Object.keys(narrowed).every((keyword) => !NARROWING.has(keyword) || narrowed[keyword] === undefined);
  return free ? schema : { type: 'string', ...either({ minLength: 1 }, narrowed) };
}

/** Whether a schema has one type, to which null is added. */
function isSimple({ type, const: only }: JsonObject): boolean {
  return typeof type === 'string' && only === undefined;
}

function withNull(schema: JsonObject): JsonObject {
  const nullable = { ...schema, type: [schema.type as string | string[], 'null'].flat() };
  return schema.enum === undefined ? nullable : { ...nullable, enum: [...(schema.enum as Json[]), null] };
}

/** Keywords that an empty text may violate. */
const NARROWING: ReadonlySet<string> = new Set(['minLength', 'pattern', 'allOf', 'const', 'format']);

function either(test: JsonObject, holds: JsonObject, otherwise?: JsonObject): JsonObject {
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  return { if: test, then: holds, else: otherwise };
}

function describedBy(field: Field): JsonObject {
  const { example, description } = field;
  const type = singleType(field.type);
  const value = example === undefined || type.kind === 'document' ? undefined : asJson(type, example);
  return {
    description: joined(' ', description, caseNote(field), spaceNote(field), typeNote(field), blankNote(field)),
    default: defaultOf(field),
    examples: value === undefined ? undefined : [inCollection(field.type, exampleKey(field, 0), value)],
  };
}

/** The example of an entry in its list or map. */
function inCollection({ kind }: FieldType, key: string, value: Json): Json {
  if (kind === 'map') return { [key]: value };
  return kind === 'list' ? [value] : value;
}

/** What a schema can't express about a type. */
function typeNote(field: Field): string | undefined {
  const type = singleType(field.type);
  if (type.kind === 'document') return undefined;
  const { primitive } = traitsOf(type);
  if (field.any !== undefined) return field.attribute ? ANY_ATTRIBUTES : ANY_ELEMENT;
  if (primitive === 'json') return ANY;
  // There are keywords for the bounds of numbers only.
  return joined(' ', digitsNote(field, type), isNumeric(type) ? undefined : rangeNote(field));
}

/** A description of a blank, for a schema in which code generators see no type. */
function blankNote({ absent, type }: Field): string | undefined {
  if (absent !== 'blank') return undefined;
  const single = singleType(type);
  if (type.kind === 'list') {
    const entry = single.kind === 'document' ? documentName(single.document) : `type ${single.kind}`;
    return `A list of ${entry}; when absent, one ${single.kind === 'document' ? 'object with all members blank' : 'blank value'}.`;
  }
  return single.kind === 'document'
    ? `${documentName(single.document)}, or one object with all members blank.`
    : undefined;
}

function asJson(type: FieldType, value: string | number | boolean): Json {
  const primitive = primitiveOf(type);
  if (primitive === 'double') return doubleJson(readDouble(String(value)) ?? Number.NaN);
  if (isNumeric(type)) return numberJson(String(value));
  if (primitive === 'boolean') return value === true || value === 'true';
  if (primitive !== 'json') return String(value);
  return typeof value === 'string' ? (JSON.parse(value) as Json) : value;
}

function scalarSchema(field: Field, type: ScalarType): JsonObject {
  const values = (field.enum ?? []).map((value) => asJson(type, value));
  return {
    ...bare(field, type),
    ...(values.length === 0 ? {} : { enum: values }),
    const: field.fixed === undefined ? undefined : asJson(type, field.fixed),
  };
}

function bare(field: Field, type: ScalarType): JsonObject {
  const { json, primitive, values, takes, lexical, anyText, beyondNumbers } = traitsOf(type);
  const shape = {
    ...json,
    format: json.format ?? (field.sensitive && takes.bounds === 'length' ? 'password' : undefined),
  };
  if (primitive === 'json') return anyJson();
  if (primitive === 'integer') return { ...shape, ...rangeSchema(field, isInt64), ...digitsRange(field, type) };
  if (primitive === 'decimal') return { ...shape, ...rangeSchema(field), ...digitsRange(field, type) };
  if (primitive === 'double')
    return { ...shape, ...(beyondNumbers ? doubleRange(field) : rangeSchema(field, isFiniteBound)) };
  if (values !== undefined) return { ...shape, enum: values };
  const form: LexicalForm | undefined = lexical === undefined ? undefined : LEXICAL[lexical];
  // An entry of a list with spaces between them.
  const word = isSpaced(field.type) && anyText ? '^[^ \\t\\r\\n]+$' : undefined;
  const all = [form?.pattern, word, ...(field.patterns ?? []).map((pattern) => `^(?:${pattern})$`)];
  return { ...shape, ...lengthSchema(field, type), ...allPatterns(all.filter((each) => each !== undefined)) };
}

/** The bounds of the number of characters: two for each byte of hexadecimal digits. */
function lengthSchema(field: Field, type: ScalarType): JsonObject {
  const { bounds } = traitsOf(type).takes;
  if (bounds !== 'length' && bounds !== 'bytes') return {};
  const [least, most] = [field.minimum, longest(field, type)];
  const times = bounds === 'bytes' ? 2 : 1;
  return { minLength: least && least * times, maxLength: most && most * times };
}

/** Patterns that a text must match all. */
function allPatterns([pattern, ...others]: readonly string[]): JsonObject {
  return { pattern, allOf: others.length === 0 ? undefined : others.map((each) => ({ pattern: each })) };
}

/** The keywords of bounds. */
const BOUND_KEYWORDS = {
  minimum: 'minimum',
  above: 'exclusiveMinimum',
  maximum: 'maximum',
  below: 'exclusiveMaximum',
} as const;

/** Bounds of numbers. @param isKept leaves out those that the type implies */
function rangeSchema({ range = {} }: Field, isKept: (bound: string) => boolean = () => true): JsonObject {
  const bounds = BOUND_NAMES.flatMap((name) => {
    const bound = range[name];
    return bound === undefined || !isKept(bound) ? [] : [[BOUND_KEYWORDS[name], numberJson(bound)] as const];
  });
  return Object.fromEntries(bounds);
}

/** Code generators can't write more than 64 bits. */
const isInt64 = (text: string): boolean => BigInt.asIntN(64, BigInt(text)) === BigInt(text);

/** The bounds that the digits before the point imply, unless narrower ones are declared. */
function digitsRange(field: Field, type: ScalarType): JsonObject {
  const { range = {}, digits } = field;
  const isSized = traitsOf(type).size === 'digits' && type.length !== undefined;
  const whole = isSized ? (type.length ?? 0) - (type.scale ?? 0) : (digits ?? Number.NaN);
  if (!(whole <= 15)) return {};
  const end = 10 ** whole;
  return {
    ...(range.minimum === undefined && range.above === undefined ? { exclusiveMinimum: -end } : {}),
    ...(range.maximum === undefined && range.below === undefined ? { exclusiveMaximum: end } : {}),
  };
}

/** A bound that is infinite is one for the texts that stand for infinite values only. */
const isFiniteBound = (bound: string): boolean => Number.isFinite(Number(bound));

/** Texts stand for the values that JSON has no numbers for, if bounds and `enum` permit them. */
function doubleRange(field: Field): JsonObject {
  const { range = {}, enum: values } = field;
  const beyond = BEYOND_NUMBERS.filter((text) =>
    values === undefined ? brokenBound(text, range, 'double') === undefined : values.includes(text),
  );
  const bounds = rangeSchema(field, isFiniteBound);
  if (beyond.length === 0) return bounds;
  return { ...bounds, type: ['number', 'string'], pattern: `^(${beyond.join('|')})$` };
}

/**
 * A message without a document. Bytes have no type in OpenAPI 3.1 (4.8.14.3), but code generators pass a file for `format:
 * binary`, the notation of OpenAPI 3.0, and without it a text or JSON.
 */
export function rawSchema(kind: RawKind, mediaType: string): JsonObject {
  if (kind === 'json') return anyJson();
  if (kind === 'binary') return BYTES;
  return { type: 'string', contentMediaType: kind === 'xml' ? mediaType : undefined };
}

/** The schema of a body of bytes. */
export const BYTES: JsonObject = { type: 'string', format: 'binary' };
