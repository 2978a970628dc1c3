import { type Derivation, kindName, kindsOf, typeName } from '../../model/derivation.ts';
import { contentField, type Document } from '../../model/document.ts';
import { type Field, singleType } from '../../model/field.ts';
import { isUnrestrictedText, traitsOf } from '../../model/scalar.ts';
import { type Place, placeOf } from '../diagnostic/diagnostic.ts';
import { type Linking, refuseBoth } from '../linking.ts';
import { eachOnce, type Mutable } from '../object.ts';
import type { DocumentDeclared } from '../schema/document.ts';
import { isNeeded, madeField } from './field.ts';

/** A declared document while it is linked. */
export interface Begun {
  readonly document: Mutable<Document>;
  readonly value: DocumentDeclared;
}

const KEYS = { extends: 'extension', restricts: 'restriction' } as const satisfies Record<string, Derivation['by']>;

/** The member that names a document, unless `by:` of the topmost base sets another. */
const BY = 'type';

/**
 * Links documents to the ones that they extend or restrict.
 * @param resolve reports an id that is not known
 * @returns the documents, each behind its base
 */
export function linkBases(
  linking: Linking,
  begun: readonly Begun[],
  resolve: (id: string, at: Place) => Document,
): readonly Begun[] {
  const ofDocument = new Map<Document, Begun>(begun.map((each) => [each.document, each]));
  for (const { document, value } of begun) {
    refuseBoth(linking, value, 'extends', 'restricts', 'a document derives from one other in one way');
    const key = value.extends === undefined ? 'restricts' : 'extends';
    const id = value[key];
    if (id === undefined) continue;
    refuseBoth(linking, value, 'one-of', key, 'a choice has no fields, which derive from others');
    const base = resolve(id, linking.places.value(value, key));
    if (ofDocument.has(base)) document.derivation = { base, by: KEYS[key] };
    else linking.doubt.mark(document);
  }
  const sorted = new Set<Begun>();
  const visit = (each: Begun, around: readonly Document[]): void => {
    if (sorted.has(each)) return;
    const { document } = each;
    const base = document.derivation?.base;
    if (base !== undefined && [...around, document].includes(base)) {
      const path = [...around.slice(around.indexOf(base)), document, base].map(({ id }) => id).join(' > ');
      refuse(linking, each, `derives from itself: ${path}`);
      delete document.derivation;
      linking.doubt.mark(document);
    } else if (base !== undefined) visit(ofDocument.get(base) as Begun, [...around, document]);
    sorted.add(each);
  };
  for (const each of begun) visit(each, []);
  return [...sorted];
}

function refuse({ report, places }: Linking, { document, value }: Begun, reason: string, at?: Place): void {
  const key = (['extends', 'restricts', 'abstract'] as const).find((each) => value[each] !== undefined);
  const place = key === undefined ? places.start(value) : places.key(value, key);
  report.raise('bad-derivation', { document: document.id, reason }, at ?? place);
}

/** What a document has from its base, or one in place from the document around it. */
export interface Inherited {
  readonly fields: readonly Field[];
  /** Whether the elements of its own fields have no namespace, unless it says otherwise. */
  readonly unqualified: boolean;
}

/** Prepares the inheriting of documents, each after its base. What a document can't derive from is reported. */
export function compileInherited(linking: Linking): (begun: Begun) => Inherited {
  const unqualified = new Set<Document>();
  return (begun) => {
    const { document, value } = begun;
    const base = document.derivation?.base;
    const ofBase = base !== undefined && unqualified.has(base);
    if (value.unqualified ?? ofBase) unqualified.add(document);
    return { fields: inheritedFields(linking, begun), unqualified: ofBase };
  };
}

