import { typeName } from '../../model/derivation.ts';
import { type Document, documentName, foldedName, itemName } from '../../model/document.ts';
import { isCollection } from '../../model/field.ts';
import { elementsIn } from '../../model/particles.ts';
import type { SimpleType } from '../../model/simple-type.ts';
import { firstFree, ncName } from '../names.ts';

/** JAXB writes a class ObjectFactory to every package, and exceptions written by CXF use java.lang.String. */
const TAKEN = ['ObjectFactory', 'String'];

/** Allocates names of types that don't collide in any language. */
interface TypeNames {
  /** The name of a document's complexType, or of a named simple type. */
  readonly of: (type: Document | SimpleType) => string;
  /** The name of another type: the wanted one, or one like it. */
  readonly give: (wanted: string) => string;
}

/** What gets names in the schemas of a service, and what has some already. */
interface Named {
  readonly documents: readonly Document[];
  /** The named simple types of the definitions. */
  readonly types: readonly SimpleType[];
  /** Names of the classes that are written for anything else. */
  readonly taken: readonly string[];
  /** The namespace of the schema with a type. */
  readonly homeOf: (type: Document | SimpleType) => string;
}

/**
 * Names of the complexTypes of documents: the id, unless another class that a code generator writes has that name. A list is
 * an element of an anonymous type, for which JAXB writes a class inside the class of the document: `result` of OWNER becomes
 * `OWNER.Result`, with the factory method `createOWNERResult`. So such names are reserved too, and the inner class never has
 * the name of the outer one. An entry that is declared in place would get the same name (`OWNER_result`), so the name of its
 * element is appended: `OWNER_result_item`.
 * A name that the document declares (`xml-type`) is kept as long as no other type of its namespace has it. The same holds for
 * named simple types, of which code generators write an enumeration if they list values.
 */
export function typeNamesOf({ documents, types, taken, homeOf }: Named): TypeNames {
  const given = new Set([...TAKEN, ...taken].map(foldedName));
  const entries = new Map<Document, string>();
  const names = new Map<Document | SimpleType, string>();
  const name = (document: Document): void => {
    const lists: string[] = [];
    for (const { field } of elementsIn(document)) {
      const { type, xmlName } = field;
      if (!isCollection(type) || (type.kind === 'list' && (type.flat || type.spaced))) continue;
      lists.push(xmlName);
      if (type.kind === 'list' && type.item.kind === 'document' && type.item.document.inPlace)
        entries.set(type.item.document, itemName(type));
    }
    const classes = (candidate: string): string[] =>
      [candidate, ...lists.map((list) => candidate + list)].map(foldedName);
    const isFree = (candidate: string): boolean =>
      !classes(candidate).some((each) => each === '' || given.has(each)) &&
      !lists.some((list) => foldedName(list) === foldedName(candidate));
    const id = ncName(document.xmlType ?? documentName(document));
    const entry = entries.get(document);
    const wanted = entry === undefined || isFree(id) ? id : `${id}_${ncName(entry)}`;
    const found = firstFree(wanted, isFree);
    for (const each of classes(found)) given.add(each);
    names.set(document, found);
  };
  const declared = new Set<string>();
  const keep = (type: Document | SimpleType, wanted: string): void => {
    const key = `${homeOf(type)} ${wanted}`;
    if (names.has(type) || declared.has(key)) return;
    declared.add(key);
    given.add(foldedName(wanted));
    names.set(type, wanted);
  };
  const give = (wanted: string): string => {
    const name = firstFree(ncName(wanted), (candidate) => !given.has(foldedName(candidate)));
    given.add(foldedName(name));
    return name;
  };
  // Messages have the names of documents that may stand for others, in xsi:type.
  for (const document of documents)
    if (document.derivation !== undefined || document.kinds !== undefined) keep(document, typeName(document));
  for (const type of [...documents, ...types]) if (type.xmlType !== undefined) keep(type, type.xmlType);
  // Documents with an id of their own have precedence over those named after their place.
  const rest = documents.filter((document) => !names.has(document));
  for (const document of rest) if (!document.inPlace) name(document);
  for (const type of types) if (!names.has(type)) names.set(type, give(type.xmlType ?? type.id));
  for (const document of rest) if (document.inPlace) name(document);
  return { of: (type) => names.get(type) ?? ncName('base' in type ? type.id : documentName(type)), give };
}
