import { type Document, documentName, foldedName } from '../../model/document.ts';
import type { Json, JsonObject } from '../json.ts';
import { firstFree, nameAllocator, ncName } from '../names.ts';
import { blankSchema, documentSchema, type SchemaRefs } from './schema.ts';

/** What an OpenAPI description keeps under `components`, filled as it is referred to. */
export interface Components extends SchemaRefs {
  /** A document as a message: under its root label where it has one. */
  message(document: Document): JsonObject;
  /** A schema of its own under the wanted name. */
  schema(wanted: string, schema: JsonObject): JsonObject;
  /** A response; equal ones share the name that the first of them got. */
  response(wanted: string, response: JsonObject): JsonObject;
  /** Schemas and responses, in the order in which they were first referred to. */
  all(): { readonly schemas: JsonObject; readonly responses: JsonObject };
}

/** Starts an empty set. The names of `documents` are theirs, whatever else asks for them. */
export function openComponents(documents: readonly Document[]): Components {
  const allocate = schemaNames(documents);
  const names = new Map(documents.map((document) => [document, allocate(ncName(documentName(document)))]));
  const nameOf = (document: Document): string => names.get(document) ?? ncName(documentName(document));
  const schemas = shelf('schemas', allocate);
  const responses = shelf('responses', nameAllocator());
  const components: Components = {
    document: (document) =>
      schemas.keyed(
        document,
        () => nameOf(document),
        () => documentSchema(document, document.fields, components),
      ),
    blank: (document) =>
      schemas.keyed(
        `blank ${nameOf(document)}`,
        () => allocate(`${ncName(documentName(document))}_BLANK`),
        () => blankDocument(document),
      ),
    message(document) {
      const inner = components.document(document);
      if (!document.root) return inner;
      const wanted = (): string => allocate(`${ncName(documentName(document))}_MESSAGE`);
      return schemas.keyed(`message ${nameOf(document)}`, wanted, () => labelled(document.id, inner));
    },
    schema: (wanted, schema) =>
      schemas.keyed(
        `schema ${wanted}`,
        () => allocate(ncName(wanted)),
        () => schema,
      ),
    response: (wanted, response) => responses.shared(ncName(wanted), response),
    all: () => ({ schemas: schemas.contents(), responses: responses.contents() }),
  };
  return components;
}

/**
 * Gives out names of schemas. Generators make classes of them, in files of their own: `LOC_DTL` and `LOCDTL` become one, and a
 * class `LOCATION` is out of reach in one whose field has that very name. So both are told apart here.
 */
function schemaNames(documents: readonly Document[]): (wanted: string) => string {
  const members = new Set(
    documents.flatMap(({ id, root, fields }) => [...(root ? [id] : []), ...fields.map((field) => field.jsonName)]),
  );
  const given = new Set<string>();
  const isMember = (name: string): boolean => members.has(className(name));
  return (wanted) => {
    const base = isMember(wanted) ? `${wanted}_DOCUMENT` : wanted;
    const name = firstFree(base, (candidate) => !isMember(candidate) && !given.has(foldedName(candidate)));
    given.add(foldedName(name));
    return name;
  };
}

/** `LocDtl` of `loc_dtl`, `LOCDTL` of `LOC_DTL`. */
function className(name: string): string {
  return name.replace(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9]?)/g, (_, first: string) => first.toUpperCase());
}

/** An object under its root label. */
export function labelled(label: string, inner: JsonObject): JsonObject {
  return { type: 'object', properties: { [label]: inner }, required: [label], additionalProperties: false };
}

function blankDocument(document: Document): JsonObject {
  return {
    description: `Stands for ${documentName(document)} where there is none.`,
    ...blankSchema({ kind: 'document', document }),
  };
}

/** One kind of component. */
function shelf(kind: string, allocate: (wanted: string) => string) {
  const names = new Map<unknown, string>();
  const contents = new Map<string, Json>();
  const refer = (name: string): JsonObject => ({ $ref: `#/components/${kind}/${name}` });
  return {
    /** Made once a key; a schema that refers to itself finds its name already given. */
    keyed(key: unknown, name: () => string, make: () => JsonObject): JsonObject {
      const known = names.get(key);
      if (known !== undefined) return refer(known);
      const given = name();
      names.set(key, given);
      contents.set(given, {});
      contents.set(given, make());
      return refer(given);
    },
    shared(wanted: string, content: JsonObject): JsonObject {
      const key = JSON.stringify(content);
      const name = names.get(key) ?? allocate(wanted);
      names.set(key, name);
      contents.set(name, content);
      return refer(name);
    },
    contents: (): JsonObject => Object.fromEntries(contents),
  };
}