/** The fields that a document has from its base. It gets the namespace too, if it has none of its own. */
function inheritedFields(linking: Linking, begun: Begun): readonly Field[] {
  const { document } = begun;
  const { derivation, namespace } = document;
  if (derivation === undefined) return [];
  const { base, by } = derivation;
  if (linking.doubt.about(base)) linking.doubt.mark(document);
  if (base.choice !== undefined) {
    refuse(linking, begun, `derives from ${base.id}, which is a choice and has no fields`);
    return [];
  }
  if (base.namespace !== undefined && namespace === undefined) document.namespace = base.namespace;
  if (by === 'restriction') return [];
  if (base.open)
    refuse(linking, begun, `extends ${base.id}, which accepts undeclared fields: its own could be taken for them`);
  const isElsewhere = document.namespace !== base.namespace;
  if (isElsewhere && base.namespace === undefined) {
    const reason = `has a \`namespace:\`, and ${base.id}, which it extends, has that of each service: add one there too`;
    refuse(linking, begun, reason, linking.places.key(begun.value, 'namespace'));
  }
  if (!isElsewhere || base.namespace === undefined) return base.fields;
  const namespaceOfBase = base.namespace;
  settle(base, namespaceOfBase);
  return base.fields.map((field) => inNamespace(field, namespaceOfBase));
}

/** A document in place has the namespace of the one around it, which may not be that of the one that takes its field over. */
function settle({ fields }: Document, namespace: string): void {
  for (const { type } of fields) {
    const single = singleType(type);
    if (single.kind !== 'document' || !single.document.inPlace) continue;
    const inner: Mutable<Document> = single.document;
    inner.namespace ??= namespace;
    settle(inner, inner.namespace);
  }
}

/** An element stays in the namespace of the document that declares it, or in none where that is `unqualified`. */
function inNamespace(field: Field, namespace: string): Field {
  const hasNoElement = field.attribute || field.content || field.inline;
  return hasNoElement || field.namespace !== undefined ? field : { ...field, namespace };
}

/** Checks what restricts other documents against these, once all of them have their fields. */
function checkRestriction(linking: Linking, begun: Begun): void {
  const { document, value } = begun;
  const { derivation, fields } = document;
  if (derivation?.by !== 'restriction') return;
  const { base } = derivation;
  if (
    [document, base].some((each) => linking.doubt.about(each)) ||
    base.choice !== undefined ||
    value.fields === undefined
  )
    return;
  const own = new Map(fields.map((field) => [field.name, field]));
  const theirs = new Map(base.fields.map((field) => [field.name, field]));
  for (const field of fields) {
    const other = theirs.get(field.name);
    const place = placeOf(field.at);
    if (other === undefined && !base.open)
      refuse(linking, begun, `has the field ${field.name}, and ${base.id}, which it restricts, has none`, place);
    else if (other !== undefined && !isSameName(field, other))
      refuse(
        linking,
        begun,
        `has the field ${field.name} under another name than ${base.id}, which it restricts`,
        place,
      );
  }
  for (const { name, ...field } of base.fields) {
    const other = own.get(name);
    if (isNeeded({ name, ...field }) && (other === undefined || !other.required)) {
      const place = linking.places.key(value, 'fields');
      refuse(linking, begun, `lacks the required field ${name} of ${base.id}, which it restricts`, place);
    }
  }
}

/**
 * Elements and attributes don't become the attributes of a text (XML Schema Part 1, 3.4.6); but attributes alone become those of
 * mixed content, which is any text, or markup.
 */
function checkText(linking: Linking, begun: Begun): void {
  const { document } = begun;
  const { derivation } = document;
  const text = contentField(document);
  if (text === undefined || derivation === undefined || linking.doubt.about(derivation.base)) return;
  const { id } = derivation.base;
  if (derivation.base.choice !== undefined || contentField(derivation.base) !== undefined) return;
  const isMixed = isUnrestrictedText(text) || traitsOf(text.type)?.xml.markup === true;
  if (isMixed && derivation.base.fields.every(({ attribute }) => attribute)) return;
  const reason = `has the text ${text.name} for the content of its element, and ${id}, from which it derives, has none`;
  refuse(linking, begun, reason, placeOf(text.at));
}

function isSameName(one: Field, other: Field): boolean {
  return one.jsonName === other.jsonName && one.xmlName === other.xmlName && one.attribute === other.attribute;
}

