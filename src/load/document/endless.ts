import type { Document } from '../../model/document.ts';
import type { Field } from '../../model/field.ts';
import { placeOf } from '../diagnostic/diagnostic.ts';
import type { Linking } from '../linking.ts';

/**
 * The fields in each of which, or in one of which for a choice, a document contains another: its own, and those of documents
 * that may stand in its place.
 */
function containing({ choice, fields, kinds }: Document): (Field & { readonly type: { readonly kind: 'document' } })[] {
  const isContaining = (field: Field): field is Field & { readonly type: { readonly kind: 'document' } } =>
    field.type.kind === 'document' && (field.required || choice !== undefined);
  return [fields, ...(kinds?.derived ?? []).map((each) => each.fields)].flat().filter(isContaining);
}

/** The documents that have a finite value: in each required field, or in one branch of a choice. */
function finite(documents: Iterable<Document>): Set<Document> {
  const found = new Set<Document>();
  const users = new Map<Document, Document[]>();
  const open = [...documents];
  for (const document of open) {
    const inner = containing(document).map(({ type }) => type.document);
    for (const each of [...inner, ...(document.kinds?.derived ?? [])]) {
      const known = users.get(each);
      if (known === undefined) users.set(each, [document]);
      else known.push(document);
    }
  }
  const mayEnd = ({ type }: Field): boolean => type.kind !== 'document' || found.has(type.document);
  const ends = ({ choice, fields, abstract, kinds }: Document): boolean => {
    if (choice !== undefined) return fields.some(mayEnd);
    const isItself = !abstract && fields.every((each) => !each.required || mayEnd(each));
    return isItself || kinds?.derived.some((each) => found.has(each)) === true;
  };
  // Each is looked at again when one that it contains was found.
  for (const document of open) {
    if (found.has(document) || !ends(document)) continue;
    found.add(document);
    for (const user of users.get(document) ?? []) open.push(user);
  }
  return found;
}

/** A document on the way from one document to those that it contains. */
interface Containing {
  readonly document: Document;
  readonly fields: ReturnType<typeof containing>;
  /** The field that leads to the next one. */
  at: number;
}

/** Refuses documents with no finite value: each contains another in a required field, or in each branch of a choice. */
export function checkEndless({ report }: Linking, documents: ReadonlyMap<string, Document>): void {
  const safe = finite(documents.values());
  const path: Containing[] = [];
  const positions = new Map<Document, number>();
  const enter = (document: Document): void => {
    if (safe.has(document)) return;
    const start = positions.get(document);
    if (start !== undefined) {
      const steps = path.slice(start).map(({ document: { id }, fields, at }) => `${id}.${fields[at]?.name}`);
      const [first] = path.slice(start);
      const place = first?.fields[first.at]?.at ?? document.at;
      report.raise('endless-document', { document: document.id, path: steps.join(' > ') }, placeOf(place));
      return;
    }
    const fields = containing(document);
    positions.set(document, path.length);
    path.push({ document, fields: document.choice === undefined ? fields : fields.slice(0, 1), at: -1 });
  };
  // Documents of an imported contract contain one another thousands of levels deep: too many for calls of a function.
  for (const document of documents.values()) {
    enter(document);
    for (let last = path.at(-1); last !== undefined; last = path.at(-1)) {
      last.at++;
      const field = last.fields[last.at];
      if (field !== undefined) enter(field.type.document);
      else {
        safe.add(last.document);
        positions.delete(last.document);
        path.pop();
      }
    }
  }
}
