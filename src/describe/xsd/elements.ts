import type { Derivation } from '../../model/derivation.ts';
import { type Document, itemName } from '../../model/document.ts';
import {
  type CompoundType,
  entryField,
  type Field,
  isSpaced,
  type ListType,
  MAP_ENTRY,
  type MapType,
  type ScalarType,
  singleType,
} from '../../model/field.ts';
import { isUnrestrictedText, primitiveOf, traitsOf } from '../../model/scalar.ts';
import { fieldOfType, type SimpleType as NamedType, ownDescription } from '../../model/simple-type.ts';
import { ANY_NAMESPACE } from '../../model/wildcard.ts';
import { element, type XmlElement, type XmlNode } from '../../wire/xml/build.ts';
import { boundsNote, caseNote, joined } from '../words.ts';
import { attributeConstraint, besideFixed, elementConstraint, isThere, unstated } from './constraint.ts';
import { lexical, restrictionOf, type SimpleType, simpleType, spacedType, translatedPattern } from './types.ts';

/** What the declaration of a field needs from its schema. */
export interface SchemaContext {
  /** `unqualified` for an element without a namespace inside a schema that has one. */
  readonly form?: 'unqualified' | undefined;
  /** In a change of a record the field may be nil, which clears it; a nullable field may be nil anyway. */
  readonly nillable: boolean;
  /** Binary elements are marked as possible attachments. */
  readonly attachments: boolean;
  /** The QName of swaRef, the type of elements with the address of an attachment. */
  readonly referenceName: () => string;
  /** QName of a document's complexType as written in this schema. */
  typeName(document: Document): string;
  /** Declares a simple type of its own for the field, and returns its QName. */
  nameType(content: readonly XmlNode[]): string;
  /** The simple type of the field in a document that restricts another one, or that others restrict; else the type itself. */
  deriveType(own: SimpleType): SimpleType;
  /** QName of the simple type that the field shares with others; `undefined` if it has one of its own. */
  sharedType(): string | undefined;
  /**
   * QName of the named type of the definitions that the values of the field have; `undefined` if they have none, or in a
   * document whose base restricts them in another way.
   */
  namedType(): string | undefined;
}

/** Namespace of the W3C Note Describing Media Content of Binary Data in XML (4 May 2005). */
export const XMIME = 'http://www.w3.org/2005/05/xmlmime';

/** Attribute of a binary element that may be sent as an attachment: code generators then use a stream, not an array. */
export const ATTACHMENT = { 'xmime:expectedContentTypes': 'application/octet-stream' };

/** Whether a declaration, or one inside it, is marked as a possible attachment. */
export function hasAttachment(node: XmlNode): boolean {
  if (typeof node === 'string') return false;
  return Object.keys(ATTACHMENT).some((name) => name in node.attributes) || node.children.some(hasAttachment);
}

/** Declares a field as an element of a sequence. */
export function fieldElement(field: Field, context: SchemaContext): XmlElement {
  const minOccurs = isThere(field) ? undefined : '0';
  const attributes = { name: field.xmlName, form: context.form };
  const nillable = context.nillable || field.nullable ? 'true' : undefined;
  const shared = context.sharedType();
  const notes = fieldNotes(field, context.namedType(), {
    after: shared === undefined ? undefined : ownNote(field),
  });
  const { type } = field;
  if (type.kind === 'map') {
    const wrapper = element('xs:complexType', {}, [element('xs:sequence', {}, [mapEntry(field, type, context)])]);
    return element('xs:element', { ...attributes, minOccurs, nillable }, [notes, wrapper]);
  }
  if (type.kind !== 'list')
    return single(
      { ...attributes, minOccurs, nillable, ...elementConstraint(field, nillable !== undefined) },
      field,
      type,
      notes,
      context,
    );
  if (type.spaced) {
    const spaced = spacedType(field, type.item as ScalarType, context.namedType());
    return element('xs:element', { ...attributes, minOccurs, nillable }, [notes, spaced]);
  }
  const bounds = entriesOf(field, type);
  const ofEntries = { ...bounds, nillable: isNillableEntry(field) };
  if (type.flat) return single({ ...attributes, ...ofEntries }, field, type.item, notes, context);
  const item = single({ name: itemName(type), form: context.form, ...ofEntries }, field, type.item, undefined, context);
  const wrapper = element('xs:complexType', {}, [element('xs:sequence', {}, [item])]);
  return element('xs:element', { ...attributes, minOccurs, nillable }, [notes, wrapper]);
}

