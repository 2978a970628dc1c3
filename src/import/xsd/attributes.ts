import type { XmlElement } from '../../wire/xml/tree.ts';
import { attributeOf, childrenOf } from '../../wire/xml/tree.ts';
import type { DraftField, FieldOptions } from '../draft.ts';
import { ImportError, type Losses, type Place } from '../place.ts';
import { attribute, childrenNamed, proseOf, type QName, qnameKey } from '../xml.ts';
import { BUILT_IN, type SimpleType } from './builtin.ts';
import { type Component, type Components, documentationOf, placeIn, type Schema } from './components.ts';
import { valueFrom } from './facets.ts';
import { type SimpleTypes, SOAP_ENCODED } from './simple.ts';
import { XSD } from './sources.ts';
import { singleField, textual } from './typed.ts';

const XML = 'http://www.w3.org/XML/1998/namespace';

/** Attributes of a type by their keys. One that is prohibited is `undefined`. */
export type AttributeFields = Map<string, DraftField | undefined>;

/** The key of a field that takes all other attributes. */
export const ANY_ATTRIBUTE = '*';

const FREE: SimpleType = BUILT_IN.get('string') as SimpleType;

/** Attributes that contracts refer to without bringing their declarations. */
const WELL_KNOWN: ReadonlyMap<string, SimpleType> = new Map<string, SimpleType>([
  [`{${XML}}lang`, { word: 'string', facets: { space: 'collapse', pattern: '([a-zA-Z]{1,8}(-[a-zA-Z0-9]{1,8})*)?' } }],
  [`{${XML}}space`, { word: 'string', facets: { space: 'collapse', enum: ['default', 'preserve'] } }],
  [`{${XML}}base`, BUILT_IN.get('anyURI') as SimpleType],
  [`{${XML}}id`, BUILT_IN.get('ID') as SimpleType],
  ['{http://www.w3.org/2005/05/xmlmime}contentType', FREE],
  ['{http://www.w3.org/2004/11/xmlmime}contentType', FREE],
  ['{http://schemas.xmlsoap.org/soap/envelope/}mustUnderstand', BUILT_IN.get('boolean') as SimpleType],
  ['{http://schemas.xmlsoap.org/soap/envelope/}actor', BUILT_IN.get('anyURI') as SimpleType],
  ['{http://schemas.xmlsoap.org/soap/envelope/}encodingStyle', FREE],
]);

/** Deepest nesting of attribute groups. */
const DEEPEST = 300;

/** Reads the attributes of complex types. */
export class Attributes {
  readonly #components: Components;
  readonly #simple: SimpleTypes;
  readonly #losses: Losses;
  #depth = 0;

  constructor(components: Components, simple: SimpleTypes, losses: Losses) {
    this.#components = components;
    this.#simple = simple;
    this.#losses = losses;
  }

  /** Adds the attributes that an element declares, itself and by groups. A later one replaces an earlier one. */
  add(holder: XmlElement, schema: Schema, to: AttributeFields): void {
    this.#add(holder, schema, undefined, to, new Set());
  }

