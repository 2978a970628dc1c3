import { type Document, documentName, foldedName, itemName } from '../../model/document.ts';
import { firstFree, ncName } from '../names.ts';
import type { Scope } from '../scope.ts';

/** JAXB writes a class ObjectFactory into every package, and the exceptions that CXF writes mean java.lang.String. */
const TAKEN = ['ObjectFactory', 'String'];

/** Names of types that are given out so that no two collide in any language. */
interface TypeNames {
  /** Of the complexType of a document. */
  readonly of: (document: Document) => string;
  /** Of another type: the wanted one, or one like it. */
  readonly give: (wanted: string) => string;
}

/**
 * Names of the complexTypes of documents: the id, which no other class that a generator writes may share. A list is an
 * element of an anonymous type, for which JAXB writes a class inside that of the document: `result` of OWNER is
 * `OWNER.Result`, with the factory method `createOWNERResult`. So such a name is taken too, and the class inside never has
 * the name of the class around it. An entry that is declared in place would want that very name (`OWNER_result`): it has
 * the name of its element as well, `OWNER_result_item`.
 * @param taken names of the classes that are written for anything but these types
 */
export function typeNamesOf(documents: readonly Document[], taken: readonly string[]): TypeNames {
  const given = new Set([...TAKEN, ...taken].map(foldedName));
  const entries = new Map<Document, string>();
  const names = new Map<Document, string>();
  const name = (document: Document): void => {
    const lists: string[] = [];
    for (const { type, xmlName } of document.fields) {
      if (type.kind !== 'list' || type.flat) continue;
      lists.push(xmlName);
      if (type.item.kind === 'document' && type.item.document.inPlace) entries.set(type.item.document, itemName(type));
    }
    const classes = (candidate: string): string[] =>
      [candidate, ...lists.map((list) => candidate + list)].map(foldedName);
    const isFree = (candidate: string): boolean =>
      !classes(candidate).some((each) => each === '' || given.has(each)) &&
      !lists.some((list) => foldedName(list) === foldedName(candidate));
    const id = ncName(documentName(document));
    const entry = entries.get(document);
    const wanted = entry === undefined || isFree(id) ? id : `${id}_${ncName(entry)}`;
    const found = firstFree(wanted, isFree);
    for (const each of classes(found)) given.add(each);
    names.set(document, found);
  };
  // A document that has an id of its own keeps it before those that are named after their place.
  for (const document of documents) if (!document.inPlace) name(document);
  for (const document of documents) if (document.inPlace) name(document);
  return {
    of: (document) => names.get(document) ?? ncName(documentName(document)),
    give: (wanted) => {
      const name = firstFree(ncName(wanted), (candidate) => !given.has(foldedName(candidate)));
      given.add(foldedName(name));
      return name;
    },
  };
}

/** Names of the parts of a WSDL that there is one of. */
export function wsdlNames({ service }: Pick<Scope, 'service'>) {
  const name = ncName(service.name);
  return { definitions: name, portType: `${name}PortType`, service: `${name}Service` };
}

/** Wanted name of the message of a fault document. */
export function faultMessageName(document: Document): string {
  return `${ncName(documentName(document))}Message`;
}

/** Names of the classes that JAX-WS writes next to those of the schemas: port type, service, and exceptions (3.0, 2.5). */
export function wsdlClassNames({ service, soap }: Scope): string[] {
  const { portType, service: client } = wsdlNames({ service });
  return [portType, client, ...soap.flatMap(({ fault }) => (fault === undefined ? [] : faultMessageName(fault)))];
}
