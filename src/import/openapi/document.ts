import type { DocumentOptions, DraftDocument, DraftField, FieldOptions } from '../draft.ts';
import { tagOf } from './choices.ts';
import { contentText } from './content-text.ts';
import { prose, withDeprecation } from './prose.ts';
import { fits, givenValue } from './scalars.ts';
import { type SchemaContext, type Schemas, type Shape, shapeOf } from './shape.ts';
import type { Node } from './tree.ts';
import { JSON_TYPE, type TypeRead, type TypeReader } from './type-read.ts';

/** Fills a document with the properties of its schema. */
export function fillDocument(reader: TypeReader, document: DraftDocument, shape: Shape): void {
  const { base } = shape;
  const inherited = base === undefined ? new Set<string>() : inheritedNames(reader, base);
  if (base !== undefined) {
    const { type } = reader.read([base], 'Base');
    if (type.kind === 'document') document.extends = type.document;
  }
  addOpenness(reader, document, shape);
  Object.assign(document.options, xmlDocumentOptions(shape, reader.context));
  const tag = tagOf(base?.get('discriminator'));
  const required = shape.required();
  const properties = shape.properties();
  for (const [name, nodes] of properties) {
    if (inherited.has(name)) {
      if (name !== tag) tellOverridden(reader, nodes, name);
    } else if (name === '__proto__' || name === '') tellReserved(reader, nodes, name);
    else document.fields.push(readField(reader, name, nodes, required.has(name)));
  }
  for (const [name, node] of required)
    if (!properties.has(name) && !inherited.has(name) && name !== '' && name !== '__proto__')
      document.fields.push({ name, place: node.place, type: JSON_TYPE, options: { required: true } });
  reader.noteBase(document, shape);
}

/** The names of properties of a document that another extends, and of those that it extends itself. */
function inheritedNames({ context }: TypeReader, base: Node): Set<string> {
  const names = new Set<string>();
  const seen = new Set<unknown>();
  for (let next: Node | undefined = base; next !== undefined && !seen.has(next.value); ) {
    seen.add(next.value);
    const shape: Shape = shapeOf([next], context);
    for (const name of [...shape.properties().keys(), ...shape.required().keys()]) names.add(name);
    const tag = tagOf(next.get('discriminator'));
    if (tag !== undefined) names.add(tag);
    next = shape.base;
  }
  return names;
}

function tellOverridden({ context }: TypeReader, nodes: Schemas, name: string): void {
  const [node] = nodes as readonly [Node];
  const content = contentText(node, context);
  context.losses.add(`"${name}" restricts a property of what it extends`, 'taken as it is there', node.place, content);
}

function tellReserved({ context: { losses } }: TypeReader, nodes: Schemas, name: string): void {
  const [{ place }] = nodes as readonly [Node];
  losses.add(`a property "${name}", which no field can be called`, 'left out', place);
}

function addOpenness({ context }: TypeReader, document: DraftDocument, shape: Shape): void {
  const add = (what: string, instead: string, node: Node): void =>
    context.losses.add(what, instead, node.place, contentText(node, context));
  const closed = shape.all('additionalProperties').find(({ value }) => value === false);
  const more = closed ?? shape.first('additionalProperties') ?? shape.first('unevaluatedProperties');
  for (const [pattern, node] of shape.all('patternProperties').flatMap((each) => each.entries()))
    add(`the members by the pattern ${pattern}`, 'any undeclared members are accepted', node);
  for (const keyword of ['minProperties', 'maxProperties'])
    for (const node of shape.all(keyword)) add(`"${keyword}" beside properties`, 'not checked', node);
  if (more?.map !== undefined && Object.keys(more.map).length > 0)
    add('the type of additional members', 'any undeclared members are accepted', more);
  if (shape.has('patternProperties') || (more !== undefined && more.value !== false)) document.options.open = true;
  else if (more !== undefined) document.options.open = false;
  else document.openUnsaid = true;
}

/** A field of a document. */
export function readField(reader: TypeReader, name: string, nodes: Schemas, isRequired: boolean): DraftField {
  const [node] = nodes as readonly [Node];
  const { context } = reader;
  const read = reader.read(nodes, name);
  const shape = shapeOf(nodes, context);
  const options: FieldOptions = {};
  const description = prose(node.get('title'), node.get('description') ?? shape.first('description'));
  const words = withDeprecation([description], shape.first('deprecated'));
  // The description of a document is that of its declaration.
  if (words !== undefined && (read.type.kind !== 'document' || node.has('description'))) options.description = words;
  if (isRequired && !isOneWay(reader, shape, name)) options.required = true;
  Object.assign(options, read.options);
  addValues(reader, options, read, shape);
  Object.assign(options, xmlFieldOptions(name, shape, read, context));
  return { name, place: node.place, type: read.type, options };
}

