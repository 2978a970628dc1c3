import type { Document } from '../../model/document.ts';
import type { FieldType, ScalarKind } from '../../model/field.ts';

const TEXTUAL: ReadonlySet<ScalarKind> = new Set([
  'string',
  'text',
  'date',
  'time',
  'datetime',
  'flag',
  'decimal',
  'xml',
]);

/** Whether a type is that of texts without a form of their own. */
export function isText({ kind }: FieldType): boolean {
  return kind === 'string' || kind === 'text';
}

/** Whether values of a single type can stand in a field: the same type, or a text where any text may be. */
export function fitsSingle(from: FieldType, to: FieldType): boolean {
  if (from.kind === to.kind) return from.kind !== 'list' && from.kind !== 'document';
  if (isText(to)) return TEXTUAL.has(from.kind as ScalarKind);
  if (isText(from)) return to.kind === 'date' || to.kind === 'time' || to.kind === 'flag';
  return to.kind === 'decimal' && from.kind === 'integer';
}

/**
 * Whether values of one field can fill another, in a call or in its reply: documents and lists as they are, and a text takes
 * any single value that has a form in a text.
 */
export function fills(from: FieldType, to: FieldType): boolean {
  return (isText(to) && (from.kind === 'integer' || from.kind === 'boolean')) || compare(from, to, new Map());
}

/** `compared`: pairs of documents that are being looked at, since documents may hold themselves. */
function compare(from: FieldType, to: FieldType, compared: Map<Document, Set<Document>>): boolean {
  if (from.kind === 'list') return to.kind === 'list' && compare(from.item, to.item, compared);
  if (from.kind === 'document') return to.kind === 'document' && embeds(from.document, to.document, compared);
  return fitsSingle(from, to);
}

/**
 * Whether a document's values are those of another too: an inner document is handed over as it is, so that the other must
 * have each of its fields, and require no other.
 */
function embeds(from: Document, to: Document, compared: Map<Document, Set<Document>>): boolean {
  const known = compared.get(from) ?? new Set();
  if (from === to || known.has(to)) return true;
  compared.set(from, known.add(to));
  if (from.open && !to.open) return false;
  const targets = new Map(to.fields.map((field) => [field.name, field]));
  const sources = new Set(from.fields.map((field) => field.name));
  const held = from.fields.every((field) => {
    const target = targets.get(field.name);
    return target === undefined ? to.open : compare(field.type, target.type, compared);
  });
  return held && to.fields.every(({ name, required, fixed }) => !required || fixed !== undefined || sources.has(name));
}
