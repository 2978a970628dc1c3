import type { Field, ScalarType } from '../../model/field.ts';
import { decimalOf } from '../../wire/decimal.ts';
import { element, type XmlElement } from '../../wire/xml/build.ts';
import { longest } from '../field.ts';
import { readWholePattern } from '../pattern.ts';
import { xsdPattern } from './pattern.ts';

/** The built-in type of XML Schema (Part 2) that a scalar is based on, as a QName under the prefix `xs`. */
export function builtInType(type: ScalarType): string {
  return builtIn[type.kind];
}

/**
 * Dates and datetimes stay the built-in types, though these have years before 0001 and after 9999, which the gateway refuses:
 * clients that convert by the type's name (npm's soap, XJC) would no longer see a date in a restriction of it.
 */
const builtIn: Readonly<Record<ScalarType['kind'], string>> = {
  string: 'xs:string',
  text: 'xs:string',
  integer: 'xs:integer',
  decimal: 'xs:decimal',
  boolean: 'xs:boolean',
  flag: 'xs:string',
  date: 'xs:date',
  time: 'xs:time',
  datetime: 'xs:dateTime',
  binary: 'xs:base64Binary',
  json: 'xs:string',
  // XML as escaped text or as elements: anything fits.
  xml: 'xs:anyType',
};

/** A scalar's type: the name of a built-in one, or a restriction of it in place. */
export function simpleType(
  field: Field,
  type: ScalarType,
): { readonly type?: string; readonly restriction?: XmlElement } {
  const facets = facetsOf(field, type);
  const base = builtInType(type);
  if (facets.length === 0) return { type: base };
  return { restriction: element('xs:simpleType', {}, [element('xs:restriction', { base }, facets)]) };
}

function facetsOf(field: Field, type: ScalarType): XmlElement[] {
  const facet = (name: string, value: string | undefined): XmlElement[] =>
    value === undefined ? [] : [element(`xs:${name}`, { value })];
  const bound = (value: number | undefined): string | undefined => (value === undefined ? undefined : decimalOf(value));
  const enumeration = (field.enum ?? []).flatMap((value) => facet('enumeration', lexical(value)));
  switch (type.kind) {
    case 'string':
    case 'text':
      return [
        ...facet('minLength', bound(field.minimum)),
        ...facet('maxLength', bound(longest(field, type))),
        ...facet('pattern', translatedPattern(field)),
        ...enumeration,
      ];
    case 'integer':
    case 'decimal':
      return [
        ...facet('totalDigits', type.kind === 'decimal' ? bound(type.length) : undefined),
        ...facet('fractionDigits', type.kind === 'decimal' ? bound(type.scale) : undefined),
        ...facet('minInclusive', bound(field.minimum)),
        ...facet('maxInclusive', bound(field.maximum)),
        ...enumeration,
      ];
    case 'flag':
      return (field.enum === undefined ? ['Y', 'N'] : field.enum).flatMap((value) =>
        facet('enumeration', String(value)),
      );
    case 'boolean':
    case 'json':
    case 'xml':
      return [];
    default:
      return [...facet('pattern', translatedPattern(field)), ...enumeration];
  }
}

/** The field's pattern in the dialect of XML Schema; undefined where there is none, or none that means the same. */
export function translatedPattern(field: Field): string | undefined {
  return field.pattern === undefined ? undefined : xsdPattern(readWholePattern(field.pattern));
}

/** A fixed value, or one of an enumeration, as XML writes it. */
export function lexical(value: string | number | boolean): string {
  return typeof value === 'number' ? decimalOf(value) : String(value);
}
