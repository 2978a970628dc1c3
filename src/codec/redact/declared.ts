import type { ConsumerOperation } from '../../model/consumer.ts';
import { everyField } from '../../model/derivation.ts';
import { contentField, type Document, itemName } from '../../model/document.ts';
import { type Field, type FieldType, MAP_ENTRY, singleType } from '../../model/field.ts';
import { MASK } from '../../model/redactor.ts';
import type { Message } from '../../model/service.ts';
import type { DocumentValue, Value } from '../../model/value.ts';
import { isAttachment } from '../binary.ts';

/** What is sensitive in a value of a document, as text. */
export type ReadSecrets = (value: Value) => Iterable<string>;

export function fieldsOf(message: Message | undefined): readonly Field[] {
  return message?.kind === 'document' ? everyField(message.document) : [];
}

/** Compiles the reading of sensitive values, at any depth; `undefined` when no field is sensitive. */
export function compileSecrets(
  fields: readonly Field[],
  known: Map<Document, ReadSecrets | undefined> = new Map(),
): ReadSecrets | undefined {
  const readers = fields.flatMap((field) => {
    const read = readerOf(field, known);
    return read === undefined ? [] : [{ name: field.name, read }];
  });
  if (readers.length === 0) return undefined;
  return function* (value) {
    if (typeof value !== 'object' || value === null) return;
    for (const { name, read } of readers) if (Object.hasOwn(value, name)) yield* read((value as DocumentValue)[name]);
  };
}

function readerOf({ type, sensitive }: Field, known: Map<Document, ReadSecrets | undefined>): ReadSecrets | undefined {
  if (sensitive) return textsIn;
  const single = singleType(type);
  if (single.kind !== 'document' || !holdsSecrets(single.document)) return undefined;
  const { document } = single;
  return function* (value) {
    // Compiled when it is first met: a document may hold itself.
    if (!known.has(document)) known.set(document, compileSecrets(everyField(document), known));
    const read = known.get(document);
    if (read !== undefined) for (const entry of entriesIn(value, type)) yield* read(entry);
  };
}

/** The values that a value of a type consists of. */
function entriesIn(value: Value, { kind }: FieldType): readonly Value[] {
  if (Array.isArray(value)) return value;
  return kind === 'map' && typeof value === 'object' && value !== null ? (Object.values(value) as Value[]) : [value];
}

function holdsSecrets(document: Document, seen: Set<Document> = new Set()): boolean {
  if (seen.has(document)) return false;
  seen.add(document);
  return everyField(document).some(({ type, sensitive }) => {
    const single = singleType(type);
    return sensitive || (single.kind === 'document' && holdsSecrets(single.document, seen));
  });
}

/** Texts by the names of fields, as they are shown. */
interface MaskedTexts {
  /** Each text of a field that is not sensitive; {@link MASK} in place of all others. */
  readonly shown: Readonly<Record<string, string | null>>;
  /** The texts that are not shown. */
  readonly secrets: readonly string[];
}

/**
 * Masks texts that are kept by the names of fields.
 * @param fields `undefined` when the definition of the texts is unknown: then each may be secret
 */
export function maskTexts(
  fields: readonly Field[] | undefined,
  texts: Readonly<Record<string, string | null>>,
): MaskedTexts {
  const open = new Set(fields?.flatMap(({ name, sensitive }) => (sensitive ? [] : [name])));
  const hidden = Object.entries(texts).filter(([name, text]) => !open.has(name) && text !== null && text !== '');
  const masks = Object.fromEntries(hidden.map(([name]) => [name, MASK]));
  return { shown: { ...texts, ...masks }, secrets: hidden.map(([, text]) => text as string) };
}

/** Single values inside a value, as text. */
export function* textsIn(value: Value): Generator<string> {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') yield String(value);
  else if (typeof value === 'object' && value !== null && !isAttachment(value))
    for (const inner of Object.values(value)) yield* textsIn(inner as Value);
}

const ofReplies = new WeakMap<ConsumerOperation, ReadSecrets>();

/** What is sensitive in the reply of another system. */
export function replySecrets(operation: ConsumerOperation, value: DocumentValue): Iterable<string> {
  const known = ofReplies.get(operation) ?? compileSecrets(replyFields(operation)) ?? (() => []);
  ofReplies.set(operation, known);
  return known(value);
}

/** The fields of the replies of another system. */
export function replyFields(operation: ConsumerOperation): readonly Field[] {
  return operation.kind === 'soap'
    ? fieldsOf(operation.soap.response)
    : operation.responses.flatMap(({ message }) => fieldsOf(message));
}

/** Secrets by their names in OAuth 2.0 (RFC 6749 sections 2.3.1, 5.1 and 6) and OpenID Connect. */
const OAUTH = ['access_token', 'refresh_token', 'id_token', 'client_secret', 'assertion'];

