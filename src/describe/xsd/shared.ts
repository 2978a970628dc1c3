import type { Document } from '../../model/document.ts';
import { type Field, type ScalarType, singleType } from '../../model/field.ts';
import type { DocumentSet } from '../documents.ts';
import { entryField } from '../field.ts';
import type { SoapOperation } from '../scope.ts';
import { builtInType, simpleType } from './types.ts';

/** A simple type that several fields have. */
export interface SharedType {
  readonly fields: ReadonlySet<Field>;
  /** The name of their elements. */
  readonly wanted: string;
  /** The built-in type that it restricts by nothing: what one of them takes another may not. */
  readonly base: string;
}

/**
 * Fields that need one type though only some of them have facets. Where request and reply of an operation have an element
 * of one name and type, JAX-WS makes it one parameter that goes in and out (Jakarta XML Web Services 3.0, 2.3.1.2); CXF
 * refuses a WSDL in which one of the two has a built-in type and the other an anonymous one.
 */
export function sharedTypes(operations: readonly SoapOperation[], documents: DocumentSet): readonly SharedType[] {
  const groups = new Map<Field, Set<Field>>();
  const join = (a: Field, b: Field): void => {
    const group = new Set([...(groups.get(a) ?? [a]), ...(groups.get(b) ?? [b])]);
    for (const field of group) groups.set(field, group);
  };
  const elements = (document: Document): [string, Field][] =>
    document.fields.flatMap((field) => {
      const key = `{${field.namespace ?? documents.namespaceOf(document)}}${field.xmlName}`;
      return !field.attribute && isPlain(field) ? [[key, field]] : [];
    });
  for (const { soap } of operations) {
    if (soap.request.kind !== 'document' || soap.response.kind !== 'document') continue;
    const replies = new Map(elements(soap.response.document));
    for (const [key, field] of elements(soap.request.document)) {
      const other = replies.get(key);
      if (other !== undefined && isList(field) === isList(other) && baseOf(field) === baseOf(other)) join(field, other);
    }
  }
  return [...new Set(groups.values())].flatMap((fields) => {
    const [first] = fields as Set<Field>;
    const kinds = new Set([...fields].map(isAnonymous));
    return first === undefined || kinds.size === 1 ? [] : [{ fields, wanted: first.xmlName, base: baseOf(first) }];
  });
}

function isList({ type }: Field): boolean {
  return type.kind === 'list';
}

/** Whether the elements of a field hold a single value each. */
function isPlain({ type }: Field): boolean {
  return singleType(type).kind !== 'document' && (type.kind !== 'list' || type.flat);
}

function baseOf(field: Field): string {
  return builtInType(singleType(field.type) as ScalarType);
}

function isAnonymous(field: Field): boolean {
  return simpleType(entryField(field), singleType(field.type) as ScalarType).restriction !== undefined;
}