/** Adds what the contract assumes, its `default`, and an example, as far as they are values of the field. */
export function addValues({ context }: TypeReader, options: FieldOptions, { type }: TypeRead, shape: Shape): void {
  const word = type.kind === 'scalar' ? type.word : undefined;
  const initial = shape.first('default');
  const isFixed = options.fixed !== undefined && options.required === true;
  if (initial !== undefined && initial.value !== null && !isFixed) {
    if (word !== undefined && fits(initial, word, options)) options.assumed = givenValue(initial);
    else if (!isEmptyDefault(initial)) context.losses.add(`the default ${shown(initial)}`, 'left out', initial.place);
  }
  const example = word === undefined ? undefined : exampleOf(word, options, shape);
  if (example !== undefined && options.fixed === undefined) options.example = example;
}

/** The first example of a schema that is a value of its type. */
export function exampleOf(word: string, options: FieldOptions, shape: Shape): FieldOptions['example'] {
  const examples = [...shape.all('example'), ...shape.all('examples').flatMap((each) => each.items())];
  const example = examples.find((each) => fits(each, word, options));
  return example && givenValue(example);
}

/** Whether a required property is only in requests, or only in replies. */
function isOneWay({ context: { losses } }: TypeReader, shape: Shape, name: string): boolean {
  const mark = ['readOnly', 'writeOnly'].map((key) => shape.first(key)).find((each) => each?.flag);
  if (mark === undefined) return false;
  const where = shape.first('readOnly')?.flag ? 'replies' : 'requests';
  losses.add(`"${name}" is required in ${where} only`, 'optional in both', mark.place);
  return true;
}

/** Whether a default is that of a list or an object without entries, which is the same as none for most readers. */
function isEmptyDefault({ value }: Node): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

function shown({ value, number }: Node): string {
  const text = number ?? JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

/** The `xml` of the schema of a document, where a message is XML. Without one, its elements have no namespace. */
function xmlDocumentOptions(shape: Shape, { hasXml }: SchemaContext): DocumentOptions {
  const xml = shape.first('xml');
  if (!hasXml) return {};
  const name = xml?.get('name')?.text;
  const namespace = xml?.get('namespace')?.text ?? '';
  return name === undefined ? { namespace } : { xml: name, namespace };
}

/** The `xml` of the schema of a property, where a message is XML. OpenAPI writes lists without an element around. */
function xmlFieldOptions(name: string, shape: Shape, read: TypeRead, context: SchemaContext): FieldOptions {
  if (!context.hasXml) return {};
  const own = shape.first('xml');
  const options: FieldOptions = {};
  const namespace = own?.get('namespace')?.text;
  if (namespace !== undefined) options.namespace = namespace;
  const { type } = read;
  if (type.kind === 'list') return { ...options, ...listOptions(name, shape, read, context) };
  const said = own?.get('name')?.text;
  if (said !== undefined && type.kind === 'scalar') options.xml = said;
  const node = own?.get('nodeType');
  if (node?.text !== undefined && node.text !== 'element' && node.text !== 'attribute')
    context.losses.add(`the XML node ${node.text} of "${name}"`, 'an element', node.place);
  const isAttribute = own?.get('attribute')?.flag || own?.get('nodeType')?.text === 'attribute';
  if (isAttribute && type.kind === 'scalar') options.attribute = true;
  return options;
}

/** A list is flat, with the element of an entry; or it is wrapped, with one of its own. */
function listOptions(name: string, shape: Shape, { type, options }: TypeRead, context: SchemaContext): FieldOptions {
  const own = shape.first('xml');
  const items = shape.first('items');
  const entry = items === undefined ? undefined : shapeOf([items], context).first('xml')?.get('name')?.text;
  const isWrapped = own?.get('wrapped')?.flag === true || own?.get('nodeType')?.text === 'element';
  if (!isWrapped) {
    const flat: FieldOptions = options.nullable ? {} : { flat: true };
    if (type.kind === 'list' && type.item.kind === 'scalar') return { ...flat, xml: entry ?? name };
    return { ...flat, ...(entry === undefined ? {} : { xml: entry }) };
  }
  const wrapper = own?.get('name')?.text ?? name;
  // Without a name of its own an entry has that of the list (OpenAPI 3.0.3, section 4.7.26.2.3); a document's `xml` is one.
  const isDocument = type.kind === 'list' && type.item.kind === 'document';
  const element = isDocument && entry !== undefined ? undefined : (entry ?? wrapper);
  if (element === undefined || element === 'item') return { xml: wrapper };
  return { xml: wrapper, entry: { ...options.entry, xml: element } };
}