function isNillableEntry({ entry }: Field): 'true' | undefined {
  return entry?.nullable ? 'true' : undefined;
}

/** How often the elements of a field occur, one after the other. */
export function occurrence(field: Field): Readonly<Record<string, string | undefined>> {
  const { type } = field;
  if (type.kind === 'list' && type.flat) return entriesOf(field, type);
  return { minOccurs: isThere(field) ? undefined : '0' };
}

/** Declares elements of any name. */
export function anyElement(field: Field): XmlElement {
  const { any } = field;
  const namespace = any === ANY_NAMESPACE ? undefined : any;
  return element('xs:any', { namespace, processContents: 'lax', ...occurrence(field) }, [
    annotation(field.description),
  ]);
}

/** Declares attributes of any name. */
export function anyAttribute({ any, description }: Field): XmlElement {
  const namespace = any === ANY_NAMESPACE ? undefined : any;
  return element('xs:anyAttribute', { namespace, processContents: 'lax' }, [annotation(description)]);
}

/** The element of an entry of a map: the value, with its key as an attribute. */
function mapEntry(field: Field, type: MapType, context: SchemaContext): XmlElement {
  const { minimum = 0, maximum = 'unbounded' } = field;
  const occurs = { minOccurs: minimum === 1 ? undefined : String(minimum), maxOccurs: String(maximum) };
  const key = element('xs:attribute', { name: MAP_ENTRY.key, type: 'xs:string', use: 'required' });
  const isDocument = type.item.kind === 'document';
  const base =
    type.item.kind === 'document' ? context.typeName(type.item.document) : itemType(field, type.item, context);
  const content = element(isDocument ? 'xs:complexContent' : 'xs:simpleContent', {}, [
    element('xs:extension', { base }, [key]),
  ]);
  const nillable = isNillableEntry(field);
  return element('xs:element', { name: MAP_ENTRY.element, form: context.form, ...occurs, nillable }, [
    element('xs:complexType', {}, [content]),
  ]);
}

/** An attribute can be added to a named type only. */
function itemType(field: Field, type: ScalarType, context: SchemaContext): string {
  const named = context.namedType();
  if (named !== undefined) return named;
  const { type: name, restriction } = simpleType(entryField(field), type);
  return name ?? context.nameType((restriction as XmlElement).children);
}

/** The type that the type of a document derives from. */
export interface BaseType {
  readonly by: Derivation['by'];
  readonly type: string;
  /** Whether its own element has text already. */
  readonly hasText: boolean;
  /** Whether any text of a type that derives from it is mixed content. */
  readonly isMixed: boolean;
}

/**
 * The type of a document whose own element has text: a simple type with attributes, or markup of any kind.
 * @param head the attributes of the type
 */
export function contentType(
  head: Readonly<Record<string, string | undefined>>,
  description: string | undefined,
  field: Field,
  attributes: readonly XmlElement[],
  context: SchemaContext,
  base: BaseType | undefined,
): XmlElement {
  const type = singleType(field.type) as ScalarType;
  const { markup } = traitsOf(type).xml;
  // Content has no `fixed` in XML Schema: it is the only value of its type.
  const named = field.fixed === undefined ? context.namedType() : undefined;
  const notes = markup
    ? annotation(joined(' ', description, field.description))
    : fieldNotes(field, named, { before: description });
  const hasIt = base?.by === 'extension' && base.hasText;
  if (markup) {
    const any = element('xs:any', { processContents: 'lax', minOccurs: '0', maxOccurs: 'unbounded' });
    const content = [hasIt ? undefined : element('xs:sequence', {}, [any]), ...attributes];
    const derived = base && [
      element('xs:complexContent', {}, [element(`xs:${base.by}`, { base: base.type }, content)]),
    ];
    return element('xs:complexType', { ...head, mixed: 'true' }, [notes, ...(derived ?? content)]);
  }
  if (base?.isMixed && isUnrestrictedText(field)) {
    const derived = element(`xs:${base.by}`, { base: base.type }, attributes);
    return element('xs:complexType', { ...head, mixed: 'true' }, [notes, element('xs:complexContent', {}, [derived])]);
  }
  const step = hasIt
    ? element('xs:extension', { base: base.type }, attributes)
    : contentStep(
        isSpaced(field.type)
          ? context.deriveType(textType(field, named))
          : valueType(named, () => contentSimple(field, type), context),
        attributes,
        context,
        base,
      );
  return element('xs:complexType', head, [notes, element('xs:simpleContent', {}, [step])]);
}

