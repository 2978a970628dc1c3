import { typeName } from '../../model/derivation.ts';
import { type Document, documentName, foldedName, itemName } from '../../model/document.ts';
import { isCollection } from '../../model/field.ts';
import { elementsIn } from '../../model/particles.ts';
import { firstFree, ncName } from '../names.ts';

/** JAXB writes a class ObjectFactory to every package, and exceptions written by CXF use java.lang.String. */
const TAKEN = ['ObjectFactory', 'String'];

/** Allocates names of types that don't collide in any language. */
interface TypeNames {
  /** The name of a document's complexType. */
  readonly of: (document: Document) => string;
  /** The name of another type: the wanted one, or one like it. */
  readonly give: (wanted: string) => string;
}

/**
 * Names of the complexTypes of documents: the id, unless another class that a code generator writes has that name. A list is
 * an element of an anonymous type, for which JAXB writes a class inside the class of the document: `result` of OWNER becomes
 * `OWNER.Result`, with the factory method `createOWNERResult`. So such names are reserved too, and the inner class never has
 * the name of the outer one. An entry that is declared in place would get the same name (`OWNER_result`), so the name of its
 * element is appended: `OWNER_result_item`.
 * A name that the document declares (`xml-type`) is kept as long as no other type of its namespace has it.
 * @param taken names of the classes that are written for anything else
 * @param homeOf the namespace of the schema with the type of a document
 */
export function typeNamesOf(
  documents: readonly Document[],
  taken: readonly string[],
  homeOf: (document: Document) => string,
): TypeNames {
  const given = new Set([...TAKEN, ...taken].map(foldedName));
  const entries = new Map<Document, string>();
  const names = new Map<Document, string>();
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
  const keep = (document: Document): void => {
    const wanted = typeName(document);
    const key = `${homeOf(document)} ${wanted}`;
    if (names.has(document) || declared.has(key)) return;
    declared.add(key);
    given.add(foldedName(wanted));
    names.set(document, wanted);
  };
  // Messages have the names of documents that may stand for others, in xsi:type.
  for (const document of documents)
    if (document.derivation !== undefined || document.kinds !== undefined) keep(document);
  for (const document of documents) if (document.xmlType !== undefined) keep(document);
  // Documents with an id of their own have precedence over those named after their place.
  const rest = documents.filter((document) => !names.has(document));
  for (const document of rest) if (!document.inPlace) name(document);
  for (const document of rest) if (document.inPlace) name(document);
  return {
    of: (document) => names.get(document) ?? ncName(documentName(document)),
    give: (wanted) => {
      const name = firstFree(ncName(wanted), (candidate) => !given.has(foldedName(candidate)));
      given.add(foldedName(name));
      return name;
    },
  };
}
