import type { DraftContract, DraftDocument, DraftField, DraftMessage, DraftType } from '../draft.ts';
import { baseOf } from './families.ts';

// No xsi:type can name documents of elements, and of types without a name, that derive from a named type (XML Schema 1.0 Part 1,
// section 3.4), while definitions let any document that derives from another stand in its place.

/**
 * Gives each document without the name of a type the fields of its base, where it would stand for that base otherwise. Where a
 * base is the type of nothing, the document derives from it all the same, which is shorter.
 * @param documents all of the contract, with those that they consist of
 */
export function settleNameless(contract: DraftContract, documents: readonly DraftDocument[]): void {
  const types = typesIn(contract, documents);
  const nameless = documents.filter(
    (each) => each.options['xml-type'] === undefined && basesOf(each).some((base) => types.has(base)),
  );
  for (const document of nameless) settleOne(document);
}

function basesOf(document: DraftDocument): DraftDocument[] {
  const bases: DraftDocument[] = [];
  for (let base = baseOf(document); base !== undefined && !bases.includes(base); base = baseOf(base)) bases.push(base);
  return bases;
}

/** The documents that an element may have: of fields, of messages and of roots. */
function typesIn({ services }: DraftContract, documents: readonly DraftDocument[]): ReadonlySet<DraftDocument> {
  const found = new Set<DraftDocument>(documents.filter(({ options }) => options.xml !== undefined));
  const addType = (type: DraftType): void => {
    const single = type.kind === 'list' || type.kind === 'map' ? type.item : type;
    if (single.kind === 'document') found.add(single.document);
  };
  const addMessage = (message: DraftMessage): void => {
    if (message.kind === 'document') found.add(message.document);
    else if (message.kind === 'type') addType(message.type);
  };
  for (const { request, responses, faults } of services.flatMap(({ operations }) => operations)) {
    for (const message of [request, ...responses.map((each) => each.message)]) addMessage(message);
    for (const { document } of faults) found.add(document);
  }
  for (const { fields } of documents) for (const { type } of fields) addType(type);
  return found;
}

function settleOne(document: DraftDocument): void {
  // A restriction has all fields of its base itself.
  const inherited = document.extends === undefined ? [] : inheritedBy(document);
  if (inherited === undefined) return;
  document.fields = [...inherited, ...document.fields];
  delete document.extends;
  delete document.restricts;
}

/** The fields of the bases of a document as its own; `undefined` where they are not the same in its namespace. */
function inheritedBy(document: DraftDocument): readonly DraftField[] | undefined {
  const fields: DraftField[] = [];
  const seen = new Set([document]);
  for (let base = document.extends; base !== undefined && !seen.has(base); base = base.extends) {
    seen.add(base);
    const own = ownFields(base, document);
    if (own === undefined) return undefined;
    fields.unshift(...own);
  }
  return fields;
}

function ownFields(base: DraftDocument, document: DraftDocument): readonly DraftField[] | undefined {
  const namespace = elementNamespace(base);
  const isSame = namespace === elementNamespace(document);
  if (!isSame && base.fields.some(isOfNamespace)) return undefined;
  return base.fields.map((field) => {
    const { attribute, content, any } = field.options;
    const isElement = !attribute && !content && any === undefined;
    return { ...field, options: { ...(isSame || !isElement ? {} : { namespace }), ...field.options } };
  });
}

/** The namespace of the elements of a document's fields. */
function elementNamespace({ options: { unqualified, namespace } }: DraftDocument): string {
  return unqualified ? '' : (namespace ?? '');
}

/** Whether the content of a field depends on the namespace of its document. */
function isOfNamespace({ options: { inline, any } }: DraftField): boolean {
  return inline === true || (any !== undefined && any !== true);
}
