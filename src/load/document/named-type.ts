import { traitsOf } from '../../model/scalar.ts';
import type { SimpleType } from '../../model/simple-type.ts';
import { BOUND_NAMES } from '../../wire/order.ts';
import type { Linking } from '../linking.ts';
import { given } from '../object.ts';
import type { FacetsDeclared, FieldDeclared } from '../schema/document.ts';
import type { TypeDeclared } from '../schema/type.ts';
import { parseTypeWord } from './field-type.ts';

/** The keys of a named type that a field takes from it. */
const TAKEN = [
  ...['enum', 'labels', 'pattern', 'space', 'minimum', 'above', 'maximum', 'below', 'digits', 'fraction'],
  'any-case',
] as const satisfies readonly (keyof FieldDeclared)[];

/** Of the entry, where the field is a list or a map. */
const OF_ENTRY: ReadonlySet<string> = new Set(TAKEN.filter((key) => key !== 'any-case'));

/** A field as it is linked, and the named type of its values if it restricts these no further. */
interface Resolved {
  readonly declared: FieldDeclared;
  readonly named?: SimpleType;
}

/**
 * A field whose type is a named one, with base and restrictions of that in place of its id; any other field as it is. What both
 * restrict is reported: which of them counts would depend on who reads it.
 * @param holder the map of the definition that says the field, or that has its type alone: the place of what the type says
 */
export function withNamedType(linking: Linking, declared: FieldDeclared, holder: object): Resolved {
  if (linking.types.size === 0 || declared.type === undefined) return { declared };
  const word = parseTypeWord(declared.type);
  const found = word.kind === 'document' ? linking.types.get(word.id) : undefined;
  if (found === undefined || word.kind === 'bad') return { declared };
  const { declared: named } = found;
  const { report, places } = linking;
  const isCollection = word.list || word.map === true;
  const taken = takenFrom(linking, found.type, named);
  const said = { ...declared, ...(isCollection ? declared.entry : {}) };
  let isNarrower = false;
  for (const key of TAKEN) {
    // Of a list, these count entries.
    const isOfCount =
      isCollection && declared.entry?.[key as keyof FacetsDeclared] === undefined && key.endsWith('imum');
    if (said[key] === undefined || isOfCount) continue;
    isNarrower = true;
    if (taken[key] === undefined) continue;
    const reason = `the type sets ${key} for all that have it`;
    const own = declared[key] === undefined ? (declared.entry as object) : declared;
    report.raise('conflicting-options', { first: `type ${named.type}`, second: key, reason }, places.key(own, key));
  }
  const shown = given({
    description: declared.description ?? named.description,
    example: declared.example ?? named.example,
  });
  const type = `${word.list ? 'list of ' : ''}${word.map ? 'map of ' : ''}${named.base}`;
  const facets = Object.entries(taken);
  const made: FieldDeclared = isCollection
    ? {
        ...Object.fromEntries(facets.filter(([key]) => !OF_ENTRY.has(key))),
        ...declared,
        ...shown,
        type,
        entry: { ...Object.fromEntries(facets.filter(([key]) => OF_ENTRY.has(key))), ...declared.entry },
      }
    : { ...taken, ...declared, ...shown, type };
  places.alias(made, holder);
  if (made.entry !== undefined) places.alias(made.entry, declared.entry ?? holder);
  return isNarrower ? { declared: made } : { declared: made, named: found.type };
}

/**
 * The restrictions of a type. Bounds of values are texts, as they are written: at the same key a field that is a list has the
 * number of its entries.
 */
function takenFrom({ places }: Linking, { base }: SimpleType, named: TypeDeclared): FieldDeclared {
  const isRange = traitsOf(base).takes.bounds === 'value';
  const found = TAKEN.flatMap((key) => {
    const value = named[key];
    const isBound = isRange && typeof value === 'number' && BOUND_NAMES.some((each) => each === key);
    return value === undefined ? [] : [[key, isBound ? (places.written(named, key) ?? String(value)) : value]];
  });
  return Object.fromEntries(found);
}