/** Compiles the masking of texts in which the name of a sensitive field is in front of its value, in JSON, XML and forms. */
export function compileNames(
  documents: readonly Pick<Document, 'fields' | 'kinds' | 'xmlName'>[],
): (text: string) => string {
  const names = new Set(OAUTH);
  const seen = new Map<Document, boolean>();
  for (const document of documents) addNames(everyField(document), document.xmlName, false, names, seen);
  const any = [...names].map(escaped).join('|');
  const json = new RegExp(
    `("(?:${any})"\\s*:\\s*)(?:"(?:[^"\\\\]|\\\\.)*"?|\\[[^\\]]*\\]?|\\{[^}]*\\}?|[^\\s,}\\]]+)`,
    'gs',
  );
  const xml = new RegExp(`(<(?:[\\w.-]+:)?(?:${any})(?:\\s[^<>]*)?>)[^<]+`, 'g');
  const form = new RegExp(`((?:^|[&?;\\s])(?:${any})=)[^&;\\s]+`, 'g');
  return (text) => text.replace(json, `$1"${MASK}"`).replace(xml, `$1${MASK}`).replace(form, `$1${MASK}`);
}

/**
 * @param around the element around the fields, whose text may be one of them
 * @param seen documents, and whether they were met inside something secret: what is secret then is more
 */
function addNames(
  fields: readonly Field[],
  around: string,
  isInside: boolean,
  names: Set<string>,
  seen: Map<Document, boolean>,
): void {
  for (const { name, jsonName, xmlName, sensitive, type, content } of fields) {
    const isSecret = isInside || sensitive;
    if (isSecret) for (const each of [name, jsonName, content ? around : xmlName]) names.add(each);
    const single = singleType(type);
    if (single.kind !== 'document') continue;
    const inside = elementOf(type, xmlName);
    if (!isSecret && contentField(single.document)?.sensitive) names.add(inside);
    const before = seen.get(single.document);
    if (before === true || before === isSecret) continue;
    seen.set(single.document, isSecret);
    addNames(everyField(single.document), inside, isSecret, names, seen);
  }
}

/** The element of each value of a field. */
function elementOf(type: FieldType, xmlName: string): string {
  if (type.kind === 'map') return MAP_ENTRY.element;
  return type.kind === 'list' && !type.flat ? itemName(type) : xmlName;
}

function escaped(text: string): string {
  return text.replace(/[^\w]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** How the parts of a value that are not secret by their field are shown. */
export interface ShownParts {
  /** A single value, or content. */
  single(value: unknown): unknown;
  /** Whether there is room for one more part, of so many characters beside its value; `LEFT_OUT` takes the place of the rest. */
  room(characters: number): boolean;
}

/** Compiles the copying of values with {@link MASK} in place of secret fields, at any depth. */
export type ShowMasked = (value: unknown, parts: ShownParts) => unknown;

/** Stands in place of what there is no room for. */
export const LEFT_OUT = '...';

/** Where a name is that of several fields, it is as secret as the most secret of them. */
export function compileMasked(
  fields: readonly Field[],
  isSecret: (field: Field) => boolean = ({ sensitive }) => sensitive,
  known: Map<Document, ShowMasked> = new Map(),
): ShowMasked {
  const byName = new Map<string, ShowMasked>();
  for (const field of fields) {
    if (isSecret(field)) byName.set(field.name, () => MASK);
    else if (!byName.has(field.name)) byName.set(field.name, showType(field.type));
  }
  return (value, parts) =>
    isRecord(value) ? showRecord(value, (name) => byName.get(name), parts) : showAny(value, parts);

  function showType(type: FieldType): ShowMasked {
    if (type.kind === 'list') {
      const item = showType(type.item);
      return (value, parts) => (Array.isArray(value) ? showList(value, item, parts) : showAny(value, parts));
    }
    if (type.kind === 'map') {
      const item = showType(type.item);
      return (value, parts) => (isRecord(value) ? showRecord(value, () => item, parts) : showAny(value, parts));
    }
    if (type.kind !== 'document') return showAny;
    const { document } = type;
    // Compiled when it is first met: a document may hold itself.
    return (value, parts) => {
      const show = known.get(document) ?? compileMasked(everyField(document), isSecret, known);
      known.set(document, show);
      return show(value, parts);
    };
  }
}

/** A value that no field declares. */
function showAny(value: unknown, parts: ShownParts): unknown {
  if (Array.isArray(value)) return showList(value, showAny, parts);
  return isRecord(value) ? showRecord(value, () => undefined, parts) : parts.single(value);
}

function showList(list: readonly unknown[], item: ShowMasked, parts: ShownParts): unknown[] {
  const shown: unknown[] = [];
  for (const each of list) {
    if (!parts.room(1)) {
      shown.push(LEFT_OUT);
      break;
    }
    shown.push(item(each, parts));
  }
  return shown;
}

function showRecord(
  record: Readonly<Record<string, unknown>>,
  memberOf: (name: string) => ShowMasked | undefined,
  parts: ShownParts,
): unknown {
  if (isAttachment(record)) return parts.single(record);
  const shown: [string, unknown][] = [];
  for (const [name, value] of Object.entries(record)) {
    if (!parts.room(name.length + 4)) {
      shown.push([LEFT_OUT, LEFT_OUT]);
      break;
    }
    if (value !== undefined) shown.push([name, (memberOf(name) ?? showAny)(value, parts)]);
  }
  return Object.fromEntries(shown);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
