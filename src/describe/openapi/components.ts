import type { Document } from '../../model/document.ts';
import type { Json, JsonObject } from '../json.ts';
import { nameAllocator, ncName } from '../names.ts';
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
  const allocate = nameAllocator();
  const names = new Map(documents.map((document) => [document, allocate(ncName(document.id))]));
  const nameOf = (document: Document): string => names.get(document) ?? ncName(document.id);
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
        () => allocate(`${nameOf(document)}_BLANK`),
        () => blankDocument(document),
      ),
    message(document) {
      const inner = components.document(document);
      if (!document.root) return inner;
      const wanted = (): string => allocate(`${nameOf(document)}_MESSAGE`);
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

/** An object under its root label. */
export function labelled(label: string, inner: JsonObject): JsonObject {
  return { type: 'object', properties: { [label]: inner }, required: [label], additionalProperties: false };
}

function blankDocument(document: Document): JsonObject {
  return {
    description: `Stands for ${document.id} where there is none.`,
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
