import type { Document } from '../../model/document.ts';
import type { Place } from '../diagnostic/place.ts';
import type { Linking } from '../linking.ts';

/** Refuses a fault document that the gateway can't fill by itself: what it requires must be fixed in the document. */
export function checkFault({ report, incomplete }: Linking, document: Document, at: Place): void {
  if (incomplete.has(document)) return;
  const field = unfilled(document, []);
  if (field !== undefined) report.raise('unfillable-fault', { document: document.id, field }, at);
}

/** Path of a required field that has no value of its own; `required` and `default` exclude each other. */
function unfilled(document: Document, outer: readonly Document[]): string | undefined {
  if (outer.includes(document)) return undefined;
  const around = [...outer, document];
  for (const { name, type, required, fixed } of document.fields) {
    if (type.kind === 'document' && hasValues(type.document, around)) {
      const inner = unfilled(type.document, around);
      if (inner !== undefined) return `${name}.${inner}`;
    } else if (required && fixed === undefined) {
      return name;
    }
  }
  return undefined;
}

/** Whether something in a document has a value by itself, so that it is written. */
function hasValues(document: Document, outer: readonly Document[]): boolean {
  if (outer.includes(document)) return false;
  const around = [...outer, document];
  return document.fields.some(({ type, fixed, default: otherwise }) =>
    type.kind === 'document' ? hasValues(type.document, around) : fixed !== undefined || otherwise !== undefined,
  );
}
