import type { Document } from '../model/document.ts';
import { type Field, singleType } from '../model/field.ts';
import { defineKind } from './kind.ts';

export const document = defineKind({
  members: {
    documents: {
      word: 'document',
      hint: ({ fields }) => namesOf(fields),
      pages: {
        title: 'Documents',
        path: 'documents',
        // Those in place are part of the operation or field that declares them.
        has: ({ inPlace }) => !inPlace,
        about: ({ fields }) => [namesOf(fields)],
        fields: fieldsBelow,
      },
    },
  },
});

/** The fields of a document and of those that are declared inside it. */
export function fieldsBelow({ fields }: Document): Field[] {
  return fields.flatMap((field) => {
    const type = singleType(field.type);
    return type.kind === 'document' && type.document.inPlace ? [field, ...fieldsBelow(type.document)] : [field];
  });
}

/** The names of fields, in a line. */
export const namesOf = (fields: readonly Field[]): string => fields.map(({ name }) => name).join(', ');
