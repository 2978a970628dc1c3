import { SCALARS, type ScalarKind } from '../../model/scalar.ts';
import type { DraftDocument, DraftScalar, DraftType, Facets, FieldOptions } from '../draft.ts';
import { LEXICAL_FORMS, type SimpleType } from './builtin.ts';
import type { Occurrence } from './particles.ts';
import { unionOf } from './union.ts';

/**
 * What the type of an element or attribute is: a value, a document, an array of SOAP encoding, any content (the document with
 * that), or, for a wildcard, any element.
 */
export type Typed =
  | { readonly kind: 'simple'; readonly simple: SimpleType }
  | { readonly kind: 'document'; readonly document: DraftDocument }
  | { readonly kind: 'array'; readonly item: Typed }
  | { readonly kind: 'anyType'; readonly document: DraftDocument }
  | { readonly kind: 'any' };

export const ANY_ELEMENT: Typed = { kind: 'any' };

const XML: DraftScalar = { kind: 'scalar', word: 'xml' };

/** The type of a field, and the options that belong to it. */
export interface FieldType {
  readonly type: DraftType;
  readonly options: FieldOptions;
}

/** The type of a field that is there once or not at all. */
export function singleField(typed: Typed): FieldType {
  switch (typed.kind) {
    case 'document':
    case 'anyType':
      return { type: { kind: 'document', document: typed.document }, options: {} };
    case 'any':
      return { type: XML, options: {} };
    case 'array': {
      const { type, options } = singleField(typed.item);
      if ('item' in type) return singleField(ANY_ELEMENT);
      return { type: { kind: 'list', item: type }, options: entryOptions(options) };
    }
    case 'simple':
      return typed.simple.list === undefined ? valueField(typed.simple) : listField(typed.simple);
  }
}

/** The type of a field whose element is repeated. */
export function repeatedField(typed: Typed, { min, max }: Occurrence): FieldType {
  const one = singleField(typed.kind === 'simple' ? { kind: 'simple', simple: unlisted(typed.simple) } : typed);
  // An array inside a list has no place; it is kept as it is written.
  const item = 'item' in one.type ? XML : one.type;
  const { attachment, ...options } = 'item' in one.type ? {} : one.options;
  return {
    type: { kind: 'list', item },
    options: {
      flat: true,
      ...countOptions({ min, max }),
      ...(attachment === undefined ? {} : { attachment }),
      ...entryOptions(options),
    },
  };
}

/** Options of a list that has so many entries. */
function countOptions({ min, max }: Occurrence): FieldOptions {
  return {
    ...(min > 0 ? { minimum: min } : {}),
    ...(max === Number.POSITIVE_INFINITY ? {} : { maximum: max }),
  };
}

function entryOptions(facets: Facets): FieldOptions {
  return Object.keys(facets).length === 0 ? {} : { entry: facets };
}

function scalarField({ named, ...simple }: SimpleType): { readonly type: DraftScalar; readonly options: Facets } {
  const { word, facets } = sized(simple);
  return { type: { kind: 'scalar', word, ...(named === undefined ? {} : { named }) }, options: facets };
}

/** A type word with the length of a text, and the facets that are left. */
export function sized({ word, facets, width }: SimpleType): { readonly word: string; readonly facets: Facets } {
  const { maximum, ...others } = facets;
  if (width !== undefined) return { word: width, facets: withoutOwn(facets, width) };
  if (word !== 'string' || typeof maximum !== 'number' || maximum < 1 || maximum > 1_000_000_000)
    return { word, facets };
  return { word: `string(${maximum})`, facets: others };
}

/** Facets without the bounds that values of a type have anyway. */
function withoutOwn({ minimum, maximum, ...others }: Facets, width: ScalarKind): Facets {
  const { range } = SCALARS[width];
  return {
    ...others,
    ...(minimum === undefined || String(minimum) === range?.minimum ? {} : { minimum }),
    ...(maximum === undefined || String(maximum) === range?.maximum ? {} : { maximum }),
  };
}

function valueField(simple: SimpleType): FieldType {
  const { type, options } = scalarField(simple);
  return { type, options: isReference(simple) ? { ...options, attachment: 'reference' } : options };
}

function isReference({ word, refers }: SimpleType): boolean {
  return word === 'binary' && refers === true;
}

function listField({ list = {}, ...entry }: SimpleType): FieldType {
  const { type, options } = scalarField(entry);
  const { minimum, maximum } = list;
  return {
    type: { kind: 'list', item: type },
    options: {
      spaced: true,
      ...(minimum === undefined ? {} : { minimum }),
      ...(maximum === undefined ? {} : { maximum }),
      ...entryOptions(options),
    },
  };
}

/** A type whose value is one text: entries of a list that is an entry itself are separated in it by spaces. */
function unlisted(simple: SimpleType): SimpleType {
  return simple.list === undefined ? simple : unionOf([simple]).type;
}

/** A type for an attribute, which has no attachment. */
export function textual(simple: SimpleType): SimpleType {
  if (simple.word !== 'binary') return simple;
  if (isReference(simple)) return { word: 'string', facets: { space: 'collapse' } };
  return { word: 'string', facets: { space: 'collapse', pattern: LEXICAL_FORMS.binary as string } };
}
