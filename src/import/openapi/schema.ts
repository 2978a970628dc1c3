import {
  type DraftCompound,
  type DraftDocument,
  type DraftScalar,
  type DraftSimpleType,
  type Facets,
  type FieldOptions,
  MOST_DOCUMENTS,
} from '../draft.ts';
import { ImportError, type Place } from '../place.ts';
import { Choices } from './choices.ts';
import { contentText } from './content-text.ts';
import { exampleOf, fillDocument } from './document.ts';
import { labelsOf } from './labels.ts';
import { prose } from './prose.ts';
import { countsOfEntries, numberOf, type ScalarRead, stringOf } from './scalars.ts';
import {
  type JsonType,
  type Referred,
  referred,
  type SchemaContext,
  type Schemas,
  type Shape,
  shapeOf,
} from './shape.ts';
import type { Node } from './tree.ts';
import { ANY_JSON, JSON_TYPE, nullable, type SchemaNaming, type TypeRead } from './type-read.ts';

/** Schemas that may lead into each other without an object in between. */
const DEEPEST = 200;

/** Combinations of schemas: alternatives in alternatives, each with members beside them, multiply. */
const MOST_COMBINED = 20_000;

/** Keywords of JSON Schema without a counterpart. */
const UNSUPPORTED = (
  'not if dependentSchemas dependentRequired dependencies contains minContains maxContains propertyNames ' +
  'unevaluatedItems unevaluatedProperties contentSchema'
).split(' ');

/** Reads schemas as types and documents. */
export class SchemaReader {
  readonly context: SchemaContext;
  readonly choices: Choices;
  /** In the order in which they were found. */
  readonly documents: DraftDocument[] = [];
  readonly #documents = new Map<string, DraftDocument>();
  readonly #types = new Map<string, TypeRead>();
  /** Schemas that are being read: one that contains itself without an object between is no type. */
  readonly #open = new Set<string>();
  readonly #ids = new Map<unknown, number>();
  readonly #unfilled: (() => void)[] = [];
  #combined = 0;

  constructor(context: SchemaContext) {
    this.context = context;
    this.choices = new Choices(this);
  }

  /** Reads a schema that has a name in the contract. */
  named(name: string, node: Node): TypeRead {
    const target = referred(node, this.context);
    return orNull(this.#read([target.node], target.name ?? name, true), target);
  }

  /** @param name of what has the type, for documents without a name of their own */
  read(schemas: Schemas, name: string): TypeRead {
    const [only, ...others] = schemas;
    if (only === undefined) return ANY_JSON;
    if (others.length > 0) return this.#read(schemas, name, false);
    const target = referred(only, this.context);
    return orNull(this.#read([target.node], target.name ?? name, target.name !== undefined), target);
  }

  /** A text by which schemas are the same. */
  keyOf(schemas: Schemas): string {
    const ids = schemas.map(({ value }) => {
      const known = this.#ids.get(value) ?? this.#ids.size;
      this.#ids.set(value, known);
      return known;
    });
    return [...new Set(ids)].sort().join(' ');
  }

  #read(schemas: Schemas, name: string, isNamed: boolean): TypeRead {
    // Values that are not objects are equal, wherever they are.
    if (schemas.length === 1 && schemas[0]?.map === undefined) return this.#boolean(schemas[0] as Node);
    const key = this.keyOf(schemas);
    const known = this.#types.get(key);
    if (known !== undefined) return known;
    const document = this.#documents.get(key);
    if (document !== undefined) return { type: { kind: 'document', document }, options: {} };
    const { losses } = this.context;
    const [first] = schemas as readonly [Node];
    if (this.#open.has(key) || this.#open.size > DEEPEST) {
      losses.add(
        `the schema of "${name}" contains itself without an object in between`,
        'any JSON is accepted',
        first.place,
      );
      return ANY_JSON;
    }
    if (schemas.length > 1 && ++this.#combined > MOST_COMBINED)
      throw new ImportError(`the contract combines schemas in more than ${MOST_COMBINED} ways`, first.place);
    this.#open.add(key);
    const read = this.#shape(shapeOf(schemas, this.context), { key, name, isNamed });
    this.#open.delete(key);
    this.#types.set(key, read);
    return read;
  }

  #boolean(node: Node): TypeRead {
    if (node.value === false)
      this.context.losses.add('a schema that no value meets', 'any JSON is accepted', node.place);
    return ANY_JSON;
  }

  #shape(shape: Shape, spot: SchemaNaming): TypeRead {
    const { losses } = this.context;
    if (shape.isNever) losses.add('a schema that no value meets', 'any JSON is accepted', shape.node.place);
    this.#tellUnsupported(shape);
    return this.#withName(this.choices.read(shape, spot) ?? this.plain(shape, spot), shape, spot);
  }

