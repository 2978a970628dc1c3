import type { Document } from '../../model/document.ts';
import { type Field, type FieldType, isCollection, singleType } from '../../model/field.ts';

/**
 * A document as a reply of another system has it: the only value of a required field has to be sent, and is not filled in. A
 * call sends such a value by itself, since nobody could send another one; a reply without it is not what its contract promises.
 */
export function asReceived(document: Document): Document {
  return isSettled(document, new Set()) ? document : received(document, new Map());
}

const isDue = ({ required, fixed }: Field): boolean => required && fixed !== undefined;

/** Whether no field in a document, at any depth, has a value that is due. */
function isSettled(document: Document, seen: Set<Document>): boolean {
  if (seen.has(document)) return true;
  seen.add(document);
  return [document, ...(document.kinds?.derived ?? [])].every((each) =>
    each.fields.every((field) => {
      const type = singleType(field.type);
      return !isDue(field) && (type.kind !== 'document' || isSettled(type.document, seen));
    }),
  );
}

function received(document: Document, known: Map<Document, Document>): Document {
  const found = known.get(document);
  if (found !== undefined) return found;
  const fields: Field[] = [];
  const derived: Document[] = [];
  const copy = { ...document, fields, ...(document.kinds && { kinds: { ...document.kinds, derived } }) };
  // Known before its fields are copied: a document may hold itself.
  known.set(document, copy);
  for (const each of document.kinds?.derived ?? []) derived.push(received(each, known));
  for (const field of document.fields) {
    const { fixed, ...rest } = field;
    const due = isDue(field) && fixed !== undefined ? { ...rest, enum: [fixed] } : field;
    fields.push({ ...due, type: typeReceived(field.type, known) });
  }
  return copy;
}

function typeReceived(type: FieldType, known: Map<Document, Document>): FieldType {
  const single = singleType(type);
  if (single.kind !== 'document') return type;
  const item = { ...single, document: received(single.document, known) };
  return isCollection(type) ? { ...type, item } : item;
}
