import type { DraftCompound, DraftDocument, DraftField, DraftScalar, Facets, FieldOptions } from '../draft.ts';
import { Choices, tagOf } from './choices.ts';
import { prose, withDeprecation } from './prose.ts';
import { countsOfEntries, fits, numberOf, type ScalarRead, stringOf } from './scalars.ts';
import { type JsonType, referred, type SchemaContext, type Schemas, type Shape, shapeOf } from './shape.ts';
import type { Node } from './tree.ts';
import { ANY_JSON, JSON_TYPE, nullable, type Spot, type TypeRead } from './type-read.ts';
import { xmlDocumentOptions, xmlFieldOptions } from './xml.ts';

/** Schemas that may lead into each other without an object in between. */
const DEEPEST = 200;

/** Keywords of JSON Schema without a counterpart. */
const UNSUPPORTED = (
  'not if then else dependentSchemas dependentRequired dependencies contains minContains maxContains propertyNames ' +
  'unevaluatedItems unevaluatedProperties contentMediaType contentSchema'
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

  constructor(context: SchemaContext) {
    this.context = context;
    this.choices = new Choices(this);
  }

  /** Reads a schema that has a name in the contract. */
  named(name: string, node: Node): TypeRead {
    const target = referred(node, this.context);
    return this.#read([target.node], target.name ?? name, true);
  }

  /** @param name of what has the type, for documents without a name of their own */
  read(schemas: Schemas, name: string): TypeRead {
    const [only, ...others] = schemas;
    if (only === undefined) return ANY_JSON;
    if (others.length > 0) return this.#read(schemas, name, false);
    const target = referred(only, this.context);
    return this.#read([target.node], target.name ?? name, target.name !== undefined);
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

  #shape(shape: Shape, spot: Spot): TypeRead {
    const { losses } = this.context;
    if (shape.isNever) losses.add('a schema that no value meets', 'any JSON is accepted', shape.node.place);
    this.#tellUnsupported(shape);
    const choice = this.choices.read(shape, spot);
    if (choice !== undefined) return choice;
    return this.plain(shape, spot);
  }

  /** A schema without alternatives, or whose alternatives have been reported. */
  plain(shape: Shape, spot: Spot): TypeRead {
    const { losses } = this.context;
    const values = literalsOf(shape);
    const types = typesOf(shape, values);
    const isNullable = shape.isNullable() || values?.some(({ value }) => value === null) === true;
    types.delete('null');
    const literals = values?.filter(({ value }) => value !== null);
    if (types.has('integer') && types.has('number')) types.delete('integer');
    const [type] = types;
    if (types.size > 1) {
      losses.add(`values of several types (${[...types].join(', ')})`, 'any JSON is accepted', shape.node.place);
      return ANY_JSON;
    }
    const read = type === undefined ? ANY_JSON : this.#single(shape, spot, type, literals);
    return isNullable ? nullable(read) : read;
  }

  #single(shape: Shape, spot: Spot, type: JsonType, literals: readonly Node[] | undefined): TypeRead {
    const { losses } = this.context;
    if (literals !== undefined && (type === 'object' || type === 'array'))
      losses.add(`the listed values of an ${type}`, 'not checked', shape.node.place);
    switch (type) {
      case 'object':
        return this.#object(shape, spot);
      case 'array':
        return this.#list(shape, spot);
      case 'boolean':
        return scalar({ word: 'boolean', options: booleanOptions(literals) });
      case 'integer':
      case 'number':
        return scalar(numberOf(shape, this.context, new Set([type]), literals));
      case 'file':
        return scalar({ word: 'binary', options: {} });
      default:
        return scalar(stringOf(shape, this.context, literals));
    }
  }

  #object(shape: Shape, spot: Spot): TypeRead {
    const properties = shape.properties();
    const required = shape.required();
    if (properties.size === 0 && required.size === 0 && shape.base === undefined && !isClosed(shape))
      return this.#map(shape, spot);
    return { type: { kind: 'document', document: this.document(shape, spot) }, options: {} };
  }

  /** A map from any names to values. */
  #map(shape: Shape, { name }: Spot): TypeRead {
    const { losses } = this.context;
    const patterns = shape.all('patternProperties').flatMap((each) => each.entries());
    const values = [
      ...shape.all('additionalProperties').filter(({ map }) => map !== undefined),
      ...(patterns.length === 1 ? patterns.map(([, each]) => each) : []),
    ];
    for (const [pattern, node] of patterns)
      losses.add(`the names of members by the pattern ${pattern}`, 'not checked', node.place);
    const options = countsOfEntries(shape, 'minProperties', 'maxProperties');
    return this.#collection('map', values, name, options);
  }

  #list(shape: Shape, { name }: Spot): TypeRead {
    const { losses } = this.context;
    for (const node of shape.all('uniqueItems'))
      if (node.flag) losses.add('"uniqueItems"', 'entries may be equal', node.place);
    const tuple = shape.first('prefixItems') ?? shape.all('items').find(({ value }) => Array.isArray(value));
    if (tuple !== undefined)
      losses.add('types of entries by their position', 'any JSON is accepted in each', tuple.place);
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
      losses.add(`a ${kind} of ${type.kind}s`, `${what} are any JSON`, place);
      return { type: { kind, item: JSON_TYPE }, options };
    }
    if (read.options.nullable) {
      losses.add(`a ${kind} whose ${what} may be null`, `${what} are any JSON`, place);
      return { type: { kind, item: JSON_TYPE }, options };
    }
    if (kind === 'map' && type.kind === 'scalar' && type.word === 'binary') {
      losses.add('a map of binary values', 'base64 texts that are not checked', place);
      return { type: { kind, item: { kind: 'scalar', word: 'text' } }, options };
    }
    const entry = facetsOf(read.options);
    const entries = Object.keys(entry).length === 0 ? {} : { entry };
    return { type: { kind, item: type as DraftScalar | DraftCompound }, options: { ...options, ...entries } };
  }

  /** Makes a document known before it is read, since it may contain itself. */
  begin(key: string, document: DraftDocument, isNullable: boolean): void {
    this.#documents.set(key, document);
    this.#types.set(key, { type: { kind: 'document', document }, options: isNullable ? { nullable: true } : {} });
  }

  /** The document of an object. */
  document(shape: Shape, { key, name, isNamed }: Spot): DraftDocument {
    const known = this.#documents.get(key);
    if (known !== undefined) return known;
    const document: DraftDocument = { name, place: shape.node.place, named: isNamed, options: {}, fields: [] };
    this.#documents.set(key, document);
    this.documents.push(document);
    const description = prose(shape.first('title'), shape.first('description'));
    if (description !== undefined) document.description = description;
    // Later, since documents refer to each other in chains as long as the contract.
    this.#unfilled.push(() => this.#fill(document, shape));
    return document;
  }

  /** Fills the documents that were found, and those that they lead to. */
  fill(): void {
    for (const next of this.#unfilled) next();
    this.#unfilled.length = 0;
  }

  #fill(document: DraftDocument, shape: Shape): void {
    const { base } = shape;
    const inherited = new Set<string>();
    if (base !== undefined) {
      const { type } = this.read([base], 'Base');
      if (type.kind === 'document') document.extends = type.document;
      this.#addInherited(base, inherited);
    }
    this.#tellOpenness(document, shape);
    Object.assign(document.options, xmlDocumentOptions(shape, this.context));
    const required = shape.required();
    const properties = shape.properties();
    const tag = tagOf(base?.get('discriminator'));
    for (const [name, nodes] of properties) {
      if (inherited.has(name)) {
        if (name !== tag) this.#tellOverridden(nodes, name);
        continue;
      }
      document.fields.push(this.field(name, nodes, required.has(name)));
    }
    for (const [name, node] of required)
      if (!properties.has(name) && !inherited.has(name))
        document.fields.push({ name, place: node.place, type: JSON_TYPE, options: { required: true } });
    this.choices.noteBase(document, shape);
  }

  /** The names of properties of a document that another extends, and of those that it extends itself. */
  #addInherited(base: Node, names: Set<string>): void {
    const seen = new Set<unknown>();
    for (let next: Node | undefined = base; next !== undefined && !seen.has(next.value); ) {
      seen.add(next.value);
      const shape: Shape = shapeOf([next], this.context);
      for (const name of [...shape.properties().keys(), ...shape.required().keys()]) names.add(name);
      const tag = tagOf(next.get('discriminator'));
      if (tag !== undefined) names.add(tag);
      next = shape.base;
    }
  }

  #tellOverridden(nodes: Schemas, name: string): void {
    const [{ place }] = nodes as readonly [Node];
    this.context.losses.add(`"${name}" restricts a property of what it extends`, 'taken as it is there', place);
  }

  /** A field of a document. */
  field(name: string, nodes: Schemas, isRequired: boolean): DraftField {
    const [node] = nodes as readonly [Node];
    const read = this.read(nodes, name);
    const shape = shapeOf(nodes, this.context);
    const options: FieldOptions = {};
    const description = prose(nodes[0]?.get('title'), nodes[0]?.get('description') ?? shape.first('description'));
    const words = withDeprecation([description], shape.first('deprecated'));
    // The description of a document is that of its declaration.
    if (words !== undefined && (read.type.kind !== 'document' || node.has('description'))) options.description = words;
    if (isRequired && !this.#isOneWay(shape, name)) options.required = true;
    Object.assign(options, read.options);
    this.addValues(options, read, shape);
    Object.assign(options, xmlFieldOptions(name, shape, read, this.context));
    return { name, place: node.place, type: read.type, options };
  }

  /** Adds the default and an example, as far as they are values of the field. */
  addValues(options: FieldOptions, { type }: TypeRead, shape: Shape): void {
    const word = type.kind === 'scalar' ? type.word : undefined;
    const initial = shape.first('default');
    if (initial !== undefined && initial.value !== null && options.required !== true && options.fixed === undefined) {
      if (word !== undefined && fits(initial, word, options) && !isMade(initial))
        options.default = initial.value as string;
      else if (!isEmptyDefault(initial))
        this.context.losses.add(`the default ${shown(initial)}`, 'there is no default', initial.place);
    }
    const examples = [...shape.all('example'), ...shape.all('examples').flatMap((each) => each.items())];
    const example = word === undefined ? undefined : examples.find((each) => fits(each, word, options));
    if (example !== undefined && options.fixed === undefined) options.example = example.value as string;
  }

  /** Whether a required property is only in requests, or only in replies. */
  #isOneWay(shape: Shape, name: string): boolean {
    const mark = ['readOnly', 'writeOnly'].map((key) => shape.first(key)).find((each) => each?.flag);
    if (mark === undefined) return false;
    const where = shape.first('readOnly')?.flag ? 'replies' : 'requests';
    this.context.losses.add(`"${name}" is required in ${where} only`, 'optional in both', mark.place);
    return true;
  }

  #tellOpenness(document: DraftDocument, shape: Shape): void {
    const { losses } = this.context;
    const more = shape.first('additionalProperties') ?? shape.first('unevaluatedProperties');
    for (const [pattern, node] of shape.all('patternProperties').flatMap((each) => each.entries()))
      losses.add(`the members by the pattern ${pattern}`, 'any undeclared members are accepted', node.place);
    for (const keyword of ['minProperties', 'maxProperties'])
      for (const node of shape.all(keyword)) losses.add(`"${keyword}" beside properties`, 'not checked', node.place);
    if (more?.map !== undefined && Object.keys(more.map).length > 0)
      losses.add('the type of additional members', 'any undeclared members are accepted', more.place);
    if (more?.value === false) document.options.open = false;
    else if (more !== undefined || shape.has('patternProperties')) document.options.open = true;
  }

  #tellUnsupported(shape: Shape): void {
    const { losses } = this.context;
    for (const keyword of UNSUPPORTED)
      for (const node of shape.all(keyword))
        if (keyword !== 'unevaluatedProperties' || typeof node.value !== 'boolean')
          losses.add(`"${keyword}"`, 'not checked', node.place);
  }
}

function scalar({ word, options }: ScalarRead): TypeRead {
  return { type: { kind: 'scalar', word }, options };
}

const FACETS = ['enum', 'pattern', 'minimum', 'maximum', 'above', 'below', 'digits', 'fraction', 'space'] as const;

function facetsOf(options: FieldOptions): Facets {
  const found: Record<string, unknown> = {};
  for (const facet of FACETS) if (options[facet] !== undefined) found[facet] = options[facet];
  const { fixed } = options;
  if (fixed !== undefined && typeof fixed !== 'boolean') found.enum = [fixed];
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

/** Whether a default of ours would be read as a reference to other values. */
function isMade({ text }: Node): boolean {
  return text !== undefined && /\{/.test(text);
}

/** Whether a default is that of a list or an object without entries, which is the same as none for most readers. */
function isEmptyDefault({ value }: Node): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

function shown({ value }: Node): string {
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
