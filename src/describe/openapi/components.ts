import { kindName } from '../../model/derivation.ts';
import { type Document, documentName, foldedName } from '../../model/document.ts';
import type { CompoundType } from '../../model/field.ts';
import type { Json, JsonObject } from '../json.ts';
import { firstFree, nameAllocator, ncName } from '../names.ts';
import { blankSchema, documentSchema, named, objectSchema, type SchemaRefs, typeSchema } from './schema.ts';

/** The `components` of an OpenAPI description, filled as they are referred to. */
export interface Components extends SchemaRefs {
  /** A document as a message, with its root label if it has one. */
  message(document: Document): JsonObject;
  /** Adds a schema under the wanted name, or one like it. */
  schema(wanted: string, schema: JsonObject): JsonObject;
  /** Adds a response; equal responses share the name of the first one. */
  response(wanted: string, response: JsonObject): JsonObject;
  /** Schemas and responses, in the order of the first references to them. */
  all(): { readonly schemas: JsonObject; readonly responses: JsonObject };
}

/** Creates an empty set. The names of `documents` are reserved for them. */
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
    type: (type) =>
      schemas.keyed(
        type,
        () => allocate(ncName(type.id), '_TYPE'),
        () => typeSchema(type),
      ),
    blank: (document) =>
      schemas.keyed(
        `blank ${nameOf(document)}`,
        () => allocate(`${ncName(documentName(document))}_BLANK`),
        () => blankDocument(document),
      ),
    branch: (document, { name, type }, tag) => {
      const branch = (type as CompoundType).document;
      if (tag === undefined) return components.document(branch);
      return schemas.keyed(
        `branch ${nameOf(document)} ${name}`,
        () => allocate(`${ncName(documentName(document))}_${ncName(name)}`),
        () => taggedSchema(documentSchema(branch, branch.fields, components), tag, name),
      );
    },
    kind: (document, kind, by) =>
      schemas.keyed(
        `kind ${nameOf(document)} ${nameOf(kind)}`,
        () => allocate(`${ncName(documentName(document))}_${ncName(documentName(kind))}`),
        () => kindSchema(document, kind, by, components),
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
 * Allocates names of schemas. Code generators turn these into classes with files of their own: `LOC_DTL` and `LOCDTL` would
 * become the same class, and a class `LOCATION` can't be used in a class with a field of that name. Such names are avoided.
 */
function schemaNames(documents: readonly Document[]): (wanted: string, suffix?: string) => string {
  const members = new Set(
    documents.flatMap(({ id, root, choice, kinds, fields }) => [
      ...(root ? [id] : []),
      ...(kinds === undefined ? [] : [kinds.by.jsonName]),
      ...(choice?.tag === undefined ? [] : [choice.tag]),
      ...fields.map((field) => field.jsonName),
    ]),
  );
  const given = new Set<string>();
  const isMember = (name: string): boolean => members.has(className(name));
  return (wanted, suffix = '_DOCUMENT') => {
    const base = isMember(wanted) ? `${wanted}${suffix}` : wanted;
    const name = firstFree(base, (candidate) => !isMember(candidate) && !given.has(foldedName(candidate)));
    given.add(foldedName(name));
    return name;
  };
}

/** `LocDtl` of `loc_dtl`, `LOCDTL` of `LOC_DTL`. */
function className(name: string): string {
  return name.replace(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9]?)/g, (_, first: string) => first.toUpperCase());
}

/** The schema of an object with a member that names the branch of a choice that it is. */
function taggedSchema({ required, ...schema }: JsonObject, tag: string, name: string): JsonObject {
  return { ...named(schema, tag, name), required: [tag, ...((required ?? []) as Json[])] };
}

/** The same of a document that may stand for another one. Where it is the expected one itself, the member may be absent. */
function kindSchema(document: Document, kind: Document, by: string, refs: SchemaRefs): JsonObject {
  const schema = objectSchema(kind, kind.fields, refs);
  const tagged = taggedSchema(schema, by, kindName(kind));
  return kind === document ? { ...tagged, required: schema.required } : tagged;
}

/** An object under its root label. */
export function labelled(label: string, inner: JsonObject): JsonObject {
  return { type: 'object', properties: { [label]: inner }, required: [label], additionalProperties: false };
}

function blankDocument(document: Document): JsonObject {
  return {
    description: `The blank form of ${documentName(document)}.`,
    ...blankSchema({ kind: 'document', document }),
  };
}

/** One kind of component. */
function shelf(kind: string, allocate: (wanted: string) => string) {
  const names = new Map<unknown, string>();
  const contents = new Map<string, Json>();
  const refer = (name: string): JsonObject => ({ $ref: `#/components/${kind}/${name}` });
  return {
    /** Created once per key; a schema that refers to itself finds its name already allocated. */
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
