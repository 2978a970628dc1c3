import { isAttachment } from '../codec/binary.ts';
import { redacted } from '../codec/redact/redact.ts';
import { setMember } from '../codec/value.ts';
import type { ConsumerOperation } from '../model/consumer.ts';
import type { Document } from '../model/document.ts';
import { type FieldType, singleType } from '../model/field.ts';
import { MASK } from '../model/mask.ts';
import type { Message } from '../model/service.ts';
import type { DocumentValue, Value } from '../model/value.ts';

/** A text of a reply without what is secret in it. */
export type Mask = (text: string, secrets: Iterable<string>) => string;

/** Secrets by their names in OAuth 2.0 (RFC 6749 sections 2.3.1, 5.1 and 6) and OpenID Connect. */
const OAUTH = ['access_token', 'refresh_token', 'id_token', 'client_secret', 'assertion'];

/**
 * Compiles the masking of what a target says, for errors: values of the request that are secret, wherever they stand and
 * however they are encoded, and in JSON, XML and forms what bears the name of a sensitive field.
 */
export function compileMask(operation: ConsumerOperation): Mask {
  const names = new Set(OAUTH);
  const seen = new Map<Document, boolean>();
  for (const document of documentsOf(operation)) addNames(document, false, names, seen);
  const any = [...names].map(escaped).join('|');
  const json = new RegExp(
    `("(?:${any})"\\s*:\\s*)(?:"(?:[^"\\\\]|\\\\.)*"?|\\[[^\\]]*\\]?|\\{[^}]*\\}?|[^\\s,}\\]]+)`,
    'gs',
  );
  const xml = new RegExp(`(<(?:[\\w.-]+:)?(?:${any})(?:\\s[^<>]*)?>)[^<]+`, 'g');
  const form = new RegExp(`((?:^|[&?;\\s])(?:${any})=)[^&;\\s]+`, 'g');
  return (text, secrets) =>
    redacted(text, secrets).replace(json, `$1"${MASK}"`).replace(xml, `$1${MASK}`).replace(form, `$1${MASK}`);
}

/** A value of a document without what is secret in it: its sensitive fields, and secrets that it repeats. */
export function maskedDocument(
  document: Document | undefined,
  value: DocumentValue,
  secrets: readonly string[],
): DocumentValue {
  const declared = new Map(document?.fields.map((field) => [field.name, field]));
  const copy: Record<string, Value> = {};
  for (const [name, member] of Object.entries(value)) {
    const field = declared.get(name);
    setMember(copy, name, field?.sensitive === true ? MASK : maskedValue(field?.type, member, secrets));
  }
  return copy;
}

function maskedValue(type: FieldType | undefined, value: Value, secrets: readonly string[]): Value {
  if (typeof value === 'string') return redacted(value, secrets);
  if (typeof value === 'number' || typeof value === 'bigint') return secrets.includes(String(value)) ? MASK : value;
  if (typeof value !== 'object' || value === null || isAttachment(value)) return value;
  if (Array.isArray(value)) {
    const item = type?.kind === 'list' ? type.item : undefined;
    return value.map((entry: Value) => maskedValue(item, entry, secrets));
  }
  return maskedDocument(type?.kind === 'document' ? type.document : undefined, value as DocumentValue, secrets);
}

function documentsOf(operation: ConsumerOperation): readonly Document[] {
  const { fault } = operation;
  const messages: readonly Message[] =
    operation.kind === 'soap'
      ? [operation.soap.request, operation.soap.response]
      : [{ kind: 'document', document: operation.input }, ...operation.responses.map(({ message }) => message)];
  const documents = messages.flatMap((message) => (message.kind === 'document' ? [message.document] : []));
  return fault === undefined ? documents : [...documents, fault];
}

/** @param seen documents, and whether they were met inside something secret: what is secret then is more */
function addNames({ fields }: Document, isInside: boolean, names: Set<string>, seen: Map<Document, boolean>): void {
  for (const { name, jsonName, xmlName, sensitive, type } of fields) {
    const isSecret = isInside || sensitive;
    if (isSecret) for (const each of [name, jsonName, xmlName]) names.add(each);
    const single = singleType(type);
    if (single.kind !== 'document') continue;
    const before = seen.get(single.document);
    if (before === true || before === isSecret) continue;
    seen.set(single.document, isSecret);
    addNames(single.document, isSecret, names, seen);
  }
}

function escaped(text: string): string {
  return text.replace(/[^\w]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