  #add(
    holder: XmlElement,
    schema: Schema,
    within: Component | undefined,
    to: AttributeFields,
    seen: Set<Component>,
  ): void {
    for (const child of childrenOf(holder)) {
      if (child.namespace !== XSD) continue;
      if (child.local === 'attribute') this.#attribute(child, schema, to);
      else if (child.local === 'anyAttribute') to.set(ANY_ATTRIBUTE, this.#wildcard(child, schema));
      else if (child.local === 'attributeGroup') this.#group(child, schema, within, to, seen);
    }
  }

  #group(
    element: XmlElement,
    schema: Schema,
    within: Component | undefined,
    to: AttributeFields,
    seen: Set<Component>,
  ): void {
    const name = this.#components.nameIn(element, 'ref', schema);
    if (name === undefined) return;
    const isRedefined = within?.redefined !== undefined && qnameKey(within.name) === qnameKey(name);
    const found = isRedefined ? within.redefined : this.#components.find('attributeGroup', name);
    if (found === undefined) {
      if (!SOAP_ENCODED.has(name.namespace))
        this.#losses.add(`the attribute group "${name.local}" is not declared`, 'left out', placeIn(element, schema));
    } else if (!seen.has(found)) {
      // Attributes of a group that was added already are the same.
      seen.add(found);
      if (++this.#depth > DEEPEST)
        throw new ImportError(`attribute groups are more than ${DEEPEST} levels deep`, placeIn(element, schema));
      this.#add(found.element, found.schema, found, to, seen);
      this.#depth--;
    }
  }

  #attribute(element: XmlElement, schema: Schema, to: AttributeFields): void {
    const name = this.#components.nameIn(element, 'ref', schema);
    if (name === undefined) {
      const local = attribute(element, 'name') ?? 'attribute';
      const form = attribute(element, 'form') ?? attribute(schema.root, 'attributeFormDefault');
      const namespace = form === 'qualified' ? schema.namespace : '';
      to.set(qnameKey({ namespace, local }), this.#field({ namespace, local }, element, element, schema, schema));
    } else if (!SOAP_ENCODED.has(name.namespace)) {
      const found = this.#components.find('attribute', name);
      to.set(qnameKey(name), this.#field(name, element, found?.element, schema, found?.schema ?? schema));
    }
  }

  /** @param declaration `undefined` when it is unknown @returns `undefined` for a prohibited attribute */
  #field(
    name: QName,
    use: XmlElement,
    declaration: XmlElement | undefined,
    schema: Schema,
    declaredIn: Schema,
  ): DraftField | undefined {
    const usage = attribute(use, 'use');
    if (usage === 'prohibited') return undefined;
    const place = placeIn(use, schema);
    const simple = this.#typeOf(name, use, declaration, schema, declaredIn);
    const { type, options } = singleField({ kind: 'simple', simple: textual(simple) });
    const values = this.#values(name, simple, use, declaration, schema);
    if (values.fixed !== undefined) delete options.enum;
    const description = proseOf(documentationOf(use)) ?? (declaration && proseOf(documentationOf(declaration)));
    return {
      name: name.local,
      place,
      type,
      options: {
        ...(description === undefined ? {} : { description }),
        ...options,
        attribute: true,
        ...(name.namespace === '' ? {} : { namespace: name.namespace }),
        ...(usage === 'required' ? { required: true } : {}),
        ...values,
      },
    };
  }

  #typeOf(
    name: QName,
    use: XmlElement,
    declaration: XmlElement | undefined,
    schema: Schema,
    declaredIn: Schema,
  ): SimpleType {
    if (declaration === undefined) {
      const known = WELL_KNOWN.get(qnameKey(name));
      if (known !== undefined) return known;
      this.#losses.add(`the attribute "${name.local}" is not declared`, 'taken as text', placeIn(use, schema));
      return FREE;
    }
    const [inPlace] = childrenNamed(declaration, XSD, 'simpleType');
    if (inPlace !== undefined) return this.#simple.inPlace(inPlace, declaredIn);
    const type = this.#components.nameIn(declaration, 'type', declaredIn);
    if (type === undefined) return FREE;
    const found = this.#simple.named(type);
    if (found !== undefined) return found;
    const what = `the simple type "${type.local}" is not declared`;
    this.#losses.add(what, 'taken as text', placeIn(declaration, declaredIn));
    return FREE;
  }

  #values(
    { local }: QName,
    { word, facets, list }: SimpleType,
    use: XmlElement,
    declaration: XmlElement | undefined,
    schema: Schema,
  ): FieldOptions {
    const options: FieldOptions = {};
    for (const key of ['default', 'fixed'] as const) {
      const text = attributeOf(use, key) ?? (declaration && attributeOf(declaration, key));
      if (text === undefined) continue;
      const value = list === undefined ? valueFrom(word, text, facets) : undefined;
      if (value !== undefined)
        Object.assign(options, key === 'default' ? { assumed: value } : fixedAttribute(value, use));
      else this.#losses.add(`${key}="${text}" of the attribute "${local}"`, 'left out', placeIn(use, schema));
    }
    return options;
  }

  #wildcard(element: XmlElement, schema: Schema): DraftField {
    const any = wildcardNamespaces(attribute(element, 'namespace') ?? '##any', schema);
    const field = anyAttribute(placeIn(element, schema));
    return any === true ? field : { ...field, options: { ...field.options, any } };
  }
}

/** An attribute that is absent has its fixed value (XML Schema, part 1, 3.2.1). */
function fixedAttribute(value: string | number | boolean, use: XmlElement): FieldOptions {
  return attribute(use, 'use') === 'required' ? { fixed: value } : { fixed: value, assumed: value };
}

/** The field of all attributes that no other field takes. */
export function anyAttribute(place: Place): DraftField {
  const text = { kind: 'scalar', word: 'text' } as const;
  return { name: 'anyAttribute', place, type: { kind: 'map', item: text }, options: { attribute: true } };
}

const WILDCARD_WORDS: ReadonlySet<string> = new Set(['##other', '##local', '##targetNamespace']);

/** The namespaces of a wildcard, with that of the schema by its name; `true` for all. */
export function wildcardNamespaces(words: string, { namespace }: Schema): true | string {
  if (words === '##any' || words === '') return true;
  const known = words.split(/\s+/).filter((word) => !word.startsWith('#') || WILDCARD_WORDS.has(word));
  // Words that XML Schema does not have mean nothing.
  if (known.length === 0) return true;
  return known.map((word) => (word === '##targetNamespace' ? namespace || '##local' : word)).join(' ');
}
