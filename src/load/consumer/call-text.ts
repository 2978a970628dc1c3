import type { CallPart, CallText } from '../../model/call-text.ts';
import type { Field } from '../../model/field.ts';
import type { Place } from '../diagnostic/place.ts';
import type { Linking } from '../linking.ts';
import { type InputFields, whyNoText } from '../operation/input.ts';
import { BRACES, NAME, namesValues } from '../value/braces.ts';
import { parseConfigText } from '../value/config-text.ts';
import { raiseBadReference } from '../value/text-check.ts';

/** What a text may hold of binary content. */
const FACTS = ['name', 'contentType', 'length'] as const;

/**
 * Links a text that is made for each call. What it names and nothing gives is reported.
 * @param at the place of a stretch of the text
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

/** Whether all of a text is written in the definitions themselves, defaults of references included. */
export function isClearText({ source, parts }: CallText): boolean {
  if (namesValues(source)) return false;
  return parts.every((part) => part.kind === 'literal' || (part.kind === 'env' && part.default !== undefined));
}

/** A `${...}`; undefined where it is none. Of a default nobody else has looked at it. */
function linkReference({ report }: Linking, written: string, at: Place): CallPart | undefined {
  const { text, bad } = parseConfigText(written);
  for (const each of bad) raiseBadReference(report, each, at);
  return text.parts[0];
}

/** `FIELD`, `FILE_FIELD.name`; undefined where the braces are text. */
function linkValue({ report }: Linking, inner: string, input: InputFields, at: Place): CallPart | undefined {
  const whole = input.byName.get(inner);
  if (whole !== undefined) {
    const reason = whyNoSingleText(whole);
    if (reason !== undefined) report.raise('variable-type', { variable: inner, reason }, at);
    return { kind: 'value', field: whole };
  }
  const dot = inner.lastIndexOf('.');
  const of = FACTS.find((each) => each === inner.slice(dot + 1));
  const field = dot < 0 ? undefined : input.byName.get(inner.slice(0, dot));
  if (field !== undefined && of !== undefined) {
    const reason = 'only binary content has a name, a content type and a length';
    if (field.type.kind !== 'binary') report.raise('variable-type', { variable: inner, reason }, at);
    return { kind: 'value', field, of };
  }
  if (NAME.test(inner) && input.complete)
    report.raise('unknown-value', { name: inner, known: [...input.byName.values()].flatMap(namesOf) }, at);
  return undefined;
}

/** By which names texts may use a field. */
function namesOf({ name, type }: Field): readonly string[] {
  if (type.kind === 'binary') return FACTS.map((fact) => `${name}.${fact}`);
  return type.kind === 'list' || type.kind === 'document' ? [] : [name];
}

function whyNoSingleText({ name, type }: Field): string | undefined {
  if (type.kind === 'list') return 'it is a list, and a text holds one value';
  if (type.kind === 'binary') return `it is binary content, of which {${name}.${FACTS.join(`}, {${name}.`)}} are texts`;
  return whyNoText(type);
}