/** A simple type with attributes, or what restricts one that has them. */
function contentStep(
  { type, restriction }: SimpleType,
  attributes: readonly XmlElement[],
  context: SchemaContext,
  base: BaseType | undefined,
): XmlElement {
  if (base?.by !== 'restriction') {
    const named = type ?? context.nameType((restriction as XmlElement).children);
    return element('xs:extension', { base: named }, attributes);
  }
  const simple = restriction ?? element('xs:simpleType', {}, [element('xs:restriction', { base: type })]);
  return element('xs:restriction', { base: base.type }, [simple, ...attributes]);
}

function contentSimple(field: Field, type: ScalarType): SimpleType {
  const { fixed } = field;
  return simpleType(entryField(fixed === undefined ? field : { ...field, enum: [fixed] }), type);
}

/** The named type of a single value, or else its own, which may derive from that of a base. */
function valueType(
  named: string | undefined,
  own: () => SimpleType,
  { deriveType }: Pick<SchemaContext, 'deriveType'>,
): SimpleType {
  return named === undefined ? deriveType(own()) : { type: named };
}

/** The type of a single value, or of a list that is one text. */
function textType(field: Field, named: string | undefined): SimpleType {
  if (isSpaced(field.type)) return { restriction: spacedType(field, field.type.item as ScalarType, named) };
  return simpleType(field, field.type as ScalarType);
}

/** Declares a field as an attribute. */
export function fieldAttribute(
  field: Field,
  form: 'qualified' | undefined,
  context: Pick<SchemaContext, 'deriveType' | 'namedType'>,
): XmlElement {
  const constraint = attributeConstraint(field);
  const named = context.namedType();
  const own = (): SimpleType => textType(besideFixed(field, constraint.fixed), named);
  const { type, restriction } = isSpaced(field.type) ? context.deriveType(own()) : valueType(named, own, context);
  const use = isThere(field) ? 'required' : undefined;
  // An attribute has a simple type, so XML is a string there.
  const known = type === 'xs:anyType' ? 'xs:string' : type;
  return element('xs:attribute', { name: field.xmlName, form, type: known, use, ...constraint }, [
    fieldNotes(field, named),
    restriction,
  ]);
}

/** Documentation of a field. What is documented at its named type is not repeated. */
function fieldNotes(
  field: Field,
  named: string | undefined,
  { before, after }: { readonly before?: string | undefined; readonly after?: string | undefined } = {},
): XmlElement | undefined {
  const description = named === undefined ? field.description : ownDescription(field);
  const ofValues = named === undefined ? typeNotes(field) : [];
  return annotation(joined(' ', before, description), [...ownNotes(field), ...ofValues, after]);
}

/** Documentation: the description, then what the schema can't express. */
export function annotation(
  description: string | undefined,
  notes: readonly (string | undefined)[] = [],
): XmlElement | undefined {
  const text = joined(' ', description, ...notes);
  if (text === undefined) return undefined;
  return element('xs:annotation', {}, [element('xs:documentation', {}, [text])]);
}

