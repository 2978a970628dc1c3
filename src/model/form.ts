import { type Field, singleType } from './field.ts';
import { primitiveOf } from './scalar.ts';

// Messages with a part for each field: multipart/form-data (RFC 7578), and the same as multipart/mixed.

/** Whether a document of this media type, in lower case and without parameters, has a part for each field. */
export function isFormType(essence: string): boolean {
  return essence === 'multipart/form-data' || essence === 'multipart/mixed';
}

/** How a field is a part; of a list, how each of its entries is one. */
type PartKind = 'text' | 'json' | 'file';

/** The kind of a field's parts: content is a file, a single value a text, and all else JSON. */
export function partKind({ type }: Pick<Field, 'type'>): PartKind {
  const single = singleType(type);
  if (type.kind === 'map' || single.kind === 'document') return 'json';
  const primitive = primitiveOf(single);
  if (primitive === 'binary') return 'file';
  return primitive === 'json' ? 'json' : 'text';
}