/** Sets what may stand for each document, and checks that values of each can be told from those of the others. */
export function linkKinds(linking: Linking, begun: readonly Begun[]): void {
  const derivedOf = new Map<Document, Document[]>();
  for (const { document } of begun) {
    for (let base = document.derivation?.base; base !== undefined; base = base.derivation?.base) {
      if (base.choice !== undefined) continue;
      const derived = derivedOf.get(base) ?? [];
      derivedOf.set(base, derived);
      derived.push(document);
    }
  }
  for (const each of begun) {
    const { document, value } = each;
    const derived = derivedOf.get(document);
    const isTop = document.derivation === undefined;
    checkRestriction(linking, each);
    checkText(linking, each);
    if (derived !== undefined) {
      if (isTop) checkFamily(linking, each, derived);
      const by = memberField(document, value.by, derived);
      document.kinds = { by, derived };
    } else if (document.abstract && !linking.doubt.about(document)) {
      refuse(linking, each, 'is abstract, and no document extends or restricts it, so that it has no values');
    }
    if (value['by-value'] !== undefined && isTop && derived === undefined) {
      const reason = 'has `by-value:`, and neither derives from a document nor does another derive from it';
      linking.report.raise('bad-derivation', { document: document.id, reason }, linking.places.key(value, 'by-value'));
    }
    if (value.by === undefined || value['one-of'] !== undefined || (isTop && derived !== undefined)) continue;
    const reason = isTop
      ? 'has `by:`, and neither `one-of:` nor a document that extends or restricts it'
      : `has \`by:\`, which the topmost of the documents that it derives from sets: ${topOf(document).id}`;
    linking.report.raise('bad-derivation', { document: document.id, reason }, linking.places.key(value, 'by'));
  }
  // The member has the name that the topmost base sets, and the names of those below.
  for (const { document } of begun) {
    const { kinds } = document;
    const name = topOf(document).kinds?.by.name;
    if (kinds !== undefined && name !== undefined && name !== kinds.by.name)
      document.kinds = { ...kinds, by: { ...kinds.by, name, jsonName: name, xmlName: name } };
  }
}

function topOf(document: Document): Document {
  let top = document;
  while (top.derivation !== undefined) top = top.derivation.base;
  return top;
}

function memberField(document: Document, by: string = BY, derived: readonly Document[]): Field {
  const names = kindsOf({ ...document, kinds: { by: madeField(by, { kind: 'string' }, document.at), derived } });
  return madeField(by, { kind: 'string' }, document.at, {
    description: 'Which document it is.',
    required: document.abstract === true,
    enum: names.map(kindName),
  });
}

/** Checks the documents that derive from one that derives from none. */
function checkFamily(linking: Linking, top: Begun, derived: readonly Document[]): void {
  const { report, places } = linking;
  const { document, value } = top;
  const name = value.by ?? BY;
  const at = value.by === undefined ? undefined : places.value(value, 'by');
  if (name === '__proto__')
    report.raise('reserved-name', { name, why: 'it has another meaning in JavaScript' }, at ?? places.start(value));
  const family = [document, ...derived];
  const taken = family.find(({ fields }) => fields.some((field) => field.jsonName === name || field.name === name));
  if (taken !== undefined) {
    const reason = `is one that others derive from, so the member ${name} of its JSON says which of them a value is, and ${taken.id} has a field of that name: set another member by \`by:\``;
    refuse(linking, top, reason, at ?? places.start(value));
  }
  eachOnce(family, kindName, (each, first) => {
    const reason = `is called ${kindName(each)} by the member ${name}, as ${first.id} is, which derives from the same: set another \`by-value:\``;
    report.raise('bad-derivation', { document: each.id, reason }, placeOf(each.at));
  });
  eachOnce(
    family,
    (each) => `{${each.namespace ?? ''}}${typeName(each)}`,
    (each, first) => {
      const reason = `has the name ${typeName(each)} in XML, as ${first.id} has, which derives from the same`;
      report.raise('bad-derivation', { document: each.id, reason }, placeOf(each.at));
    },
  );
}