function single(
  attributes: Readonly<Record<string, string | undefined>>,
  field: Field,
  type: ScalarType | CompoundType,
  notes: XmlElement | undefined,
  context: SchemaContext,
): XmlElement {
  const { name, form, ...occurs } = attributes;
  if (type.kind === 'document') {
    return element('xs:element', { name, form, type: context.typeName(type.document), ...occurs }, [notes]);
  }
  if (field.attachment === 'reference' && context.attachments)
    return element('xs:element', { name, form, type: context.referenceName(), ...occurs }, [notes]);
  const shared = context.sharedType() ?? context.namedType();
  const simple = valueType(shared, () => simpleType(entryField(besideFixed(field, occurs.fixed)), type), context);
  const content = context.attachments && primitiveOf(type) === 'binary' ? ATTACHMENT : undefined;
  return element('xs:element', { name, form, type: simple.type, ...occurs, ...content }, [notes, simple.restriction]);
}

function entriesOf(field: Field, type: ListType): { minOccurs: string | undefined; maxOccurs: string } {
  // A blank list of documents has one blank entry, other blank lists are empty; an optional flat list may be absent.
  const free = field.absent === 'blank' || (type.flat && !field.required);
  const least = free ? 0 : (field.minimum ?? 0);
  const most = field.maximum === undefined ? 'unbounded' : String(free ? Math.max(1, field.maximum) : field.maximum);
  return { minOccurs: least === 1 ? undefined : String(least), maxOccurs: most };
}

/** The restrictions of the field's own type when it shares a type that permits more. */
function ownNote(field: Field): string | undefined {
  const values = field.enum === undefined ? undefined : `One of: ${field.enum.map(lexical).join(', ')}.`;
  return joined(' ', values, boundsNote(entryField({ ...field, anyCase: false })));
}

/** Facts about a field itself that XML Schema can't express. */
function ownNotes(field: Field): (string | undefined)[] {
  const { default: value, assumed } = unstated(field);
  return [
    value === undefined ? undefined : `Default: ${lexical(value)}.`,
    assumed === undefined ? undefined : `Assumed when absent: ${lexical(assumed)}.`,
  ];
}

/** Facts about the values of a field, or of a named type, that XML Schema can't express. */
function typeNotes(field: Field): (string | undefined)[] {
  return [
    caseNote(field),
    ...(field.patterns ?? [])
      .filter((pattern) => translatedPattern(pattern) === undefined)
      .map((pattern) => `The value matches the regular expression (ECMA-262) ${pattern}`),
    traitsOf(singleType(field.type))?.xml.note,
  ];
}

/** Declares a named type of the definitions. */
export function namedTypeElement(type: NamedType, name: string): XmlElement {
  const notes = annotation(type.description, typeNotes(fieldOfType(type)));
  return element('xs:simpleType', { name }, [notes, ...restrictionOf(type).children]);
}

/**
 * The content of an open document: undeclared elements, which have no namespace, after the declared ones. A declared element
 * that could be taken for an undeclared one (Unique Particle Attribution, XML Schema Part 1, 3.8.6) is covered by the wildcard,
 * with all elements after it, and named in the documentation.
 * @param namespace of the document
 */
export function openContent(
  fields: readonly Field[],
  particles: readonly XmlElement[],
  namespace: string,
): { readonly particles: readonly XmlElement[]; readonly notes: readonly string[] } {
  const any = (namespace: string): XmlElement =>
    element('xs:any', { namespace, processContents: 'lax', minOccurs: '0', maxOccurs: 'unbounded' });
  const once = (index: number): boolean => {
    const { minOccurs, maxOccurs } = particles[index]?.attributes ?? {};
    return fields[index]?.required === true && minOccurs === undefined && maxOccurs === undefined;
  };
  const clashes = fields.some((field, index) => (field.namespace ?? namespace) === '' && !once(index));
  if (!clashes) return { particles: [...particles, any('##local')], notes: [] };
  const cut = fields.findIndex((_, index) => !once(index));
  const names = fields.slice(cut).map((field) => field.xmlName);
  return {
    particles: [...particles.slice(0, cut), any('##any')],
    notes: [`The elements that may follow include: ${names.join(', ')}.`],
  };
}
