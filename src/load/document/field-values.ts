import { type Field, type FieldType, type ScalarType, singleType } from '../../model/field.ts';
import type { Position } from '../../model/position.ts';
import { compilePattern, type Pattern } from '../../wire/pattern/pattern.ts';
import { PatternError } from '../../wire/pattern/read.ts';
import { given } from '../given.ts';
import type { Scalar } from '../schema/field.ts';
import { isMade } from '../value/braces.ts';
import { checkOptions } from './field-options.ts';
import type { DocumentSource, FieldSpot } from './field-type.ts';
import { isText } from './type-fit.ts';
import { fitValue, type Restriction, restrictionBroken, spelled } from './value-fit.ts';

type Values = Pick<Field, 'default' | 'enum' | 'fixed' | 'example'>;

/** Checks the options against the type and each other, and brings the values that they hold into the type's form. */
export function linkValues(source: DocumentSource, spot: FieldSpot, type: FieldType, position: Position): Values {
  const refused = checkOptions(source, spot, type);
  const item = singleType(type);
  const pattern = refused.has('pattern') ? undefined : linkPattern(source, spot);
  if (item.kind === 'document') return {};
  const scalar: ScalarType = item;
  const { declared } = spot;
  const restriction: Restriction = {
    anyCase: declared['any-case'] ?? false,
    ...given({ pattern }),
    // The bounds of a list count its entries.
    ...(type.kind === 'list' ? {} : given({ minimum: declared.minimum, maximum: declared.maximum })),
  };
  const listed =
    declared.enum === undefined || refused.has('enum') ? undefined : linkEnum(source, spot, scalar, restriction);
  const one = (key: 'default' | 'fixed' | 'example'): Scalar | undefined =>
    refused.has(key)
      ? undefined
      : linkValue(source, spot, key, scalar, { ...restriction, ...given({ enum: listed }) }, position);
  return given({ enum: listed, default: one('default'), fixed: one('fixed'), example: one('example') });
}

function linkEnum({ linking }: DocumentSource, { declared }: FieldSpot, type: ScalarType, by: Restriction) {
  const { report, places } = linking;
  const list = declared.enum as readonly (string | number)[];
  const found: (string | number)[] = [];
  for (const [index, value] of list.entries()) {
    const written = places.written(list, index) ?? String(value);
    const fitted = fitValue({ value, written }, type);
    const reason = fitted.fits ? restrictionBroken(fitted.value, type, by) : fitted.reason;
    if (reason !== undefined) {
      report.raise('value-does-not-fit', { option: 'enum value', value: written, reason }, places.value(list, index));
    } else if (fitted.fits && typeof fitted.value !== 'boolean') {
      found.push(fitted.value);
    }
  }
  return found.length === list.length ? found : undefined;
}

const PLACEHOLDER = /\{fault\.([^{}]*)\}/g;
const PLACEHOLDERS = new Set(['message', 'detail', 'code', 'status']);

function linkValue(
  { linking: { report, places, misfits } }: DocumentSource,
  { declared }: FieldSpot,
  key: 'default' | 'fixed' | 'example',
  type: ScalarType,
  by: Restriction,
  position: Position,
): Scalar | undefined {
  const value = declared[key];
  if (value === undefined) return undefined;
  const at = places.value(declared, key);
  if (key === 'default' && typeof value === 'string') {
    const names = [...value.matchAll(PLACEHOLDER)].map((found) => found[1] as string);
    const unknown = names.find((name) => !PLACEHOLDERS.has(name));
    if (unknown !== undefined) report.raise('unknown-placeholder', { name: unknown }, at);
    // What it becomes is known when there is a fault, and is cut to its length then.
    if (names.length > 0) return value;
  }
  const written = places.written(declared, key) ?? String(value);
  const fitted = fitValue({ value, written }, type);
  const found = fitted.fits ? spelled(fitted.value, by) : undefined;
  const reason = fitted.fits ? restrictionBroken(found ?? fitted.value, type, by) : fitted.reason;
  if (reason === undefined) return found;
  const refuse = (): void => report.raise('value-does-not-fit', { option: key, value: written, reason }, at);
  if (key === 'default' && isText(type) && isMade(written)) {
    // What it becomes in a call is known when that is made, and held against the field then.
    misfits.set(position, refuse);
    return written;
  }
  refuse();
  return undefined;
}

function linkPattern({ linking: { report, places } }: DocumentSource, { declared }: FieldSpot): Pattern | undefined {
  const { pattern } = declared;
  if (pattern === undefined) return undefined;
  try {
    return compilePattern(pattern);
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    report.raise('bad-pattern', { pattern, reason: error.message }, places.value(declared, 'pattern'));
    return undefined;
  }
}
