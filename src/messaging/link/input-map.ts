import { linkCallText } from '../../load/consumer/input.ts';
import type { Place } from '../../load/diagnostic/diagnostic.ts';
import { hasOwnValue, isNeeded } from '../../load/document/field.ts';
import { typeWords } from '../../load/document/field-type.ts';
import { fills, fitValue } from '../../load/document/fit.ts';
import { restrictionBroken, restrictionOf, spelled } from '../../load/document/restriction.ts';
import { unprovenRestriction } from '../../load/document/unproven.ts';
import type { Linking } from '../../load/linking.ts';
import type { InputFields } from '../../load/operation/request.ts';
import type { Field } from '../../model/field.ts';
import { type Conditions, type InputMap, type InputSource, isComparable } from '../../model/message.ts';
import { isAnyText } from '../../model/scalar.ts';
import type { Value } from '../../model/value.ts';
import type { MapDeclared, WhenDeclared } from './schema.ts';

// `map:` and `when:` of whatever fills a request from a document by itself: a subscription from a message, a component from a save.

/** What fields are taken from. */
export interface MapFrom extends InputFields {
  /** What has them, as in `ID of LOCATION_CHANGED`. */
  readonly id: string;
}

/** What is to be filled. */
interface MapTo {
  readonly id: string;
  readonly fields: readonly Field[];
  /** False when a part was rejected, so that missing fields are not reported. */
  readonly complete: boolean;
  /** The name of one that is filled otherwise. */
  readonly except?: string | undefined;
  /** What one of its fields is, as in `the input ID`. */
  readonly noun: 'input' | 'field';
}

/** How mistakes of a map or of conditions are reported. */
export interface MapReports {
  /** Reports a reason, which begins after the subject: `fills the input ID of ERP_PUT, which is ...`. */
  refuse(reason: string, at: Place): void;
  /** A key of `map` that fills no field. */
  unknown(name: string, known: readonly string[], at: Place): void;
  /** A value that may not meet the restrictions of what it fills. @param filled `ID of ERP_PUT` */
  mayNotFit(filled: string, reason: string, at: Place): void;
  /** A condition about a field that does not exist. */
  unknownCondition(name: string, known: readonly string[], at: Place): void;
}

/**
 * What fills a request: what `map` says, and fields of the same name. Every mistake is reported.
 * @param at the place of fields that `map` does not name
 * @param verb what is done with the request, as in `calls ERP_PUT`
 */
export function linkInputMap(
  linking: Linking,
  map: MapDeclared,
  { from, to, at: otherwise, verb }: { readonly from: MapFrom; readonly to: MapTo; at: Place; readonly verb: string },
  reports: Pick<MapReports, 'refuse' | 'unknown' | 'mayNotFit'>,
): InputMap {
  const { places } = linking;
  const names = to.fields.map((field) => field.name);
  const mapped = new Map(Object.entries(map));
  for (const name of mapped.keys())
    if (!names.includes(name) && to.complete) reports.unknown(name, names, places.key(map, name));
  return to.fields.flatMap((field): InputMap => {
    if (field.name === to.except) return [];
    const said = mapped.get(field.name);
    const at = said === undefined ? otherwise : places.value(map, field.name);
    const refuse = (reason: string): [] => {
      reports.refuse(reason, at);
      return [];
    };
    const source = said === undefined ? byName(field, from) : linkSource(linking, map, field, from);
    if (source === undefined) {
      const isMissing = said === undefined && isNeeded(field) && to.complete && from.complete;
      return isMissing
        ? refuse(
            `${verb} ${to.id}, whose ${to.noun} ${field.name} is required, but ${from.id} has no such field; fill it with \`map\``,
          )
        : [];
    }
    const reason = source.kind === 'field' ? whyNotFilled(field, source.field, from, to) : undefined;
    if (reason !== undefined) return refuse(reason);
    const unproven =
      source.kind === 'field' ? unprovenRestriction(field, { own: source.field, values: undefined }) : undefined;
    if (unproven !== undefined) reports.mayNotFit(`${field.name} of ${to.id}`, unproven.reason, at);
    return [{ field, from: source }];
  });
}