  /** A single value of a schema with a name, which is the name of its type. */
  #withName(read: TypeRead, shape: Shape, { name, isNamed }: SchemaNaming): TypeRead {
    const { type, options } = read;
    const isValue = type.kind === 'scalar' && type.word !== 'json' && type.word !== 'binary';
    if (!isNamed || !isValue || options.fixed !== undefined) return read;
    const description = prose(shape.first('title'), shape.first('description'));
    const example = exampleOf(type.word, options, shape);
    const named: DraftSimpleType = {
      name,
      place: shape.node.place,
      ...(description === undefined ? {} : { description }),
      ...(example === undefined ? {} : { example }),
      word: type.word,
      facets: facetsOf(options),
    };
    return { type: { ...type, named }, options };
  }

  /** A schema without alternatives, or whose alternatives have been reported. */
  plain(shape: Shape, spot: SchemaNaming): TypeRead {
    const { losses } = this.context;
    const values = literalsOf(shape);
    const types = typesOf(shape, values);
    const isNullable = shape.isNullable() || values?.some(({ value }) => value === null) === true;
    types.delete('null');
    const literals = values?.filter(({ value }) => value !== null);
    if (types.has('integer') && types.has('number')) types.delete('integer');
    const [type] = types;
    if (types.size > 1) {
      losses.add(
        `values of several types (${[...types].join(', ')})`,
        'any JSON is accepted',
        shape.node.place,
        contentText(shape.node, this.context),
      );
      return ANY_JSON;
    }
    if (shape.types() === undefined && values === undefined && (type === 'string' || type === 'number')) {
      const what = `a schema without a type, whose keywords are about a ${type}`;
      losses.add(what, `taken as a ${type}: other values are refused`, shape.node.place);
    }
    if (type === undefined && (shape.types()?.has('null') || literals?.length === 0))
      losses.add('a value that is always null', 'any JSON is accepted', shape.node.place);
    const read = type === undefined ? ANY_JSON : this.#single(shape, spot, type, literals);
    const sound = this.#withoutContradiction(read, shape);
    return isNullable ? nullable(sound) : sound;
  }

  /** Bounds that no value meets are no bounds of ours. */
  #withoutContradiction(read: TypeRead, shape: Shape): TypeRead {
    const { minimum, maximum, ...others } = read.options;
    if (minimum === undefined || maximum === undefined || Number(minimum) <= Number(maximum)) return read;
    this.context.losses.add(
      `the bounds ${minimum} and ${maximum}, which no value meets`,
      'not checked',
      shape.node.place,
    );
    return { type: read.type, options: others };
  }

  #single(shape: Shape, spot: SchemaNaming, type: JsonType, literals: readonly Node[] | undefined): TypeRead {
    const { losses } = this.context;
    if (literals !== undefined && (type === 'object' || type === 'array'))
      losses.add(
        `the listed values of an ${type}`,
        'not checked',
        shape.node.place,
        contentText(shape.node, this.context),
      );
    switch (type) {
      case 'object':
        return this.#object(shape, spot);
      case 'array':
        return this.#list(shape, spot);
      case 'boolean':
        return scalar({ word: 'boolean', options: booleanOptions(literals) });
      case 'integer':
      case 'number':
        return scalar(labelled(numberOf(shape, this.context, new Set([type]), literals), shape));
      case 'file':
        return scalar({ word: 'binary', options: {} });
      default:
        return scalar(labelled(stringOf(shape, this.context, literals), shape));
    }
  }

  #object(shape: Shape, spot: SchemaNaming): TypeRead {
    const properties = shape.properties();
    const required = shape.required();
    if (properties.size === 0 && required.size === 0 && shape.base === undefined && !isClosed(shape))
      return this.#map(shape, spot);
    return { type: { kind: 'document', document: this.document(shape, spot) }, options: {} };
  }

  /** A map from any names to values. */
  #map(shape: Shape, { name }: SchemaNaming): TypeRead {
    const { losses } = this.context;
    const patterns = shape.all('patternProperties').flatMap((each) => each.entries());
    const values = [
      ...shape.all('additionalProperties').filter(({ map }) => map !== undefined),
      ...(patterns.length === 1 ? patterns.map(([, each]) => each) : []),
    ];
    for (const [pattern, node] of patterns)
      losses.add(
        `the names of members by the pattern ${pattern}`,
        'not checked',
        node.place,
        contentText(node, this.context),
      );
    const options = countsOfEntries(shape, 'minProperties', 'maxProperties');
    return this.#collection('map', values, name, options);
  }

  #list(shape: Shape, { name }: SchemaNaming): TypeRead {
    const { losses } = this.context;
    for (const node of shape.all('uniqueItems'))
      if (node.flag) losses.add('"uniqueItems"', 'entries may be equal', node.place);
    const tuple = shape.first('prefixItems') ?? shape.all('items').find(({ value }) => Array.isArray(value));
    if (tuple !== undefined)
      losses.add(
        'types of entries by their position',
        'any JSON is accepted in each',
        tuple.place,
        contentText(tuple, this.context),
      );
    const items = tuple === undefined ? shape.all('items').filter(({ map }) => map !== undefined) : [];
    const options = countsOfEntries(shape, 'minItems', 'maxItems');
    return this.#collection('list', items, name, options);
  }

  #collection(kind: 'list' | 'map', items: Schemas, name: string, options: FieldOptions): TypeRead {
    const { losses } = this.context;
    if (items.length === 0) return { type: { kind, item: JSON_TYPE }, options };
    const read = this.read(items, name);
    const [{ place }] = items as readonly [Node];
    const { type } = read;
    const what = kind === 'list' ? 'entries' : 'members';
    if (type.kind === 'list' || type.kind === 'map') {
      if (this.context.purpose === 'comparison')
        return { type: { kind, item: this.#wrapped(name, what, read, place) }, options };
      losses.add(`a ${kind} of ${type.kind}s`, `${what} are any JSON`, place);
      return { type: { kind, item: JSON_TYPE }, options };
    }
    if (kind === 'map' && type.kind === 'scalar' && type.word === 'binary') {
      losses.add('a map of binary values', 'base64 texts that are not checked', place);
      return { type: { kind, item: { kind: 'scalar', word: 'text' } }, options };
    }
    const isNullable = read.options.nullable === true && !(type.kind === 'scalar' && type.word === 'json');
    const entry = { ...facetsOf(read.options), ...(isNullable ? { nullable: true } : {}) };
    const entries = Object.keys(entry).length === 0 ? {} : { entry };
    return { type: { kind, item: type as DraftScalar | DraftCompound }, options: { ...options, ...entries } };
  }

  /** A collection in a collection as the only field of a document, whose name says what it is. */
  #wrapped(name: string, what: string, { type, options }: TypeRead, place: Place): DraftCompound {
    const field = { name: what, place, type, options: { ...options, required: true } };
    const document: DraftDocument = { name: `${name}_${what}`, place, named: false, options: {}, fields: [field] };
    this.documents.push(document);
    return { kind: 'document', document };
  }

  /** Makes a document known before it is read, since it may contain itself. */
  begin(key: string, document: DraftDocument, isNullable: boolean): void {
    this.#documents.set(key, document);
    this.#types.set(key, { type: { kind: 'document', document }, options: isNullable ? { nullable: true } : {} });
  }

  /** The document of an object. */
  document(shape: Shape, { key, name, isNamed }: SchemaNaming): DraftDocument {
    const known = this.#documents.get(key);
    if (known !== undefined) return known;
    const document: DraftDocument = { name, place: shape.node.place, named: isNamed, options: {}, fields: [] };
    if (this.documents.length >= MOST_DOCUMENTS)
      throw new ImportError(`the contract has more than ${MOST_DOCUMENTS} types`, document.place);
    this.#documents.set(key, document);
    this.documents.push(document);
    const description = prose(shape.first('title'), shape.first('description'));
    if (description !== undefined) document.description = description;
    // Later, since documents refer to each other in chains as long as the contract.
    this.#unfilled.push(() => fillDocument(this, document, shape));
    return document;
  }

  noteBase(document: DraftDocument, shape: Shape): void {
    this.choices.noteBase(document, shape);
  }

  /** Fills the documents that were found, and those that they lead to. */
  fill(): void {
    for (const next of this.#unfilled) next();
    this.#unfilled.length = 0;
  }

  #tellUnsupported(shape: Shape): void {
    const { losses } = this.context;
    for (const keyword of UNSUPPORTED)
      for (const node of shape.all(keyword))
        if (keyword !== 'unevaluatedProperties' || typeof node.value !== 'boolean')
          losses.add(`"${keyword}"`, 'not checked', node.place, contentText(node, this.context));
  }
}

