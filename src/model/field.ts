import type { Range } from '../wire/order.ts';
import type { Spacing } from '../wire/white-space.ts';
import type { Position } from './definition.ts';
import type { Document } from './document.ts';
import type { ScalarKind } from './scalar.ts';
import type { SimpleType } from './simple-type.ts';

/**
 * A single value. In memory an `integer` is a number, or a bigint beyond 2^53 - 1, a `boolean` a boolean, `binary` an
 * {@link Attachment}, `json` any JSON value, and all else a string: a `decimal` keeps its digits.
 */
export interface ScalarType {
  readonly kind: ScalarKind;
  /** Characters (Unicode code points) of a `string(n)`; digits in all of a `decimal(p.s)`. */
  readonly length?: number;
  /** Digits after the point of a `decimal(p.s)`. */
  readonly scale?: number;
}

/** One document inside another. */
export interface CompoundType {
  readonly kind: 'document';
  readonly document: Document;
}

/** A collection. In XML it stands inside an element of the field's name, unless `flat`. */
export interface ListType {
  readonly kind: 'list';
  readonly item: ScalarType | CompoundType;
  readonly flat: boolean;
  /** The name of the element of an entry, if that is not the usual one (`itemName` of model/document.ts). */
  readonly entryName?: string;
  /** In XML it is one text, of an element or an attribute, with spaces between the entries (xs:list). */
  readonly spaced?: true;
}

/**
 * Values by keys, which are any texts: in JSON the members of an object, in XML `<entry key="...">`. In memory an object whose
 * own members are the entries, `__proto__` among them.
 */
export interface MapType {
  readonly kind: 'map';
  readonly item: ScalarType | CompoundType;
}

export type FieldType = ScalarType | CompoundType | ListType | MapType;

/** The type of one value: that of the entries of a list or a map, or the type itself. */
export function singleType(type: FieldType): ScalarType | CompoundType {
  return isCollection(type) ? type.item : type;
}

/**
 * The field for one entry of its list or map: its lengths, and whether it is nullable, are those of the entry. The type is still
 * that of the collection.
 */
export function entryField(field: Field): Field {
  if (!isCollection(field.type)) return field;
  const { minimum: _, maximum: __, nullable: ___, entry, ...rest } = field;
  return { ...rest, ...entry };
}

/** Whether a list is one text in XML. */
export function isSpaced(type: FieldType): type is ListType & { readonly spaced: true } {
  return type.kind === 'list' && type.spaced === true;
}

/** Whether a type has entries: `minimum` and `maximum` are those of their number. */
export function isCollection(type: FieldType): type is ListType | MapType {
  return type.kind === 'list' || type.kind === 'map';
}

/** The element of an entry of a map, and the attribute with its key. */
export const MAP_ENTRY = { element: 'entry', key: 'key' } as const;

/** A type as the definitions spell it: `string(10)`, `decimal(10.2)`, `list of LOC_DTL_VW`. */
export function typeWords(type: FieldType): string {
  if (isCollection(type)) return `${type.kind} of ${typeWords(type.item)}`;
  if (type.kind === 'document') return type.document.id;
  if (type.length === undefined) return type.kind;
  return `${type.kind}(${type.length}${type.scale === undefined ? '' : `.${type.scale}`})`;
}

/** How a value is written into a URL: `path` keeps slashes, `odata` doubles quotes (OData 4.01, 5.1.1.6.1), `odata-path` both. */
export type UrlStyle = 'segment' | 'path' | 'odata' | 'odata-path';

