import { childrenOf, textOf as contentOf, type XmlElement } from '../../../../../src/wire/xml/tree.ts';
import type { Json, JsonInstances, JsonSchema } from '../../json-instances.ts';
import { Unmakeable } from '../../simple-text.ts';
import { isObject, textOf } from './styles.ts';

/** JSON values as XML and back, by the `xml` objects of an OpenAPI description, apart from what the gateway does. */

interface XmlObject {
  readonly name?: string;
  readonly namespace?: string;
  readonly prefix?: string;
  readonly attribute?: boolean;
  readonly wrapped?: boolean;
}

const xmlOf = (schema: JsonSchema): XmlObject => (schema.xml ?? {}) as XmlObject;

/**
 * What a member is in XML. The name in a schema by reference is that of the schema as a whole: annotations of classes are where
 * these come from.
 */
function memberXml(property: unknown, schema: JsonSchema): XmlObject {
  if (typeof (property as JsonSchema).$ref !== 'string') return xmlOf(schema);
  const { name: _, ...others } = xmlOf(schema);
  return others;
}

/** The name of the element of a whole body. */
function rootName(given: unknown, schema: JsonSchema): string {
  const { $ref } = (given ?? {}) as JsonSchema;
  const name =
    xmlOf(schema).name ?? (typeof $ref === 'string' ? decodeURIComponent($ref.replace(/.*\//, '')) : undefined);
  if (name === undefined) throw new Unmakeable('an element without a name');
  return name;
}

/** A body in XML. @throws Unmakeable for what has no XML form, or none that the description states */
export function writeBody(given: unknown, value: Json, maker: JsonInstances): string {
  const schema = maker.resolve(given);
  if (Array.isArray(value)) {
    const items = maker.resolve(schema.items);
    const { name: entry = xmlOf(schema).name } = xmlOf(items);
    if (!xmlOf(schema).wrapped) throw new Unmakeable('a list without an element around it');
    if (entry === undefined) throw new Unmakeable('entries without a name');
    return element(
      rootName(given, schema),
      xmlOf(schema),
      '',
      value.map((each) => written(entry, items, each, maker)).join(''),
    );
  }
  return written(rootName(given, schema), schema, value, maker);
}

function written(name: string, given: unknown, value: Json, maker: JsonInstances): string {
  const schema = maker.resolve(given);
  const xml = xmlOf(schema);
  if (value === null) throw new Unmakeable('null in XML');
  if (!isObject(value)) return element(name, xml, '', escaped(textOf(value)));
  const members = membersOf(schema, maker);
  let attributes = '';
  const content: string[] = [];
  for (const [key, each] of Object.entries(value)) {
    const property = members[key];
    if (property === undefined) throw new Unmakeable('an undeclared member in XML');
    const own = maker.resolve(property);
    const how = memberXml(property, own);
    if (how.attribute) attributes += ` ${how.name ?? key}="${escaped(textOf(each))}"`;
    else if (Array.isArray(each)) content.push(list(key, own, each, maker));
    else content.push(written(how.name ?? key, own, each, maker));
  }
  return element(name, xml, attributes, content.join(''));
}

function list(key: string, schema: JsonSchema, value: readonly Json[], maker: JsonInstances): string {
  const items = maker.resolve(schema.items);
  const { name = key, wrapped, ...rest } = xmlOf(schema);
  const entry = xmlOf(items).name ?? (wrapped ? name : key);
  if (value.some(Array.isArray)) throw new Unmakeable('a list of lists in XML');
  if (!wrapped && value.length === 0) throw new Unmakeable('an empty list in XML');
  const all = value.map((each) => written(entry, items, each, maker)).join('');
  return wrapped ? element(name, rest, '', all) : all;
}

function element(name: string, { namespace, prefix }: XmlObject, attributes: string, content: string): string {
  const tag = prefix === undefined || namespace === undefined ? name : `${prefix}:${name}`;
  const declared = namespace === undefined ? '' : ` xmlns${tag === name ? '' : `:${prefix}`}="${escaped(namespace)}"`;
  const scope = declared === '' || tag === name ? declared || ' xmlns=""' : declared;
  return `<${tag}${scope}${attributes}>${content}</${tag}>`;
}

const escaped = (text: string): string => text.replace(/[&<>"\r\n\t]/g, (c) => `&#${c.charCodeAt(0)};`);

/** The properties of a schema with those that it combines. */
function membersOf(given: unknown, maker: JsonInstances, depth = 0): Readonly<Record<string, unknown>> {
  if (depth > 10) throw new Unmakeable('too deep');
  const schema = maker.resolve(given);
  const others = [schema.allOf, schema.oneOf, schema.anyOf].flatMap((all) => (Array.isArray(all) ? all : []));
  return Object.assign(
    {},
    ...others.map((each) => membersOf(each, maker, depth + 1)),
    schema.properties ?? {},
  ) as Record<string, unknown>;
}

/** What is wrong with the element of a body, or its value. */
export function readBody(
  given: unknown,
  root: XmlElement,
  maker: JsonInstances,
): { readonly value: Json } | { readonly wrong: string } {
  try {
    const schema = maker.resolve(given);
    if (isList(schema)) {
      const items = maker.resolve(schema.items);
      return { value: childrenOf(root).map((each) => read(items, each, maker)) };
    }
    checkName(rootName(given, schema), xmlOf(schema), root);
    return { value: read(schema, root, maker) };
  } catch (error) {
    if (error instanceof Wrong) return { wrong: error.message };
    throw error;
  }
}

class Wrong extends Error {}

const isList = ({ type, items }: JsonSchema): boolean =>
  type === 'array' || (Array.isArray(type) && type.includes('array')) || items !== undefined;

function checkName(name: string, { namespace = '' }: XmlObject, found: XmlElement): void {
  if (found.local !== name || found.namespace !== namespace)
    throw new Wrong(`the element {${found.namespace}}${found.local} is to be {${namespace}}${name}`);
}

function read(given: unknown, found: XmlElement, maker: JsonInstances): Json {
  const schema = maker.resolve(given);
  const members = membersOf(schema, maker);
  const isScalar = Object.keys(members).length === 0 && childrenOf(found).length === 0;
  if (isScalar && schema.type !== 'object') return typed(schema, contentOf(found));
  const made: Record<string, Json> = {};
  const rest = new Set(childrenOf(found));
  for (const [key, property] of Object.entries(members)) {
    const own = maker.resolve(property);
    const how = memberXml(property, own);
    const name = how.name ?? key;
    if (how.attribute) {
      const text = found.attributes.find(({ local }) => local === name)?.value;
      if (text !== undefined) made[key] = typed(own, text);
      continue;
    }
    if (isList(own)) {
      const items = maker.resolve(own.items);
      const entry = xmlOf(items).name ?? (how.wrapped ? name : key);
      const outer = how.wrapped ? [...rest].find(({ local }) => local === name) : undefined;
      if (how.wrapped && outer === undefined) continue;
      const all = how.wrapped ? childrenOf(outer as XmlElement) : [...rest].filter(({ local }) => local === entry);
      if (outer !== undefined) rest.delete(outer);
      for (const each of all) {
        checkName(entry, xmlOf(items), each);
        rest.delete(each);
      }
      if (how.wrapped || all.length > 0) made[key] = all.map((each) => read(items, each, maker));
      continue;
    }
    const each = [...rest].find(({ local }) => local === name);
    if (each === undefined) continue;
    checkName(name, how, each);
    rest.delete(each);
    made[key] = read(own, each, maker);
  }
  const [other] = rest;
  if (other !== undefined)
    throw new Wrong(`the element {${other.namespace}}${other.local} is not declared in ${found.local}`);
  return made;
}

function typed({ type }: JsonSchema, text: string): Json {
  const types = Array.isArray(type) ? type : [type];
  if (types.includes('integer') || types.includes('number')) return Number(text);
  if (types.includes('boolean')) return text === 'true' || text === '1';
  return text;
}
