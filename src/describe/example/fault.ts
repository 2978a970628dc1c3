import type { Document } from '../../model/document.ts';
import { type Field, filledByFault } from '../../model/field.ts';
import { compilePattern } from '../../wire/pattern.ts';
import { longest } from '../field.ts';
import { type ExampleDocument, type ExampleValue, emptyExample, exampleField } from './value.ts';

/** What a fault document is filled from. */
export interface FaultWords {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

/** A fault document as a fault fills it: what is neither fixed nor has a default stays out, unless it is required. */
export function exampleFault(document: Document, fault: FaultWords): ExampleDocument {
  return filled(document, fault, [document]);
}

/** @param open the documents that hold this one: a document inside itself ends there */
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
    if (open.includes(document)) return undefined;
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

/** The text as the field's type has it, cut to its length; undefined where the field can't take it. */
function taken(field: Field, text: string): string | number | undefined {
  const { type } = field;
  if (type.kind === 'integer' || type.kind === 'decimal')
    return Number.isFinite(Number(text)) ? Number(text) : undefined;
  if (type.kind !== 'string' && type.kind !== 'text') return undefined;
  const cut = [...text].slice(0, longest(field, type)).join('');
  const isKnown = field.enum === undefined || field.enum.includes(cut);
  const fits = field.pattern === undefined || compilePattern(field.pattern).test(cut);
  return isKnown && fits && [...cut].length >= (field.minimum ?? 0) ? cut : undefined;
}
