import type { Document } from '../model/document.ts';
import type { FieldType } from '../model/field.ts';
import type { Attachment, DocumentValue, Value } from '../model/value.ts';
import { readAttachment } from './binary.ts';
import { within } from './error.ts';
import { setMember } from './names.ts';
import { holdsKind } from './search.ts';

/** Brings the streams of a document's binary fields into memory, so that it can be written with base64 in their place. */
export type Inline = (value: DocumentValue, limit: number) => Promise<DocumentValue>;

/**
 * Compiles that for a document; undefined where it holds no binary field, so that nobody waits for nothing.
 * The limit, in bytes, is each attachment's.
 */
export function compileInline(document: Document): Inline | undefined {
  if (!holdsKind(document, 'binary')) return undefined;
  const fields = document.fields.filter(({ type }) => holds(type));
  return async (value, limit) => {
    const inlined: Record<string, unknown> = { ...value };
    for (const { name, type } of fields) {
      const given = value[name];
      if (given === undefined || given === null) continue;
      try {
        setMember(inlined, name, await inline(given, type, limit));
      } catch (error) {
        throw within(error, name);
      }
    }
    return inlined as DocumentValue;
  };
}

function holds(type: FieldType): boolean {
  if (type.kind === 'list') return holds(type.item);
  return type.kind === 'document' ? holdsKind(type.document, 'binary') : type.kind === 'binary';
}

async function inline(value: Value, type: FieldType, limit: number): Promise<Value> {
  if (type.kind === 'binary') return readAttachment(value as Attachment, limit);
  if (type.kind === 'document') return (compileInline(type.document) as Inline)(value as DocumentValue, limit);
  if (type.kind !== 'list' || !Array.isArray(value)) return value;
  const entries: Value[] = [];
  for (const entry of value as readonly Value[]) entries.push(await inline(entry, type.item, limit));
  return entries;
}
