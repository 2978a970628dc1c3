import type { Document } from '../../model/document.ts';
import { type Field, filledByFault, isCollection } from '../../model/field.ts';
import { isAnyText, isNumeric } from '../../model/scalar.ts';
import { longest, matchesPatterns } from '../field.ts';
import { type ExampleDocument, type ExampleValue, emptyExample, exampleField } from './value.ts';

/** The values that fill a fault document. */
interface FaultWords {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

/** A fault document as a fault fills it: optional fields without a default or a fixed value are left out. */
export function exampleFault(document: Document, fault: FaultWords): ExampleDocument {
  return filled(document, fault, [document]);
}

/** @param open the documents around this one: a document inside itself ends there */
function filled(document: Document, fault: FaultWords, open: readonly Document[]): ExampleDocument {
  const values = emptyExample();
  for (const field of document.fields) {
    const value = faultValue(field, fault, open);
    if (value !== undefined) values[field.name] = value;
  }
  return values;
}

function faultValue(field: Field, fault: FaultWords, open: readonly Document[]): ExampleValue | undefined {
  if (field.type.kind === 'document') {
    const { document } = field.type;
    if (open.includes(document) || document.choice !== undefined || document.abstract) return undefined;
    const inner = filled(document, fault, [...open, document]);
    return Object.keys(inner).length === 0 && !field.required ? undefined : inner;
  }
  if (filledByFault(field)) return taken(field, faultText(String(field.default), fault));
  return field.required || field.fixed !== undefined || field.default !== undefined ? exampleField(field) : undefined;
}

function faultText(text: string, { status, code, message }: FaultWords): string {
  const words: Readonly<Record<string, string>> = { message, detail: '', code, status: String(status) };
  return text.replace(/\{fault\.(message|detail|code|status)\}/g, (_, name: string) => words[name] as string);
}

/** The text as a value of the field's type, cut to its length; `undefined` if it does not fit. */
function taken(field: Field, text: string): string | number | undefined {
  const { type } = field;
  if (isNumeric(type)) return Number.isFinite(Number(text)) ? Number(text) : undefined;
  if (isCollection(type) || type.kind === 'document' || !isAnyText(type)) return undefined;
  const cut = [...text].slice(0, longest(field, type)).join('');
  const isKnown = field.enum === undefined || field.enum.includes(cut);
  return isKnown && matchesPatterns(field, cut) && [...cut].length >= (field.minimum ?? 0) ? cut : undefined;
}