function orNull(read: TypeRead, { isNullable }: Referred): TypeRead {
  return isNullable ? nullable(read) : read;
}

function scalar({ word, options }: ScalarRead): TypeRead {
  return { type: { kind: 'scalar', word }, options };
}

/** A value with the labels of those that are listed. */
function labelled({ word, options }: ScalarRead, shape: Shape): ScalarRead {
  return { word, options: options.enum === undefined ? options : { ...options, ...labelsOf(shape) } };
}

const FACETS = [
  'enum',
  'labels',
  'pattern',
  'minimum',
  'maximum',
  'above',
  'below',
  'digits',
  'fraction',
  'space',
] as const;

function facetsOf(options: FieldOptions): Facets {
  const found: Record<string, unknown> = {};
  for (const facet of FACETS) if (options[facet] !== undefined) found[facet] = options[facet];
  const { fixed } = options;
  if (fixed !== undefined) found.enum = [fixed];
  return found as Facets;
}

/** The values that a schema lists, by `enum` and `const`; `undefined` if it lists none. */
function literalsOf(shape: Shape): readonly Node[] | undefined {
  const lists = [...shape.all('enum').map((each) => each.items()), ...shape.all('const').map((each) => [each])];
  const [first, ...others] = lists;
  if (first === undefined) return undefined;
  const same = (node: Node): string => JSON.stringify(node.value);
  return first.filter((node) => others.every((list) => list.some((each) => same(each) === same(node))));
}

