import type { Document } from '../../model/document.ts';
import { FiniteDocuments } from '../../model/endless.ts';
import type { Field } from '../../model/field.ts';
import { placeOf } from '../diagnostic/diagnostic.ts';
import type { Linking } from '../linking.ts';

type Containing = Field & { readonly type: { readonly kind: 'document' } };

/** Whether a value of a field contains one of a document: it may be null otherwise. */
function isContaining(field: Field): field is Containing {
  return field.type.kind === 'document' && !field.nullable;
}

/**
 * The fields in each of which, or in one of which for a choice, a document contains another: its own, and those of documents
 * that may stand in its place.
 */
function containing({ choice, fields, kinds }: Document): Containing[] {
  return [fields, ...(kinds?.derived ?? []).map((each) => each.fields)]
    .flat()
    .filter(isContaining)
    .filter(({ required }) => required || choice !== undefined);
}

function waysOf({ choice, fields, abstract, kinds }: Document): Document[][] {
  const inner = (field: Field): Document[] => (isContaining(field) ? [field.type.document] : []);
  if (choice !== undefined) return fields.map(inner);
  const itself = abstract ? [] : [fields.filter(({ required }) => required).flatMap(inner)];
  return [...itself, ...(kinds?.derived ?? []).map((each) => [each])];
}

/** A document on the way from one document to those that it contains. */
interface Step {
  readonly document: Document;
  readonly fields: readonly Containing[];
  /** The field that leads to the next one. */
  at: number;
}

/** Refuses documents with no finite value: each contains another in a required field, or in each branch of a choice. */
export function checkEndless({ report }: Linking, documents: ReadonlyMap<string, Document>): void {
  const finite = new FiniteDocuments([...documents.values()], waysOf);
  const seen = new Set<Document>();
  const path: Step[] = [];
  const positions = new Map<Document, number>();
  const enter = (document: Document): void => {
    if (!finite.isEndless(document) || seen.has(document)) return;
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
        seen.add(last.document);
        positions.delete(last.document);
        path.pop();
      }
    }
  }
}
