import type { Document } from '../../model/document.ts';
import { entryField, type Field, type ScalarType, singleType } from '../../model/field.ts';
import { elementsIn } from '../../model/particles.ts';
import { traitsOf } from '../../model/scalar.ts';
import { fieldOfType, type SimpleType as NamedType } from '../../model/simple-type.ts';
import { decimalOf } from '../../wire/decimal.ts';
import { BOUND_NAMES } from '../../wire/order.ts';
import type { CharacterClass, PatternNode, Range } from '../../wire/pattern-syntax.ts';
import type { Spacing } from '../../wire/white-space.ts';
import { element, type XmlElement } from '../../wire/xml/build.ts';
import { longest, readWholePattern } from '../field.ts';
import type { DocumentSet, SoapOperation } from '../scope.ts';

/**
 * The built-in type of XML Schema (Part 2) for a scalar, as a QName with the prefix `xs`. Dates and datetimes keep the built-in
 * types although these permit years before 0001 and after 9999, which the gateway refuses: clients that convert by the name of
 * the type (npm's soap, XJC) would not recognise a restriction as a date.
 */
export function builtInType(type: ScalarType, space?: Spacing): string {
  return space === undefined ? traitsOf(type).xml.type : SPACED[space];
}

/** The types of texts whose white space is normalised. */
const SPACED: Readonly<Record<Spacing, string>> = { replace: 'xs:normalizedString', collapse: 'xs:token' };

/** A simple type: the name of one, or a restriction in place. */
export interface SimpleType {
  readonly type?: string;
  readonly restriction?: XmlElement;
}

/** The type of a scalar: the name of a built-in type, or a restriction of it in place. */
export function simpleType(field: Field, type: ScalarType): SimpleType {
  const exact = exactType(field, type);
  if (exact !== undefined) return { type: exact };
  const facets = facetsOf(field, type);
  const base = builtInType(type, field.space);
  const { takes, xml, primitive } = traitsOf(type);
  const own = primitive === 'boolean' ? truthPattern(field) : xml.pattern;
  const patterns = takes.pattern ? translatedPatterns(field) : [own].filter((each) => each !== undefined);
  const [first, ...others] = patterns.map((value) => element('xs:pattern', { value }));
  if (first === undefined && facets.length === 0) return { type: base };
  // Of several patterns in one restriction a value has to match one; of those in several steps, each.
  const inner = others.map((pattern) => (of: XmlElement) => restriction({ of }, [pattern]));
  const innermost = restriction({ base }, [...facets, first]);
  return { restriction: inner.reduce((of, step) => step(of), innermost) };
}

/** The values of `enum` as a pattern: xs:boolean has no enumeration (XML Schema, part 2, 3.2.2.3). */
function truthPattern({ enum: values }: Field): string | undefined {
  return values?.map((value) => (value === true ? 'true|1' : 'false|0')).join('|');
}

/** The built-in type that permits the values of a field, no more and no fewer: code generators have a type of their own for it. */
function exactType(field: Field, type: ScalarType): string | undefined {
  const { digits, enum: values, range: { minimum, maximum, above, below } = {} } = field;
  if (digits !== undefined || values !== undefined || above !== undefined || below !== undefined) return undefined;
  return traitsOf(type).xml.bounded[`${minimum} ${maximum}`];
}

/**
 * The type of a list with spaces between its entries.
 * @param named the QName of the type of the entries, if it has one
 */
export function spacedType(field: Field, type: ScalarType, named: string | undefined): XmlElement {
  const entry = named === undefined ? simpleType(entryField(field), type) : { type: named };
  const list = element('xs:simpleType', {}, [element('xs:list', { itemType: entry.type }, [entry.restriction])]);
  const { minimum, maximum } = field;
  const facets = Object.entries({ minLength: minimum, maxLength: maximum }).flatMap(([name, value]) =>
    value === undefined ? [] : [element(`xs:${name}`, { value: String(value) })],
  );
  return facets.length === 0 ? list : restriction({ of: list }, facets);
}

/** A restriction of a type by its name, or of one in place. */
function restriction(
  of: { readonly base: string } | { readonly of: XmlElement },
  facets: readonly (XmlElement | undefined)[],
): XmlElement {
  const step = 'base' in of ? element('xs:restriction', of, facets) : element('xs:restriction', {}, [of.of, ...facets]);
  return element('xs:simpleType', {}, [step]);
}