function booleanOptions(literals: readonly Node[] | undefined): FieldOptions {
  const values = new Set(literals?.map(({ value }) => value));
  return values.size === 1 ? { fixed: values.has(true) } : {};
}

/** The types of a schema: those that it names, or that its keywords are about. */
function typesOf(shape: Shape, values: readonly Node[] | undefined): Set<JsonType> {
  const types = shape.types();
  if (types !== undefined) return types;
  if (values !== undefined && values.length > 0) return new Set(values.map(typeOfValue));
  const has = (...keywords: readonly string[]): boolean => shape.has(...keywords);
  if (
    shape.base !== undefined ||
    has('properties', 'additionalProperties', 'patternProperties', 'minProperties', 'required')
  )
    return new Set<JsonType>(['object']);
  if (has('items', 'prefixItems', 'minItems', 'maxItems')) return new Set<JsonType>(['array']);
  if (has('minLength', 'maxLength', 'pattern', 'contentEncoding')) return new Set<JsonType>(['string']);
  if (has('minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'))
    return new Set<JsonType>(['number']);
  return new Set();
}

function typeOfValue({ value }: Node): JsonType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value as 'string' | 'boolean' | 'object';
}

function isClosed(shape: Shape): boolean {
  return shape.all('additionalProperties').some(({ value }) => value === false);
}
