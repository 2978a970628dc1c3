import type { Document } from '../model/document.ts';
import type { FieldType } from '../model/field.ts';
import type { DocumentValue, Value } from '../model/value.ts';
import { isAttachment, readAttachment } from './binary.ts';
import { checkDepth } from './depth.ts';
import { within } from './error.ts';
import { isInherited, ownMember, setMember } from './names.ts';
import { holdsKind } from './search.ts';

/** Brings the streams of a document's binary fields into memory, so that it can be written with base64 in their place. */
export type Inline = (value: DocumentValue, limit: number) => Promise<DocumentValue>;

/** The same for any value; one of another type than its own stays as it is, for the writer to refuse. */
type InlineValue = (value: Value, limit: number, depth: number) => Value | Promise<Value>;

/**
 * Compiles that for a document; undefined where it holds no binary field, so that nobody waits for nothing.
 * The limit, in bytes, is each attachment's.
 */
export function compileInline(document: Document): Inline | undefined {
  if (!holdsKind({ kind: 'document', document }, 'binary')) return undefined;
  const inline = documentInline(document, new Map());
  return async (value, limit) => (await inline(value, limit, 1)) as DocumentValue;
}

function documentInline(document: Document, known: Map<Document, InlineValue>): InlineValue {
  const found = known.get(document);
  if (found !== undefined) return found;
  const fields: { readonly name: string; readonly inherited: boolean; readonly inline: InlineValue }[] = [];
  const compiled: InlineValue = async (value, limit, depth) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    checkDepth(depth);
    const source = value as DocumentValue;
    const inlined: Record<string, Value> = { ...source };
    for (const { name, inherited, inline } of fields) {
      const given = ownMember(source, name, inherited) as Value;
      if (given === undefined || given === null) continue;
      try {
        setMember(inlined, name, await inline(given, limit, depth + 1));
      } catch (error) {
        throw within(error, name);
      }
    }
    return inlined;
  };
  // Known before its fields are compiled: a document may hold itself.
  known.set(document, compiled);
  for (const { name, type } of document.fields) {
    if (holdsKind(type, 'binary')) fields.push({ name, inherited: isInherited(name), inline: typeInline(type, known) });
  }
  return compiled;
}

function typeInline(type: FieldType, known: Map<Document, InlineValue>): InlineValue {
  if (type.kind === 'document') return documentInline(type.document, known);
  if (type.kind !== 'list') return (value, limit) => (isAttachment(value) ? readAttachment(value, limit) : value);
  const inline = typeInline(type.item, known);
  return async (value, limit, depth) => {
    if (!Array.isArray(value)) return value;
    const entries: Value[] = [];
    for (const [index, entry] of (value as readonly Value[]).entries()) {
      try {
        entries.push(await inline(entry, limit, depth + 1));
      } catch (error) {
        throw within(error, index);
      }
    }
    return entries;
  };
}
