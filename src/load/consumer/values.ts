import type { ConsumerOperation, RestConsumer } from '../../model/consumer.ts';
import type { ConfigText } from '../../model/definition.ts';
import type { Field, FieldType, ScalarType } from '../../model/field.ts';
import { primitiveOf } from '../../model/scalar.ts';
import { type Place, positionOf } from '../diagnostic/diagnostic.ts';
import { madeField } from '../document/documents.ts';
import { fitValue } from '../document/fit.ts';
import type { Linking } from '../linking.ts';
import { whyNoText } from '../operation/request.ts';
import type { OperationSpot } from '../operation/spot.ts';
import type { TextsDeclared } from '../schema/json-schema.ts';
import type { ServiceDeclared } from '../schema/service.ts';
import { isSecretName, isWrittenOut } from '../value/address.ts';
import { literalOf, namesValues, parseConfigText } from '../value/config-text.ts';

/** What `values:` says of a field. */
interface SaidValue {
  readonly text: ConfigText;
  readonly at: Place;
  readonly key: Place;
}

/** What `values:` says, the operation's above its service's, by the name of the field. */
export type SaidValues = ReadonlyMap<string, SaidValue>;

/** Reads `values:`. They are configuration: values of a call have no place in them. */
export function linkValues({ report, places }: Linking, spot: OperationSpot): SaidValues {
  const said = new Map<string, SaidValue>();
  for (const container of [spot.above('values'), spot.declared.values]) {
    for (const [name, source] of Object.entries<string>(container ?? {})) {
      const at = places.value(container as TextsDeclared, name);
      const { text } = parseConfigText(source);
      if (isSecretName(name) && isWrittenOut(text)) {
        const instead = 'Write ${secret:NAME} in its place.';
        report.raise('secret-in-clear', { what: `The value ${name}`, instead }, at);
      } else if (namesValues(source)) {
        report.raise('bad-call-value', { name, reason: 'is configuration, and {...} is a value of a call' }, at);
      }
      said.set(name, { text, at, key: places.key(container as TextsDeclared, name) });
    }
  }
  return said;
}

/** The field that a value becomes where no document has one of its name. */
export function fieldOf(name: string, { text, key }: SaidValue): Field {
  return madeField(name, { kind: 'text' }, positionOf(key), { sensitive: isSecretText(text) });
}

/** Whether a text refers to a secret. */
export function isSecretText({ parts }: ConfigText): boolean {
  return parts.some(({ kind }) => kind === 'secret');
}

/** Holds a value against the field that it fills. */
export function checkValue({ report }: Linking, field: Field, { text, at }: SaidValue): void {
  const { name, type } = field;
  const noText = type.kind === 'list' ? 'it is a list' : whyNoText(type);
  if (noText !== undefined) {
    report.raise('bad-call-value', { name, reason: `fills the field ${name}, and ${noText}` }, at);
    return;
  }
  if (field.fixed !== undefined) {
    report.raise('bad-call-value', { name, reason: `fills the field ${name}, which is fixed` }, at);
    return;
  }
  const literal = literalOf(text);
  if (literal === undefined) return;
  if (field.sensitive) {
    const instead = 'Write ${secret:NAME} in its place.';
    report.raise('secret-in-clear', { what: `The value ${name}`, instead }, at);
    return;
  }
  const fitted = fitValue({ value: readLiteral(literal, type), written: literal }, type as ScalarType);
  if (!fitted.fits) report.raise('value-does-not-fit', { option: 'value', value: literal, reason: fitted.reason }, at);
}

/** A text as YAML would have read it without quotes, where the type asks for a number or a truth. */
function readLiteral(text: string, type: FieldType): string | number | boolean {
  const primitive = primitiveOf(type);
  if (primitive === 'integer' && /^-?\d+$/.test(text)) return Number(text);
  return primitive === 'boolean' && /^(?:true|false)$/.test(text) ? text === 'true' : text;
}

/** Refuses values that an operation says and has no use for. */
export function checkOwnValues(
  linking: Linking,
  { id, declared }: OperationSpot,
  { filled, input }: RestConsumer,
): void {
  const known = input.fields.map(({ name }) => name).filter((name) => declared.values?.[name] === undefined);
  raiseUnused(linking, declared.values, (name) => filled.has(name), id, known);
}

/** Refuses values that a service says and none of its consumers has a use for. */
export function checkServiceValues(
  linking: Linking,
  id: string,
  { values }: ServiceDeclared,
  consumers: readonly ConsumerOperation[],
): void {
  if (consumers.some((consumer) => linking.doubt.about(consumer))) return;
  const rest = consumers.filter((consumer) => consumer.kind === 'rest');
  const names = new Set(rest.flatMap(({ input }) => input.fields.map(({ name }) => name)));
  const known = [...names].filter((name) => values?.[name] === undefined);
  raiseUnused(linking, values, (name) => rest.some(({ filled }) => filled.has(name)), id, known);
}

function raiseUnused(
  { report, places }: Linking,
  values: TextsDeclared | undefined,
  isUsed: (name: string) => boolean,
  owner: string,
  known: readonly string[],
): void {
  for (const name of Object.keys(values ?? {})) {
    if (values === undefined || isUsed(name)) continue;
    report.raise('unused-value', { name, owner, known }, places.key(values, name));
  }
}
