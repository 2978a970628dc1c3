import { isAttachment } from '../../codec/binary.ts';
import { initialValue } from '../../codec/index.ts';
import type { Document } from '../../model/document.ts';
import { type Field, type FieldType, singleType } from '../../model/field.ts';
import { MASK } from '../../model/mask.ts';
import type { DocumentValue, Value } from '../../model/value.ts';
import { sizeWords } from './content.ts';

/** A document in the form in which it may be shown to people. */
export interface ShownForm {
  /** The same but for fields that are sensitive or binary: those are texts. */
  readonly document: Document;
  /** A value of the document as one of that: masks for what is sensitive, and for content how much it is. */
  show(value: DocumentValue): DocumentValue;
}

/** How one field's value is shown. */
interface ShownField {
  readonly name: string;
  readonly field: Field;
  readonly show: (value: Value) => Value;
}

/** Compiles that for a document, at any depth. */
export function compileShown(document: Document, known: Map<Document, ShownForm> = new Map()): ShownForm {
  const found = known.get(document);
  if (found !== undefined) return found;
  const fields: Field[] = [];
  const shown: ShownField[] = [];
  const form: ShownForm = {
    document: { ...document, fields },
    show(value) {
      if (!isObject(value)) return value;
      const copy: Record<string, Value> = { ...value };
      for (const { name, show } of shown) {
        const given = show(Object.hasOwn(value, name) ? value[name] : undefined);
        if (given !== undefined) copy[name] = given;
      }
      return copy;
    },
  };
  // Known before its fields are compiled: a document may hold itself.
  known.set(document, form);
  for (const field of document.fields) {
    const each = shownField(field, known);
    fields.push(each.field);
    shown.push(each);
  }
  return form;
}

function shownField(field: Field, known: Map<Document, ShownForm>): ShownField {
  const { name, type, sensitive } = field;
  if (sensitive) {
    const initial = initialValue(field);
    const show = (value: Value): Value => ((value ?? initial) === undefined ? undefined : MASK);
    return { name, field: asShownText(field), show };
  }
  const single = singleType(type);
  if (single.kind === 'binary') {
    const item: FieldType = { kind: 'text' };
    const shownType: FieldType = type.kind === 'list' ? { ...type, item } : item;
    return { name, field: asShownText(field, shownType), show: each(type, sizeOf) };
  }
  if (single.kind !== 'document') return { name, field, show: (value) => value };
  const inner = compileShown(single.document, known);
  const item = { kind: 'document', document: inner.document } as const;
  return {
    name,
    field: { ...field, type: type.kind === 'list' ? { ...type, item } : item },
    show: each(type, (value) => inner.show(value as DocumentValue)),
  };
}

/** The field with texts for its values, which have to fit nothing else. */
export function asText(field: Field, type: FieldType = { kind: 'text' }): Field {
  const { name, jsonName, xmlName, required, sensitive, attribute, namespace, absent, anyCase, url, at } = field;
  const place = namespace === undefined ? {} : { namespace };
  return { name, jsonName, xmlName, type, required, sensitive, attribute, absent, anyCase, url, at, ...place };
}

function asShownText(field: Field, type?: FieldType): Field {
  return { ...asText(field, type), required: false, sensitive: false };
}

function each({ kind }: FieldType, show: (value: Value) => Value): (value: Value) => Value {
  if (kind !== 'list') return (value) => (value === undefined || value === null ? value : show(value));
  return (value) => (Array.isArray(value) ? value.map(show) : value);
}

function sizeOf(value: Value): Value {
  return isAttachment(value) ? sizeWords(value.length) : value;
}

function isObject(value: Value): value is DocumentValue {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
