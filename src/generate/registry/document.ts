import { type Document, documentName } from '../../model/document.ts';
import type { Field } from '../../model/field.ts';
import type { JsonTree } from '../json-text.ts';
import { typeWords } from '../words.ts';
import { yes } from './tree.ts';

/** A document of `registry.json`. */
export function documentTree(document: Document): JsonTree {
  return {
    description: document.description,
    xml: document.xmlName === documentName(document) ? undefined : document.xmlName,
    namespace: document.namespace,
    root: yes(document.root),
    open: yes(document.open),
    patch: yes(document.patch !== undefined),
    'in-place': yes(document.inPlace),
    fields: fieldsTree(document.fields),
  };
}

/** Fields by their names, in their order. */
export function fieldsTree(fields: readonly Field[]): ReadonlyMap<string, JsonTree> {
  return new Map(fields.map((field) => [field.name, fieldTree(field)]));
}

function fieldTree(field: Field): JsonTree {
  const { name, type } = field;
  return {
    type: typeWords(type),
    description: field.description,
    required: yes(field.required),
    default: field.default,
    enum: field.enum,
    'any-case': yes(field.anyCase),
    pattern: field.pattern,
    minimum: field.minimum,
    maximum: field.maximum,
    fixed: field.fixed,
    sensitive: yes(field.sensitive),
    example: field.example,
    json: field.jsonName === name ? undefined : field.jsonName,
    xml: field.xmlName === name ? undefined : field.xmlName,
    attribute: yes(field.attribute),
    namespace: field.namespace,
    flat: type.kind === 'list' ? yes(type.flat) : undefined,
    absent: field.absent === 'omit' ? undefined : field.absent,
    url: field.url === 'segment' ? undefined : field.url,
  };
}
