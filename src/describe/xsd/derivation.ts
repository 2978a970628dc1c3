// Documents that extend or restrict others, as types that derive from theirs (XML Schema Part 1, 3.4).
import type { Derivation } from '../../model/derivation.ts';
import { contentField, type Document } from '../../model/document.ts';
import { type Field, isSpaced } from '../../model/field.ts';
import { isUnrestrictedText } from '../../model/scalar.ts';
import type { SimpleType as NamedType } from '../../model/simple-type.ts';
import { element, type XmlElement } from '../../wire/xml/build.ts';
import { ncName } from '../names.ts';
import type { BaseType } from './elements.ts';
import { namedTypeOf, type SimpleType } from './types.ts';
import { type Draft, refer, referType, type ValueType, type Workshop } from './workshop.ts';

/** Restrictions refer to the types of what they restrict. */
export function baseFirst(documents: readonly Document[]): ReadonlySet<Document> {
  const sorted = new Set<Document>();
  const add = (document: Document): void => {
    if (document.derivation !== undefined) add(document.derivation.base);
    sorted.add(document);
  };
  documents.forEach(add);
  return sorted;
}

/** The fields that the type of a document declares: of an extension those that its base has not. */
export function ownFields({ derivation, fields }: Document): readonly Field[] {
  return derivation?.by === 'extension' ? fields.slice(derivation.base.fields.length) : fields;
}

/** The type of a base, as a schema refers to it. */
export function baseOf({ base, by }: Derivation, draft: Draft, workshop: Workshop): BaseType {
  const text = contentField(base);
  const isMixed = text === undefined || isMixedText(base, text);
  return { by, type: referType(draft, base, workshop), hasText: text !== undefined, isMixed };
}

/** Whether the text of a document is mixed content: it derives from one without text, and so has no simple type. */
function isMixedText({ derivation }: Document, text: Field): boolean {
  if (derivation === undefined || !isUnrestrictedText(text)) return false;
  const inherited = contentField(derivation.base);
  return inherited === undefined || isMixedText(derivation.base, inherited);
}

/** A restriction has the attributes of its base unless it says that it does not. */
export function prohibited({ derivation, fields }: Document): readonly XmlElement[] {
  if (derivation?.by !== 'restriction') return [];
  const own = new Set(fields.map(({ name }) => name));
  const others = derivation.base.fields.filter(
    ({ attribute, any, name }) => attribute && any === undefined && !own.has(name),
  );
  return others.map(({ xmlName }) => element('xs:attribute', { name: xmlName, use: 'prohibited' }));
}

/**
 * The simple type of a field. In a restriction of a complex type that of each element and attribute must be derived from the one
 * in its base (XML Schema Part 1, 3.9.6 and 3.4.6), so these have names there.
 */
export function deriveType(
  own: SimpleType,
  field: Field,
  document: Document,
  from: Draft,
  workshop: Workshop,
): SimpleType {
  const type = restrictedType(field, document, workshop);
  const derived =
    type === undefined ? own : restricted(own, type.content, refer(from, type.namespace, type.name, workshop));
  const { restriction: content } = derived;
  if (!isRestricted(field, document) || content === undefined) return derived;
  const name = workshop.giveName(`${workshop.typeNames(document)}_${ncName(field.xmlName)}_value`);
  from.types.push(element('xs:simpleType', { name }, content.children));
  workshop.valueTypes.set(field, { namespace: from.namespace, name, content });
  return { type: refer(from, from.namespace, name, workshop) };
}

/**
 * The named type of the definitions that the values of a field have. A field that restricts one of another type derives from
 * that, and has its own in place.
 */
export function namedValueType(field: Field, document: Document, workshop: Workshop): ValueType | undefined {
  const own = workshop.namedTypes.get(namedTypeOf(field) as NamedType);
  if (own === undefined) return undefined;
  const base = restrictedType(field, document, workshop);
  return base === undefined || base === own ? own : undefined;
}

/** The named type of the field that a field restricts; it may be one that a base has from its own base. */
function restrictedType(
  { name }: Field,
  { derivation }: Document,
  { valueTypes, namedTypes }: Workshop,
): ValueType | undefined {
  if (derivation?.by !== 'restriction') return undefined;
  for (let base: Document | undefined = derivation.base; base !== undefined; base = base.derivation?.base) {
    const field = base.fields.find((each) => each.name === name);
    const type =
      field &&
      (valueTypes.get(field) ?? (isSpaced(field.type) ? undefined : namedTypes.get(namedTypeOf(field) as NamedType)));
    if (type !== undefined) return type;
  }
  return undefined;
}

/** Whether a document that derives from one, at any depth, restricts a field of it. */
function isRestricted({ name }: Field, { kinds }: Document): boolean {
  return (
    kinds?.derived.some(({ derivation, fields }) => {
      return derivation?.by === 'restriction' && fields.some((each) => each.name === name);
    }) === true
  );
}

/** The named type of the base if the own one is the same, else a restriction of it. */
function restricted({ restriction }: SimpleType, base: XmlElement, name: string): SimpleType {
  if (restriction === undefined || JSON.stringify(restriction) === JSON.stringify(base)) return { type: name };
  return { restriction: basedOn(restriction, name) };
}

/** A type in place, which may consist of several steps, with another type to begin with. */
function basedOn(type: XmlElement, name: string): XmlElement {
  const [step] = type.children as readonly XmlElement[];
  const [first, ...others] = (step?.children ?? []) as readonly XmlElement[];
  const isStep = first?.name === 'xs:simpleType';
  const inner = isStep
    ? element('xs:restriction', {}, [basedOn(first, name), ...others])
    : element('xs:restriction', { base: name }, step?.children ?? []);
  return element('xs:simpleType', {}, [inner]);
}
