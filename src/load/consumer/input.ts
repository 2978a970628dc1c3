import type { CallPart, CallText } from '../../model/consumer.ts';
import type { Document } from '../../model/document.ts';
import type { Field } from '../../model/field.ts';
import { primitiveOf } from '../../model/scalar.ts';
import type { OperationUri } from '../../model/service.ts';
import { type Place, placeOf } from '../diagnostic/diagnostic.ts';
import { hasOwnValue } from '../document/field.ts';
import type { Linking } from '../linking.ts';
import { given } from '../object.ts';
import { type InputFields, inputFields, whyNoText, whyOnlyWhole } from '../operation/request.ts';
import {
  BRACES,
  isMade,
  namesValues,
  parseConfigText,
  raiseBadReference,
  usesIn,
  VALUE_NAME,
} from '../value/config-text.ts';
import { checkValue, fieldOf, isSecretText, type SaidValues } from './values.ts';

/** All fields that a call may use. */
export interface CallFields extends InputFields {
  /** The contents of `values:`. */
  readonly values: SaidValues;
  /** Source texts of defaults that refer to other fields or configuration, by field name. */
  readonly madeOf: ReadonlyMap<string, string>;
}

/**
 * The fields that the templates and texts of a consumer may refer to: those of its documents and of `values:`, and the body
 * when there is no document.
 */
export function callFields(
  linking: Linking,
  documents: readonly (Document | undefined)[],
  content: readonly Field[],
  values: SaidValues,
): CallFields {
  const declared = inputFields(linking, documents);
  const all = new Map([...content.map((field) => [field.name, field] as const), ...declared.byName]);
  for (const [name, said] of values) if (!all.has(name)) all.set(name, fieldOf(name, said));
  const madeOf = new Map<string, string>();
  const byName = new Map<string, Field>();
  for (const [name, field] of all) {
    const said = values.get(name);
    const made = typeof field.default === 'string' && isMade(field.default) ? field.default : undefined;
    if (made !== undefined) linking.misfits.delete(field.at);
    if (made !== undefined && said === undefined) madeOf.set(name, made);
    const text = said?.text ?? (made === undefined ? undefined : parseConfigText(made).text);
    const sensitive = field.sensitive || (text !== undefined && isSecretText(text));
    byName.set(name, text === undefined ? field : { ...withoutDefault(field), sensitive });
  }
  return { ...declared, byName, values, madeOf };
}

function withoutDefault({ default: _, ...field }: Field): Field {
  return field;
}

/** The fields that the request of a call uses. */
export interface Usage {
  /** Names of fields in a header or a form field, or of the field that is the body. */
  readonly named: ReadonlySet<string>;
  /** Those without which no call is sent. */
  readonly always: ReadonlySet<string>;
  readonly uris: readonly OperationUri[];
}

/** The texts that fill fields which the caller leaves out, by field name, for the fields that a call uses. */
export function linkFilled(
  linking: Linking,
  fields: CallFields,
  { named: inTexts, uris }: Usage,
): Map<string, CallText> {
  const filled = new Map<string, CallText>();
  const done = new Set<string>();
  const visit = (name: string, path: readonly string[]): void => {
    const field = fields.byName.get(name);
    if (field === undefined) return;
    if (path.includes(name)) {
      const round = [...path.slice(path.indexOf(name)), name].join(' > ');
      linking.report.raise('circular-default', { field: name, path: round }, placeOf(field.at));
    }
    if (done.has(name)) return;
    done.add(name);
    const said = fields.values.get(name);
    const made = fields.madeOf.get(name);
    if (said !== undefined) {
      checkValue(linking, field, said);
      filled.set(name, said.text);
    } else if (made !== undefined) {
      const text = linkCallText(linking, made, fields, () => placeOf(field.at));
      const use = { kind: 'document', id: name, by: `default of the field ${name}`, at: placeOf(field.at) } as const;
      linking.uses.push(...usesIn(parseConfigText(made).text, use));
      filled.set(name, text);
      for (const other of valueNames([text])) visit(other, [...path, name]);
    }
  };
  const named = uris.flatMap(({ variables, body }) => [...variables.map((each) => each.field), ...body]);
  for (const name of [...inTexts, ...named.map((field) => field.name)]) visit(name, []);
  return filled;
}

/** The fields whose values the texts contain. */
export function valueNames(texts: readonly CallText[]): string[] {
  const parts = texts.flatMap((text) => text.parts);
  return parts.flatMap((part) => (part.kind === 'value' ? [part.field.name] : []));
}

