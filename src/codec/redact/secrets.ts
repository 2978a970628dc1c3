import type { Document } from '../../model/document.ts';
import { type Field, singleType } from '../../model/field.ts';
import type { DocumentValue, Value } from '../../model/value.ts';
import { isAttachment } from '../binary.ts';

/** What is sensitive in a value of a document, as text. */
export type ReadSecrets = (value: Value) => Iterable<string>;

/** Compiles that for fields, at any depth; undefined where none of them is sensitive. */
export function compileSecrets(
  fields: readonly Field[],
  known: Map<Document, ReadSecrets | undefined> = new Map(),
): ReadSecrets | undefined {
  const readers = fields.flatMap((field) => {
    const read = readerOf(field, known);
    return read === undefined ? [] : [{ name: field.name, read }];
  });
  if (readers.length === 0) return undefined;
  return function* (value) {
    if (typeof value !== 'object' || value === null) return;
    for (const { name, read } of readers) if (Object.hasOwn(value, name)) yield* read((value as DocumentValue)[name]);
  };
}

function readerOf({ type, sensitive }: Field, known: Map<Document, ReadSecrets | undefined>): ReadSecrets | undefined {
  if (sensitive) return textsIn;
  const single = singleType(type);
  if (single.kind !== 'document' || !holdsSecrets(single.document)) return undefined;
  const { document } = single;
  return function* (value) {
    // Compiled when it is first met: a document may hold itself.
    if (!known.has(document)) known.set(document, compileSecrets(document.fields, known));
    const read = known.get(document);
    if (read !== undefined) for (const entry of Array.isArray(value) ? value : [value]) yield* read(entry as Value);
  };
}

function holdsSecrets(document: Document, seen: Set<Document> = new Set()): boolean {
  if (seen.has(document)) return false;
  seen.add(document);
  return document.fields.some(({ type, sensitive }) => {
    const single = singleType(type);
    return sensitive || (single.kind === 'document' && holdsSecrets(single.document, seen));
  });
}

/** Single values inside a value, as text. */
export function* textsIn(value: Value): Generator<string> {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') yield String(value);
  else if (typeof value === 'object' && value !== null && !isAttachment(value))
    for (const inner of Object.values(value)) yield* textsIn(inner as Value);
}
