import type { Document } from '../model/document.ts';
import type { FieldType, ScalarKind } from '../model/field.ts';

/** Whether values of a type hold one of a kind, at any depth. */
export function holdsKind(type: FieldType, kind: ScalarKind, seen: Set<Document> = new Set()): boolean {
  if (type.kind === 'list') return holdsKind(type.item, kind, seen);
  if (type.kind !== 'document') return type.kind === kind;
  if (seen.has(type.document)) return false;
  seen.add(type.document);
  return type.document.fields.some((field) => holdsKind(field.type, kind, seen));
}
