import type { OriginalElement } from '../../model/original-shape.ts';

/** The namespace of a message, or of a part of one. */
export function namespaceOf(name: string, version: number): string {
  return `http://xmlns.oracle.com/Enterprise/Tools/schemas/${name}.VERSION_${version}`;
}

/** An element that holds the text of a field. @param given the field without which it is left out */
export function leaf(name: string, field: string, given?: string): OriginalElement {
  return { name, field, ...(given === undefined ? {} : { given }) };
}

/** Such elements in their order, by their names; each stands there whatever its field holds. */
export function leaves(fields: Readonly<Record<string, string>>): OriginalElement[] {
  return Object.entries(fields).map(([name, field]) => leaf(name, field));
}
