import type { ConsumerOperation, RestConsumer } from '../../model/consumer.ts';
import type { ConfigText } from '../../model/definition.ts';
import type { Field, FieldType, ScalarType } from '../../model/field.ts';
import { primitiveOf } from '../../model/scalar.ts';
import { type Place, positionOf } from '../diagnostic/diagnostic.ts';
import { madeField } from '../document/field.ts';
import { fitValue } from '../document/fit.ts';
import type { Linking } from '../linking.ts';
import { whyNoText } from '../operation/request.ts';
import type { OperationSpot } from '../operation/spot.ts';
import type { TextsDeclared } from '../schema/json-schema.ts';
import type { ServiceDeclared } from '../schema/service.ts';
import { isSecretName, isWrittenOut } from '../value/address.ts';
import { literalOf, namesValues, parseConfigText } from '../value/config-text.ts';

/** An entry of `values:`. */
interface SaidValue {
  readonly text: ConfigText;
  readonly at: Place;
  readonly key: Place;
}

/** The entries of `values:` by field name. Those of the operation override those of the service. */
export type SaidValues = ReadonlyMap<string, SaidValue>;

/** Reads `values:`, whose texts are configuration: they can't refer to values of the call. */
export function linkValues({ report, places }: Linking, spot: OperationSpot): SaidValues {
  const said = new Map<string, SaidValue>();
  for (const container of [spot.above('values'), spot.declared.values]) {
    for (const [name, source] of Object.entries<string>(container ?? {})) {
      const at = places.value(container as TextsDeclared, name);
      const { text } = parseConfigText(source);
      if (isSecretName(name) && isWrittenOut(text)) {
        const instead = 'Write ${secret:NAME} instead.';
        report.raise('secret-in-clear', { what: `The value ${name}`, instead }, at);
      } else if (namesValues(source)) {
        report.raise(
          'bad-call-value',
          { name, reason: "is configuration, so it can't contain a call value in {...}" },
          at,
        );
      }
      said.set(name, { text, at, key: places.key(container as TextsDeclared, name) });
    }
  }
  return said;
}

/** The field for a value whose name is not in any document. */
export function fieldOf(name: string, { text, key }: SaidValue): Field {
  return madeField(name, { kind: 'text' }, positionOf(key), { sensitive: isSecretText(text) });
}

/** Whether a text refers to a secret. */
export function isSecretText({ parts }: ConfigText): boolean {
  return parts.some(({ kind }) => kind === 'secret');
}

/** Checks a value against the field that it fills. */
export function checkValue({ report }: Linking, field: Field, { text, at }: SaidValue): void {
  const { name, type } = field;
  const noText = type.kind === 'list' ? 'it is a list' : whyNoText({ type });
  if (noText !== undefined) {
    report.raise('bad-call-value', { name, reason: `fills the field ${name}, but ${noText}` }, at);
    return;
  }
  if (field.fixed !== undefined) {
    report.raise('bad-call-value', { name, reason: `fills the field ${name}, which has a fixed value` }, at);
    return;
  }
  const literal = literalOf(text);
  if (literal === undefined) return;
  if (field.sensitive) {
    const instead = 'Write ${secret:NAME} instead.';
    report.raise('secret-in-clear', { what: `The value ${name}`, instead }, at);
    return;
  }
  const fitted = fitValue({ value: readLiteral(literal, type), written: literal }, type as ScalarType);
  if (!fitted.fits) report.raise('value-does-not-fit', { option: 'value', value: literal, reason: fitted.reason }, at);
}

/** A text as YAML reads it without quotes, for number and boolean types. */
function readLiteral(text: string, type: FieldType): string | number | boolean {
  const primitive = primitiveOf(type);
  if (primitive === 'integer' && /^-?\d+$/.test(text)) return Number(text);
  return primitive === 'boolean' && /^(?:true|false)$/.test(text) ? text === 'true' : text;
}

/** Refuses values of an operation that it does not use. */
export function checkOwnValues(
  linking: Linking,
  { id, declared }: OperationSpot,
  { filled, input }: RestConsumer,
): void {
  const known = input.fields.map(({ name }) => name).filter((name) => declared.values?.[name] === undefined);
  raiseUnused(linking, declared.values, (name) => filled.has(name), id, known);
}

/** Refuses values of a service that none of its consumers uses. */
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