function byName({ name }: Field, from: InputFields): InputSource | undefined {
  const field = from.byName.get(name);
  return field && { kind: 'field', field };
}

function whyNotFilled(field: Field, own: Field, from: MapFrom, to: MapTo): string | undefined {
  const filled = `the ${to.noun} ${field.name} of ${to.id}`;
  const given = `${own.name} of ${from.id}`;
  if (!fills(own.type, field.type))
    return `fills ${filled}, which is ${typeWords(field.type)}, with ${given}, which is ${typeWords(own.type)}`;
  if (!isNeeded(field)) return undefined;
  if (!own.required && !hasOwnValue(own)) return `fills ${filled}, which is required, with ${given}, which is optional`;
  if (own.nullable === true && field.nullable !== true)
    return `fills ${filled}, which is required, with ${given}, which may be null`;
  return undefined;
}

/** An entry of `map:`; `undefined` when it can't fill the field, which has been reported. */
function linkSource(linking: Linking, map: MapDeclared, field: Field, from: InputFields): InputSource | undefined {
  const { report, places } = linking;
  const said = map[field.name] as string | number | boolean;
  const at = places.value(map, field.name);
  const whole = typeof said === 'string' ? from.byName.get(/^\{([^{}]+)\}$/.exec(said)?.[1] ?? '') : undefined;
  if (whole !== undefined) return { kind: 'field', field: whole };
  if (typeof said === 'string') {
    const text = linkCallText(linking, said, from, (offset, length) => places.inText(map, field.name, offset, length));
    const names = said.match(/\{[^{}]+\}/g) ?? [];
    if (text.parts.some(({ kind }) => kind === 'value')) {
      if (isAnyText(field.type)) return { kind: 'built', text };
      report.raise('map-text', { name: field.name, type: typeWords(field.type) }, at);
      return undefined;
    }
    // What it names has been reported.
    if (names.length > 0) return undefined;
  }
  const value = fitTo(linking, field, said, 'map value', { container: map, key: field.name });
  return value === undefined ? undefined : { kind: 'value', value };
}

/** A value of a definition in the form of a field's type. One that does not fit is reported. */
function fitTo(
  { report, places }: Linking,
  field: Field,
  value: string | number | boolean,
  option: string,
  { container, key }: { readonly container: object; readonly key: string | number },
): Value {
  const written = places.written(container, key) ?? String(value);
  const at = places.value(container, key);
  const { type } = field;
  if (!isComparable(field) || type.kind === 'document' || type.kind === 'list' || type.kind === 'map') {
    report.raise('value-does-not-fit', { option, value: written, reason: `${field.name} is ${typeWords(type)}` }, at);
    return undefined;
  }
  const fitted = fitValue({ value, written }, type);
  const by = restrictionOf(field);
  const found = fitted.fits ? spelled(fitted.value, by) : undefined;
  const reason = fitted.fits ? restrictionBroken(found ?? fitted.value, type, by) : fitted.reason;
  if (reason === undefined) return found;
  report.raise('value-does-not-fit', { option, value: written, reason }, at);
  return undefined;
}

/** `when:`, of which a document has one value each. */
export function linkConditions(
  linking: Linking,
  when: WhenDeclared,
  from: InputFields,
  reports: Pick<MapReports, 'refuse' | 'unknownCondition'>,
): Conditions {
  const { places } = linking;
  return Object.entries(when).flatMap(([name, said]) => {
    const field = from.byName.get(name);
    const at = places.key(when, name);
    if (field === undefined) {
      const known = [...from.byName.values()].filter(isComparable).map((each) => each.name);
      if (from.complete) reports.unknownCondition(name, known, at);
      return [];
    }
    if (!isComparable(field)) {
      reports.refuse(`has the condition ${name}, which is ${typeWords(field.type)}, not a single value`, at);
      return [];
    }
    const listed = Array.isArray(said)
      ? (said as readonly (string | number | boolean)[]).map((each, key) =>
          fitTo(linking, field, each, 'condition', { container: said, key }),
        )
      : [fitTo(linking, field, said as string, 'condition', { container: when, key: name })];
    return { field: name, values: listed.filter((each) => each !== undefined) };
  });
}