const BOUND_FACETS = {
  minimum: 'minInclusive',
  above: 'minExclusive',
  maximum: 'maxInclusive',
  below: 'maxExclusive',
} as const;

function facetsOf(field: Field, type: ScalarType): XmlElement[] {
  const facet = (name: string, value: string | undefined): XmlElement[] =>
    value === undefined ? [] : [element(`xs:${name}`, { value })];
  const bound = (value: number | undefined): string | undefined => (value === undefined ? undefined : decimalOf(value));
  const { takes, size, values, primitive } = traitsOf(type);
  const isText = takes.bounds === 'length' || takes.bounds === 'bytes';
  const { range = {}, digits, fraction } = field;
  return [
    // Those of an xs:integer have no fraction anyway.
    ...facet('totalDigits', bound(size === 'digits' ? (type.length ?? digits) : digits)),
    ...facet('fractionDigits', bound(size === 'digits' ? (type.scale ?? fraction) : undefined)),
    ...BOUND_NAMES.flatMap((name) => facet(BOUND_FACETS[name], range[name])),
    ...(isText
      ? [...facet('minLength', bound(field.minimum)), ...facet('maxLength', bound(longest(field, type)))]
      : []),
    ...((takes.enum && primitive !== 'boolean') || values !== undefined ? (field.enum ?? values ?? []) : []).flatMap(
      (value) => enumeration(value, field.labels?.[String(value)]),
    ),
  ];
}

/** A listed value, with what it means as its documentation. */
function enumeration(value: string | number | boolean, label: string | undefined): XmlElement {
  const documented =
    label === undefined ? [] : [element('xs:annotation', {}, [element('xs:documentation', {}, [label])])];
  return element('xs:enumeration', { value: lexical(value) }, documented);
}

/** The field's patterns in the dialect of XML Schema, without those that have no equivalent. */
function translatedPatterns({ patterns = [] }: Field): string[] {
  return patterns.map(translatedPattern).filter((each) => each !== undefined);
}

/** A pattern in the dialect of XML Schema; `undefined` if it has no equivalent. */
export function translatedPattern(pattern: string): string | undefined {
  return xsdPattern(readWholePattern(pattern));
}

/** A value of `fixed` or `enum` in its XML form. */
export function lexical(value: string | number | boolean): string {
  return typeof value === 'number' ? decimalOf(value) : String(value);
}

/** The restriction of a named type of the definitions, for one that is declared once and referred to. */
export function restrictionOf(type: NamedType): XmlElement {
  const { type: base, restriction: own } = simpleType(fieldOfType(type), type.base);
  return own ?? restriction({ base: base as string }, []);
}

/** The named type of the definitions that a field has in a schema: markup has no simple type. */
export function namedTypeOf({ named }: Field): NamedType | undefined {
  return named === undefined || traitsOf(named.base).xml.markup ? undefined : named;
}

/** A simple type that several fields share. */
export interface SharedType {
  readonly fields: ReadonlySet<Field>;
  /** The name of the fields' elements. */
  readonly wanted: string;
  /** The built-in type, which it does not restrict: the fields have different restrictions. */
  readonly base: string;
}

/**
 * Fields that must have the same type although only some of them have facets. JAX-WS turns elements of request and reply with
 * the same name and type into one in-out parameter (Jakarta XML Web Services 3.0, 2.3.1.2), and CXF refuses a WSDL in which
 * one of these has a built-in type and the other an anonymous one. A type that the definitions name is kept: where only one of
 * two elements has it, they stay inside their messages.
 */
export function sharedTypes(operations: readonly SoapOperation[], documents: DocumentSet): readonly SharedType[] {
  const groups = new Map<Field, Set<Field>>();
  const join = (a: Field, b: Field): void => {
    const group = new Set([...(groups.get(a) ?? [a]), ...(groups.get(b) ?? [b])]);
    for (const field of group) groups.set(field, group);
  };
  const elements = (document: Document): [string, Field][] =>
    elementsIn(document).flatMap(({ field, document: owner }) => {
      const key = `{${field.namespace ?? documents.namespaceOf(owner)}}${field.xmlName}`;
      return isPlain(field) && namedTypeOf(field) === undefined ? [[key, field]] : [];
    });
  for (const { soap } of operations) {
    if (soap.request.kind !== 'document' || soap.response.kind !== 'document') continue;
    const replies = new Map(elements(soap.response.document));
    for (const [key, field] of elements(soap.request.document)) {
      const other = replies.get(key);
      if (other !== undefined && isList(field) === isList(other) && baseOf(field) === baseOf(other)) join(field, other);
    }
  }
  return [...new Set(groups.values())].flatMap((fields) => {
    const [first] = fields as Set<Field>;
    const kinds = new Set([...fields].map(isAnonymous));
    return first === undefined || kinds.size === 1 ? [] : [{ fields, wanted: first.xmlName, base: baseOf(first) }];
  });
}

