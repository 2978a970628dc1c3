import type { Document } from '../model/document.ts';
import type { ScalarKind } from '../model/field.ts';

/** Whether a document holds a value of a kind, at any depth. */
export function holdsKind(document: Document, kind: ScalarKind, seen: Set<Document> = new Set()): boolean {
  if (seen.has(document)) return false;
  seen.add(document);
  return document.fields.some(({ type }) => {
    const single = type.kind === 'list' ? type.item : type;
    return single.kind === 'document' ? holdsKind(single.document, kind, seen) : single.kind === kind;
  });
}
