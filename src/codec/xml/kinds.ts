// Documents that others derive from, in XML: `xsi:type` names the document that an element holds.
import { kindName, kindsOf, typeName } from '../../model/derivation.ts';
import { type Document, namespaceOf } from '../../model/document.ts';
import type { FieldType } from '../../model/field.ts';
import type { DocumentValue, Value } from '../../model/value.ts';
import { quote } from '../../wire/words.ts';
import { NIL } from '../../wire/xml/namespaces.ts';
import type { XmlElement } from '../../wire/xml/tree.ts';
import { refuse } from '../error.ts';
import { compileFindKind, type Kinded } from '../kind.ts';
import { isInherited, ownMember, plainObject } from '../value.ts';
import type { Resolve } from './binary-content.ts';
import { typeOf } from './content.ts';
import { element, type Tag, typeTag, type XmlPlace } from './element.ts';
import { isIn } from './read-members.ts';

type Read = (element: XmlElement, depth: number, resolve: Resolve | undefined) => Value;

type Write = (tag: Tag, value: Value, depth: number) => string;

/**
 * Compiles the reading of an element as the document that its `xsi:type` names; without one as the document that is expected
 * there.
 * @param service namespace of documents that name none
 * @param readOf reads one of the documents, whose namespace is given
 */
export function compileKindsRead(
  document: Kinded,
  namespace: string,
  service: string,
  readOf: (kind: Document, namespace: string) => Read,
): Read {
  const own = document.abstract ? undefined : kindName(document);
  const kinds = kindsOf(document).map((kind) => {
    const of = kind === document ? namespace : namespaceOf(kind, namespace, service);
    return { name: kindName(kind), type: typeName(kind), namespace: of, read: readOf(kind, of) };
  });
  const { name: by } = document.kinds.by;
  const known = kinds.map(({ type }) => type).join(', ');
  return (element, depth, resolve) => {
    const given = typeOf(element);
    const kind = kinds.find(({ name, type, namespace }) => {
      if (given === undefined) return name === own;
      // In a service with operations over SOAP the schema of types without a namespace is that of the service.
      return given.local === type && (isIn(namespace, given) || (namespace === '' && isIn(service, given)));
    });
    if (kind === undefined) {
      if (given === undefined) return refuse(`has no xsi:type, and is one of ${known}`);
      return refuse(`has the xsi:type ${quote(given.written)}, which is not one of ${known}`);
    }
    return { [by]: kind.name, ...(kind.read(element, depth, resolve) as DocumentValue) };
  };
}

/**
 * Compiles the writing of a value as the document that it is, with an `xsi:type` unless it is the one that is expected there.
 * @param home namespace of the schema with the types of documents without one
 * @param writeOf writes one of the documents in its place
 */
export function compileKindsWrite(
  document: Kinded,
  place: XmlPlace,
  home: string,
  writeOf: (kind: Document, place: XmlPlace) => Write,
): Write {
  const { name: by } = document.kinds.by;
  const inherited = isInherited(by);
  const ones = new Map(
    kindsOf(document).map((kind) => {
      const name = kindName(kind);
      if (kind === document) return [name, { tagOf: (tag: Tag) => tag, write: writeOf(kind, place) }];
      const namespace = namespaceOf(kind, place.namespace, place.service);
      const type = typeTag(typeName(kind), namespace || home, place.scope);
      const scope = type.isUnqualified ? '' : place.scope;
      return [name, { tagOf: type.of, write: writeOf(kind, { ...place, namespace, scope }) }];
    }),
  );
  const find = compileFindKind(document, ones);
  return (tag, value, depth) => {
    const source = plainObject(value);
    const { tagOf, write } = find(ownMember(source, by, inherited));
    const { [by]: _, ...members } = source;
    return write(tagOf(tag), members as DocumentValue, depth);
  };
}

/**
 * A nil element still has a type, which must not be abstract, and the attributes that its type requires (XML Schema Part 1,
 * 3.3.4).
 */
export function nilElement(type: FieldType, tag: Tag, own: string, place: XmlPlace, home: string): string {
  const kinds = type.kind === 'document' && type.document.abstract ? kindsOf(type.document) : [];
  const kind = kinds.find(({ fields }) => !fields.some((field) => field.attribute && field.required)) ?? kinds[0];
  if (kind === undefined) return element(tag, NIL, '');
  const namespace = namespaceOf(kind, place.namespace, place.service);
  return element(typeTag(typeName(kind), namespace || home, own).of(tag), ' xsi:nil="true"', '');
}
