import { compileDocument, writeJsonText } from '../../codec/index.ts';
import type { Document } from '../../model/document.ts';
import type { FieldType } from '../../model/field.ts';
import type { Message } from '../../model/service.ts';
import type { DocumentValue, Value } from '../../model/value.ts';
import { size } from '../progress/bar.ts';
import { type Colors, printable } from '../terminal.ts';
import { Kept, type KeptReply } from './keep.ts';

/** A reply as JSON: its document, attachments being objects that say what and where they are. */
export function renderJson({ value, segments }: KeptReply, response: Message): string {
  const text = jsonOf(value, response);
  const beside =
    segments.length === 0
      ? text
      : `{"reply":${text},"segments":${writeJsonText(segments.map((each) => each.toJson()))}}`;
  return `${beside}\n`;
}

function jsonOf(value: DocumentValue, response: Message): string {
  const bare = withoutKept(value) as DocumentValue;
  return response.kind === 'document'
    ? compileDocument(described(response.document), { namespace: '' }).toJson(bare)
    : writeJsonText(bare);
}

/** What is said of attachments as plain values. */
function withoutKept(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Kept) return value.toJson();
  if (Array.isArray(value)) return (value as readonly Value[]).map(withoutKept);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withoutKept(each as Value)]));
}

/** The document with what is said of binary content in its place. */
function described(document: Document, known = new Map<Document, Document>()): Document {
  const found = known.get(document);
  if (found !== undefined) return found;
  const fields: Document['fields'][number][] = [];
  const copy = { ...document, fields };
  // Known before its fields are: a document may hold itself.
  known.set(document, copy);
  for (const field of document.fields) fields.push({ ...field, type: describedType(field.type, known) });
  return copy;
}

function describedType(type: FieldType, known: Map<Document, Document>): FieldType {
  if (type.kind === 'document') return { kind: 'document', document: described(type.document, known) };
  if (type.kind === 'list') return { ...type, item: describedType(type.item, known) as typeof type.item };
  return type.kind === 'binary' ? { kind: 'json' } : type;
}

/** What a reply is written to. */
export interface Paper {
  readonly colours: Colors;
  /** Characters that would drive it are left out. */
  readonly terminal: boolean;
}

/** A reply for people: a line a field, or the text that it is. */
export function renderReply(reply: KeptReply, response: Message, { colours, terminal }: Paper): string {
  const { value, segments } = reply;
  const beside = segments.map((segment, index) => [`segment ${index + 1}`, describe(segment)] as const);
  const isText = response.kind === 'raw' && response.raw !== 'binary';
  if (isText) return textOf(value.content, terminal) + renderFields(beside, colours);
  return renderFields([...fieldsOf(value), ...beside], colours);
}

function textOf(content: Value, terminal: boolean): string {
  const text = typeof content === 'string' ? content : writeJsonText(content);
  const shown = terminal ? text.replace(/[\p{Cc}--[\n\t]]/gv, ' ') : text;
  return shown === '' || shown.endsWith('\n') ? shown : `${shown}\n`;
}

/** Fields by their paths, in their order. */
export function fieldsOf(value: Value, path = ''): [string, string][] {
  if (value === undefined || value === null) return [];
  if (typeof value !== 'object') return [[path, String(value)]];
  if (Array.isArray(value))
    return (value as readonly Value[]).flatMap((each, index) => fieldsOf(each, `${path}[${index}]`));
  if (value instanceof Kept) return [[path, describe(value)]];
  return Object.entries(value).flatMap(([name, each]) =>
    fieldsOf(each as Value, path === '' ? name : `${path}.${name}`),
  );
}

/** `application/pdf, 1.4 MB, in report.pdf`. */
function describe({ contentType, name, length, file }: Kept): string {
  const where = file === undefined ? 'not kept' : `in ${file === '-' ? 'standard output' : file}`;
  const parts = [contentType, name, length === undefined ? undefined : size(length), where];
  return parts.filter((part) => part !== undefined).join(', ');
}

/** A line a field, values one below the other. */
function renderFields(fields: readonly (readonly [name: string, value: string])[], colours: Colors): string {
  const width = Math.max(0, ...fields.map(([name]) => name.length));
  return fields.map(([name, value]) => `${colours.bold(name.padEnd(width))}  ${printable(value)}\n`).join('');
}
