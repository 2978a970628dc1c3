import { type CodecError, initialValue, type Step } from '../../codec/index.ts';
import { carryDigits, carryNumber } from '../../codec/json/digits.ts';
import { setMember } from '../../codec/value.ts';
import { fitted } from '../../invoke/options.ts';
import {
  entryField,
  type Field,
  type FieldType,
  isCollection,
  type ScalarType,
  singleType,
} from '../../model/field.ts';
import { type FieldSource, isSame, type Mapping, type MapSource } from '../../model/mapping.ts';
import { holdsNull, isAnyText } from '../../model/scalar.ts';
import type { DocumentValue, Value } from '../../model/value.ts';
import { roundDecimal } from '../../wire/decimal.ts';

/** Returns the value of another document for that of a document. */
type Convert = (value: DocumentValue) => DocumentValue;

/** Compiles a mapping. One that changes nothing returns the value itself, with the streams in it. */
export function compileMapping(mapping: Mapping, compiled: Map<Mapping, Convert> = new Map()): Convert {
  const known = compiled.get(mapping);
  if (known !== undefined) return known;
  if (isSame(mapping)) return (value) => value;
  let convert: Convert | undefined;
  compiled.set(mapping, (value) => convert!(value));
  const members = mapping.members.map(({ field, from }) => ({
    name: field.name,
    own: from.kind === 'field' && from.path.length === 1 ? from.path[0]!.name : undefined,
    read: compileSource(from, field, compiled),
  }));
  const copyOthers = compileOthers(mapping);
  convert = (value) => {
    const made: Record<string, Value> = {};
    copyOthers(value, made);
    for (const { name, own, read } of members) {
      const found = read(value);
      if (found === undefined) continue;
      setMember(made, name, found);
      if (own !== undefined) carryNumber(value, own, made, name);
    }
    return made;
  };
  compiled.set(mapping, convert);
  return convert;
}

/** Copies members that neither document declares, where both are open. */
function compileOthers({ from, to }: Mapping): (value: DocumentValue, made: Record<string, Value>) => void {
  if (!from.open || !to.open) return () => {};
  const declared = new Set([...from.fields, ...to.fields].map(({ name }) => name));
  return (value, made) => {
    for (const [name, each] of Object.entries(value)) if (!declared.has(name)) setMember(made, name, each);
    carryDigits(value, made);
  };
}

function compileSource(
  source: MapSource,
  field: Field,
  compiled: Map<Mapping, Convert>,
): (value: DocumentValue) => Value {
  if (source.kind === 'value') {
    const { value } = source;
    const isListed = isCollection(field.type);
    return () => (isListed ? [value] : value);
  }
  if (source.kind === 'parts') return compileParts(source.mapping, field, compiled);
  const { path, otherwise } = source;
  const own = path.at(-1) as Field;
  const whole = compileValue(source, field, compiled);
  const convert = source.cut === true ? cutting(whole, compileCut(field)) : whole;
  const takesNull = holdsNull(field);
  return (value) => {
    const found = valueAt(path, value);
    if (found === null && holdsNull(own) && takesNull) return null;
    return found === undefined || found === null ? otherwise : convert(found);
  };
}

/** A document whose fields come from the one around it. One without values of fields is left out, unless it is required. */
function compileParts(
  mapping: Mapping,
  field: Field,
  compiled: Map<Mapping, Convert>,
): (value: DocumentValue) => Value {
  const convert = compileMapping(mapping, compiled);
  const isGiven = ({ members }: Mapping, value: DocumentValue): boolean =>
    members.some(({ from }) => {
      if (from.kind === 'parts') return isGiven(from.mapping, value);
      return (
        from.kind === 'field' &&
        (from.otherwise !== undefined || (valueAt(from.path, value) ?? undefined) !== undefined)
      );
    });
  return (value) => (field.required || isGiven(mapping, value) ? convert(value) : undefined);
}

/** A value below a document, with its default where it is absent: code may leave it to the writer of its reply. */
function valueAt(path: readonly Field[], value: DocumentValue): Value {
  let found: Value = value;
  for (const field of path) {
    if (typeof found !== 'object' || found === null) return undefined;
    const own: Value = Object.hasOwn(found, field.name) ? (found as DocumentValue)[field.name] : undefined;
    found = own === undefined || (own === null && !holdsNull(field)) ? initialValue(field) : own;
  }
  return found;
}

function compileValue(
  { values, mapping, path }: FieldSource,
  { type }: Field,
  compiled: Map<Mapping, Convert>,
): (value: Value) => Value {
  const each = mapping === undefined ? undefined : compileMapping(mapping, compiled);
  const own = (path.at(-1) as Field).type;
  const single = (value: Value): Value => {
    if (each !== undefined) return isObject(value) ? each(value) : value;
    if (value === null) return null;
    return values?.has(String(value)) === true ? values.get(String(value)) : fitted(value, type);
  };
  if (each === undefined && values === undefined) return (value) => fitted(value, type);
  return (value) => overEntries(own, value, single);
}

type Change = (value: Value) => Value;

const cutting =
  (convert: Change, cut: Change): Change =>
  (value) =>
    cut(convert(value));

/** Cuts what is too long for a field: texts and lists at their end, decimals to the digits after the point, the last one rounded. */
function compileCut(field: Field): Change {
  const { type, maximum = Number.POSITIVE_INFINITY } = field;
  const own = singleType(type);
  const single = own.kind === 'document' ? (value: Value) => value : compileCutSingle(entryField(field), own);
  return (value) => {
    const fewer = type.kind === 'list' && Array.isArray(value) ? (value.slice(0, maximum) as Value) : value;
    return overEntries(type, fewer, single);
  };
}

function compileCutSingle({ maximum, fraction }: Field, type: ScalarType): Change {
  if (isAnyText(type)) {
    const most = Math.min(type.length ?? Number.POSITIVE_INFINITY, maximum ?? Number.POSITIVE_INFINITY);
    return (value) => (typeof value === 'string' && value.length > most ? [...value].slice(0, most).join('') : value);
  }
  const places = Math.min(
    fraction ?? Number.POSITIVE_INFINITY,
    type.length === undefined ? Number.POSITIVE_INFINITY : (type.scale ?? 0),
  );
  return (value) => (typeof value === 'string' && Number.isFinite(places) ? roundDecimal(value, places) : value);
}

/** A value that does not have its type stays as it is, and is refused where it is written. */
function overEntries({ kind }: FieldType, value: Value, single: (value: Value) => Value): Value {
  if (kind === 'list') return Array.isArray(value) ? value.map((each) => single(each as Value)) : value;
  if (kind !== 'map') return single(value);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, single(each)]));
}

const isObject = (value: Value): value is DocumentValue =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Where the value at a place in the filled document comes from.
 * @returns the steps in the other document; `undefined` for what no field fills
 */
export function sourceOf({ members }: Mapping, steps: CodecError['steps']): readonly Step[] | undefined {
  const [name, ...rest] = steps;
  const member = members.find(({ field }) => field.name === name);
  const source = member?.from;
  if (member === undefined || source === undefined || source.kind === 'value') return undefined;
  if (source.kind === 'parts') return sourceOf(source.mapping, rest);
  const above = source.path.map((field) => field.name);
  if (source.mapping === undefined) return [...above, ...rest];
  const entry = isCollection(member.field.type) ? rest.slice(0, 1) : [];
  const inner = rest.slice(entry.length);
  if (inner.length === 0) return [...above, ...entry];
  const found = sourceOf(source.mapping, inner);
  return found && [...above, ...entry, ...found];
}
