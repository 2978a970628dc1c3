import { readJsonText } from '../../codec/index.ts';
import { textsIn } from '../../codec/redact/declared.ts';
import { everyField } from '../../model/derivation.ts';
import { bareField, type Document } from '../../model/document.ts';
import type { Field, FieldType } from '../../model/field.ts';
import { MASK, type Redactor } from '../../model/redactor.ts';
import { primitiveOf } from '../../model/scalar.ts';
import type { Message } from '../../model/service.ts';
import type { JsonValue, Value } from '../../model/value.ts';

/** The payload of a message as people may see it. */
export interface ShownPayload {
  /** JSON with the names of the document in JSON, and {@link MASK} in place of what is secret. */
  readonly value: JsonValue;
  /** Secret values, which reasons of failed attempts may repeat. */
  readonly secrets: readonly string[];
}

type Members = { readonly [name: string]: JsonValue };

/**
 * Masks a payload by its document. A member that the document does not declare is masked too, unless the document is open: it
 * is one of other definitions, where it may have been sensitive.
 * @param message what the payload is; `undefined` when its operation is not defined any more: then all values are masked
 */
export function showPayload(message: Message | undefined, text: string, redactor: Redactor): ShownPayload {
  const secrets: string[] = [];
  const hide = (value: JsonValue): JsonValue => {
    secrets.push(...textsIn(value as Value));
    return MASK;
  };
  const value = message?.kind === 'none' ? {} : shown(readJsonText(text, 'pass'));
  return { value: redactor.value(value) as JsonValue, secrets };

  function shown(raw: JsonValue): JsonValue {
    if (message === undefined) return hideAll(raw, hide);
    // A message without a document is as secret as nothing says.
    if (message.kind !== 'document') return raw;
    return showRoot(message.document, raw, hide);
  }
}

/** Masks all single values. */
function hideAll(raw: JsonValue, hide: (value: JsonValue) => JsonValue): JsonValue {
  if (Array.isArray(raw)) return raw.map((each: JsonValue) => hideAll(each, hide));
  if (!isRecord(raw)) return hide(raw);
  return Object.fromEntries(Object.entries(raw).map(([name, each]) => [name, hideAll(each, hide)]));
}

type Hide = (value: JsonValue) => JsonValue;

function showRoot(document: Document, raw: JsonValue, hide: Hide): JsonValue {
  const whole = bareField(document);
  if (whole !== undefined) return showField(whole, raw, hide);
  if (document.root && isRecord(raw) && Object.keys(raw).length === 1 && Object.hasOwn(raw, document.id))
    return { [document.id]: showDocument(document, raw[document.id] as JsonValue, hide) };
  return showDocument(document, raw, hide);
}

function showDocument(document: Document, raw: JsonValue, hide: Hide): JsonValue {
  if (!isRecord(raw)) return hide(raw);
  const fields = membersOf(document);
  const entries = Object.entries(raw).map(([name, value]): [string, JsonValue] => {
    const named = fields.filter(({ jsonName }) => jsonName === name);
    const field = named.find(({ sensitive }) => sensitive) ?? named[0];
    if (field !== undefined) return [name, showField(field, value, hide)];
    return [name, document.open || name === document.choice?.tag ? value : hideAll(value, hide)];
  });
  return Object.fromEntries(entries);
}

/** The fields whose values are members of the object: of a choice without names, those of its branches, which are that object. */
function membersOf(document: Document): readonly Field[] {
  const { choice, fields } = document;
  if (choice === undefined || choice.named) return everyField(document);
  return fields.flatMap(({ type, sensitive }) => {
    const inner = type.kind === 'document' ? membersOf(type.document) : [];
    return sensitive ? inner.map((field) => ({ ...field, sensitive })) : inner;
  });
}

function showField({ sensitive, type }: Field, raw: JsonValue, hide: Hide): JsonValue {
  if (sensitive) return raw === null ? null : hide(raw);
  return showType(type, raw, hide);
}

function showType(type: FieldType, raw: JsonValue, hide: Hide): JsonValue {
  if (type.kind === 'list')
    return Array.isArray(raw) ? raw.map((each: JsonValue) => showType(type.item, each, hide)) : hide(raw);
  if (type.kind === 'map') {
    if (!isRecord(raw)) return hide(raw);
    return Object.fromEntries(Object.entries(raw).map(([name, each]) => [name, showType(type.item, each, hide)]));
  }
  if (type.kind === 'document') return showDocument(type.document, raw, hide);
  return primitiveOf(type) === 'binary' && typeof raw === 'string' ? describedIn(raw) : raw;
}

/** What is known of an attachment, whose bytes are not part of the payload. */
function describedIn(raw: string): JsonValue {
  return readJsonText(Buffer.from(raw, 'base64').toString(), 'pass');
}

export function isRecord(value: JsonValue | undefined): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