function isList({ type }: Field): boolean {
  return type.kind === 'list';
}

/** Whether each element of a field contains a single value. */
function isPlain({ type }: Field): boolean {
  return singleType(type).kind !== 'document' && type.kind !== 'map' && (type.kind !== 'list' || type.flat);
}

function baseOf(field: Field): string {
  return builtInType(singleType(field.type) as ScalarType, field.space);
}

function isAnonymous(field: Field): boolean {
  return simpleType(entryField(field), singleType(field.type) as ScalarType).restriction !== undefined;
}

/**
 * The pattern in the dialect of XML Schema (Part 2, appendix F), in which the whole value must match. `undefined` for features
 * that the dialect lacks: word boundaries, inner anchors, scripts, characters that XML documents can't contain.
 */
export function xsdPattern(node: PatternNode): string | undefined {
  const text = write(node);
  return text.includes(UNTOLD) ? undefined : text;
}

/** Marks what the dialect can't express: a character that schemas can't contain. */
const UNTOLD = '\0';

function write(node: PatternNode): string {
  switch (node.kind) {
    case 'class':
      return writeClass(node);
    case 'assertion':
      return UNTOLD;
    case 'sequence':
      return node.items.map((item) => (item.kind === 'choice' ? `(${write(item)})` : write(item))).join('');
    case 'choice':
      return node.items.map(write).join('|');
    case 'repeat':
      return `${node.item.kind === 'class' ? write(node.item) : `(${write(node.item)})`}${quantifier(node.least, node.most)}`;
  }
}

/** Production Char of XML 1.0. */
const xmlCharacters: readonly Range[] = [
  [0x9, 0xa],
  [0xd, 0xd],
  [0x20, 0xd7ff],
  [0xe000, 0xfffd],
  [0x10000, 0x10ffff],
];
/** General categories have the same one- and two-letter names in both dialects; the others differ. */
const CATEGORY = /^(L[ultmo]?|M[nce]?|N[dlo]?|P[cdseifo]?|Z[slp]?|S[mcko]?|C[cfon]?)$/;

function writeClass({ negated, ranges: all, properties }: CharacterClass): string {
  const ranges = all.flatMap(([from, to]) =>
    xmlCharacters
      .map(([first, last]): Range => [Math.max(from, first), Math.min(to, last)])
      .filter(([first, last]) => first <= last),
  );
  if (ranges.length + properties.length === 0 || properties.some(({ name }) => !CATEGORY.test(name))) return UNTOLD;
  const [range] = ranges;
  const [property] = properties;
  if (ranges.length === 0 && property !== undefined && properties.length === 1)
    return `\\${property.negated === negated ? 'p' : 'P'}{${property.name}}`;
  if (!negated && properties.length === 0 && ranges.length === 1 && range !== undefined && range[0] === range[1])
    return escaped(range[0]);
  const members = [
    ...ranges.map(([from, to]) => (from === to ? escaped(from) : `${escaped(from)}-${escaped(to)}`)),
    ...properties.map(({ name, negated: not }) => `\\${not ? 'P' : 'p'}{${name}}`),
  ];
  return `[${negated ? '^' : ''}${members.join('')}]`;
}

/** SingleCharEsc of appendix F: all of these may be escaped inside and outside a class. */
function escaped(code: number): string {
  const control = { 9: '\\t', 10: '\\n', 13: '\\r' }[code];
  if (control !== undefined) return control;
  const text = String.fromCodePoint(code);
  return '\\|.?*+(){}-[]^'.includes(text) ? `\\${text}` : text;
}

function quantifier(least: number, most: number): string {
  if (most === Number.POSITIVE_INFINITY) return least === 0 ? '*' : least === 1 ? '+' : `{${least},}`;
  if (least === 0 && most === 1) return '?';
  return least === most ? `{${least}}` : `{${least},${most}}`;
}