/** A field of a document; a prompt or a column of a query; one variable of a URI. Rule 7 of the definition reference. */
export interface Field {
  /** The name in YAML, in handlers and in error messages. */
  readonly name: string;
  /** Key in JSON (`json:`); the name unless said otherwise. */
  readonly jsonName: string;
  /** Element or attribute name in XML (`xml:`); the name unless said otherwise. */
  readonly xmlName: string;
  readonly type: FieldType;
  /** The named type of its values, if it restricts these no further: base and restrictions are those of the type. */
  readonly named?: SimpleType;
  readonly description?: string;
  readonly required: boolean;
  /** `required: false` is declared: a header or a field of a form that is this field alone may be left out of calls. */
  readonly optional?: true;
  /** Null is a value, other than an absent one. */
  readonly nullable?: boolean;
  /** A column of a query: what the database has is written as it is, even if it is longer than declared, or NULL where required. */
  readonly asFound?: true;
  /**
   * Fills the field where nothing is given: in what is read and in what is written. In a fault document it may hold
   * `{fault.message}` and its like.
   */
  readonly default?: string | number | boolean;
  /**
   * What the other side takes for the field where nothing is given: the `default` of a contract. It is described, and never
   * filled in. An empty XML element is read as it (XML Schema, part 1, 3.3.4).
   */
  readonly assumed?: string | number | boolean;
  readonly enum?: readonly (string | number | boolean)[];
  /** What values of `enum` mean, by their texts. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Letter case of the caller's value does not matter; the value is taken over as `enum` spells it. */
  readonly anyCase: boolean;
  /** Regular expressions (ECMA-262, `u` flag), each of which the whole value must match. */
  readonly patterns?: readonly string[];
  /** How white space of a text is normalised before it is checked. */
  readonly space?: Spacing;
  /** Least number of characters of a text, of bytes of hexadecimal digits, or of entries of a list or a map. */
  readonly minimum?: number;
  /** Most characters of a text, bytes of hexadecimal digits, or entries of a list or a map. */
  readonly maximum?: number;
  /**
   * Lengths of the entries of a list or a map, and whether each may be null. All other restrictions of such a field are those of
   * its entries.
   */
  readonly entry?: { readonly minimum?: number; readonly maximum?: number; readonly nullable?: true };
  /** Bounds of a number, a date or a time. */
  readonly range?: Range;
  /** Most digits of an integer or a decimal in all, and after the point; zeros at the ends do not count. */
  readonly digits?: number;
  readonly fraction?: number;
  /** The only value there is: it fills the field as a default does. */
  readonly fixed?: string | number | boolean;
  /** Masked in logs, errors and snapshots. */
  readonly sensitive: boolean;
  readonly example?: string | number | boolean;
  /** Over SOAP, a header block of its own rather than a part of the Body. */
  readonly header?: true;
  /**
   * Over SOAP, content beside the envelope (SOAP with Attachments) in one of these media types, or any where there is none; or
   * `reference`: its element has the `cid:` address of the part (swaRef of the WS-I Attachments Profile 1.0).
   */
  readonly attachment?: readonly string[] | 'reference';
  /** An attribute in XML rather than an element; of a map, the attributes that no other field takes. */
  readonly attribute: boolean;
  /**
   * The text of the document's own element; all other fields are attributes. Of the type `xml` it is the markup inside that
   * element: text, escaped, and elements.
   */
  readonly content?: true;
  /** A document, or a flat list of documents, without an element around it: its elements stand directly among the others. */
  readonly inline?: true;
  /**
   * Elements, or with `attribute` attributes, of any name that no other field takes, in namespaces as XML Schema words them
   * (`model/wildcard.ts`). Values are the markup of elements; attributes are a map of texts by `{namespace}name`.
   */
  readonly any?: string;
  /** XML namespace; the document's unless said otherwise. */
  readonly namespace?: string;
  /** What is written where a reply does not give the field: nothing, or the type's blank (`""`, one object of blanks for a list of documents). */
  readonly absent: 'omit' | 'blank';
  readonly url: UrlStyle;
  readonly at: Position;
}

/** The bounds of a field as definitions have them: numbers, unless only a text keeps what they are. */
export function boundsOf({
  minimum,
  maximum,
  range,
}: Pick<Field, 'minimum' | 'maximum' | 'range'>): Readonly<Partial<Record<keyof Range, number | string>>> {
  const bounds = Object.entries(range ?? {}).map(([name, text]: [string, string]) => {
    const number = Number(text);
    return [name, String(number) === text ? number : text];
  });
  return { minimum, maximum, ...Object.fromEntries(bounds) };
}

const FAULT_WORD = /\{fault\.(?:message|detail|code|status)\}/;

/** Whether a fault fills the default of a field, which has no value before there is one. */
export function filledByFault({ default: text }: Field): boolean {
  return typeof text === 'string' && FAULT_WORD.test(text);
}