/** The fields whose complete values the texts contain, as opposed to the name or length of binary content. */
export function carriedNames(texts: readonly CallText[]): ReadonlySet<string> {
  const parts = texts.flatMap((text) => text.parts);
  return new Set(parts.flatMap((part) => (part.kind === 'value' && part.of === undefined ? [part.field.name] : [])));
}

/** The fields that a call uses, in order. A field is required when every URI needs it and nothing else fills it. */
export function inputOf(
  fields: CallFields,
  filled: ReadonlyMap<string, CallText>,
  { named, always, uris }: Usage,
): Field[] {
  const used = new Set([...named, ...valueNames([...filled.values()])]);
  for (const { variables, body } of uris)
    for (const { name } of [...variables.map((each) => each.field), ...body]) used.add(name);
  const needs = ({ name, required }: Field, { variables, body }: OperationUri): boolean => {
    const mine = variables.filter(({ field }) => field.name === name);
    return (
      mine.some((variable) => variable.required) ||
      (required && (mine.length > 0 || body.some((each) => each.name === name)))
    );
  };
  return [...fields.byName.values()].flatMap((field) => {
    if (!used.has(field.name)) return [];
    const given = filled.has(field.name) || hasOwnValue(field);
    const required = !given && (always.has(field.name) || uris.every((uri) => needs(field, uri)));
    return { ...field, required };
  });
}

/** The facts about binary content that a text may contain. */
const FACTS = ['name', 'contentType', 'length'] as const;

/**
 * Links a text that is built for each call. References to unknown values are reported.
 * @param at the place of a range of the text
 */
export function linkCallText(
  linking: Linking,
  source: string,
  input: InputFields,
  at: (offset: number, length: number) => Place,
): CallText {
  const parts: CallPart[] = [];
  let end = 0;
  for (const match of source.matchAll(BRACES)) {
    const [written, inner] = match;
    const place = at(match.index, written.length);
    const part = inner === undefined ? linkReference(linking, written, place) : linkValue(linking, inner, input, place);
    if (part === undefined) continue;
    if (match.index > end) parts.push({ kind: 'literal', text: source.slice(end, match.index) });
    parts.push(part);
    end = match.index + written.length;
  }
  if (end < source.length) parts.push({ kind: 'literal', text: source.slice(end) });
  return { source, parts };
}

/** Whether a text is completely literal, counting the defaults of references. */
export function isClearText({ source, parts }: CallText): boolean {
  if (namesValues(source)) return false;
  return parts.every((part) => part.kind === 'literal' || (part.kind === 'env' && part.default !== undefined));
}

/** A `${...}`; `undefined` when it is not valid. References inside defaults are checked only here. */
function linkReference({ report }: Linking, written: string, at: Place): CallPart | undefined {
  const { text, bad } = parseConfigText(written);
  for (const each of bad) raiseBadReference(report, each, at);
  return text.parts[0];
}

/** `FIELD`, `FILE_FIELD.name`; `undefined` when the braces are plain text. */
function linkValue({ report }: Linking, inner: string, input: InputFields, at: Place): CallPart | undefined {
  const whole = input.byName.get(inner);
  if (whole !== undefined) {
    const reason = whyNoSingleText(whole) ?? whyOnlyWhole(input, whole);
    if (reason !== undefined) report.raise('variable-type', { variable: inner, reason }, at);
    return { kind: 'value', field: whole };
  }
  const dot = inner.lastIndexOf('.');
  const of = FACTS.find((each) => each === inner.slice(dot + 1));
  const field = dot < 0 ? undefined : input.byName.get(inner.slice(0, dot));
  if (field !== undefined && of !== undefined) {
    const reason = 'only binary content has a name, a content type and a length';
    if (primitiveOf(field.type) !== 'binary') report.raise('variable-type', { variable: inner, reason }, at);
    return { kind: 'value', field, of };
  }
  if (VALUE_NAME.test(inner) && input.complete)
    report.raise(
      'unknown-value',
      { name: inner, known: [...input.byName.values()].flatMap(namesOf), ...given({ of: input.of }) },
      at,
    );
  return undefined;
}

/** The names by which texts may refer to a field. */
function namesOf({ name, type }: Field): readonly string[] {
  if (primitiveOf(type) === 'binary') return FACTS.map((fact) => `${name}.${fact}`);
  return primitiveOf(type) === undefined ? [] : [name];
}

function whyNoSingleText({ name, type, nullable = false }: Field): string | undefined {
  if (type.kind === 'list') return 'it is a list, but a text contains single values';
  if (primitiveOf(type) === 'binary') return `it is binary content; use {${name}.${FACTS.join(`}, {${name}.`)}}`;
  return whyNoText({ type, nullable });
}
