import type { Document } from '../model/document.ts';
import type { FieldType } from '../model/field.ts';
import { blankOf, traitsOf } from '../model/scalar.ts';
import { compareDecimals, decimalOf, toDecimal } from '../wire/decimal.ts';

/** A JSON value; undefined members are left out when it is written. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

/** Members in the order in which they are written. */
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

/** Indented by two spaces, with a line end. */
export function jsonText(value: Json): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

/** A number with all its digits. */
export function numberJson(text: string): Json {
  // JSON.stringify would round a long one. TypeScript takes the result of rawJSON for an object.
  return isExact(text) ? Number(text) : (JSON.rawJSON(text) as never);
}

/** Whether a JavaScript number has the value of a decimal. */
export function isExact(text: string): boolean {
  const number = Number(text);
  return Number.isFinite(number) && compareDecimals(decimalOf(number), toDecimal(text, true) ?? text) === 0;
}

/** The JSON of a field with `absent: blank` that has no value. The blank of a list is that of one entry. */
export function blankJson(type: FieldType, outer: readonly Document[] = []): Json {
  if (type.kind === 'list') return blankJson(type.item, outer);
  if (type.kind === 'map') return {};
  if (type.kind !== 'document') return blankOf(traitsOf(type));
  const { document } = type;
  if (outer.includes(document) || document.choice !== undefined || document.abstract) return null;
  const inner = [...outer, document];
  return Object.fromEntries(document.fields.map((field) => [field.jsonName, blankJson(field.type, inner)]));
}
