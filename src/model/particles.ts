import { needsOrder } from './attribution.ts';
import type { Document } from './document.ts';
import { type Field, type FieldType, singleType } from './field.ts';
import { traitsOf } from './scalar.ts';

// The content of elements as a model of particles (XML Schema 1.0 Part 1, section 3.8): the elements of a document, with those
// of the documents that stand in it without an element of their own.

/** A field with an element of its own, and the document that declares it. */
interface OwnElement {
  readonly field: Field;
  readonly document: Document;
}

/** The document that a field has without an element around it; `undefined` for other fields. */
export function inlineDocument({ inline, type }: Field): Document | undefined {
  const single = singleType(type);
  return inline && single.kind === 'document' ? single.document : undefined;
}

/** The elements that a document may hold, in their order, with those of documents that are inline in it. */
export function elementsIn(document: Document, outer: readonly Document[] = []): readonly OwnElement[] {
  const around = [...outer, document];
  return document.fields.flatMap((field) => {
    const inner = inlineDocument(field);
    if (inner !== undefined) return around.includes(inner) ? [] : elementsIn(inner, around);
    return field.attribute || field.content || field.any !== undefined ? [] : { field, document };
  });
}

/** Whether the order of elements decides which field of a document they belong to. @param around namespace of the document */
export function orderDecides({ fields }: Document, around: string): boolean {
  return needsOrder(
    fields
      .filter(({ attribute, content }) => !attribute && !content)
      .map((field) => {
        const { xmlName: name, namespace = around, any } = field;
        return { name, namespace, any, inline: inlineDocument(field) };
      }),
  );
}

/** Whether a valid document may have no element of a field. */
export function mayBeWithoutElements(field: Field): boolean {
  if (!field.required || field.absent === 'blank') return true;
  const isFlat = field.type.kind === 'list' && field.type.flat;
  if (isFlat && (field.minimum ?? 0) === 0) return true;
  const inner = inlineDocument(field);
  return inner !== undefined && mayBeEmpty(inner);
}

function mayBeEmpty({ choice, fields }: Document): boolean {
  if (choice === undefined) return fields.every(mayBeWithoutElements);
  // One branch of a choice is there.
  return fields.some((field) => mayBeWithoutElements({ ...field, required: true }));
}

/** Whether an empty element or attribute is a value of a field, whose values have a type. */
export function takesEmpty(field: Field, type: FieldType): boolean {
  if (traitsOf(type)?.xml.empty !== true) return false;
  const free = field.enum === undefined && field.patterns === undefined && field.fixed === undefined;
  return free && !(field.minimum !== undefined && field.minimum > 0);
}
