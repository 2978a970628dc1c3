import type { Position } from '../model/definition.ts';
import { kindsOf } from '../model/derivation.ts';
import { type Choice, type Document, documentName, itemName } from '../model/document.ts';
import { type Field, isSpaced, type ListType, singleType } from '../model/field.ts';
import {
  type Compare,
  type Comparison,
  compareAll,
  inside,
  type Pair,
  type Scope,
  unseen,
  whenDifferent,
  whenTurned,
} from './changes.ts';
import {
  compareDefaults,
  compareDigits,
  compareEntry,
  compareEnums,
  compareFixed,
  compareLengths,
  compareMaximum,
  compareMinimum,
  compareNull,
  comparePatterns,
  compareRanges,
  compareTypes,
} from './values.ts';

/** Where a comparison of documents is. */
export interface DocumentScope extends Scope {
  /** The message: `the reply`. */
  readonly message: string;
  /** Names of fields that lead from the message to the document. */
  readonly path: readonly string[];
  /** The namespaces of the documents around it. */
  readonly around: Pair<string>;
  /** Documents that were compared: they may contain themselves, and one that is used twice is reported once. */
  readonly seen: Map<Document, Set<Document>>;
  /** Names of fields of a request over REST that are in URLs and headers, whose names and places are compared there. */
  readonly elsewhere: ReadonlySet<string>;
  /** Of these, names of fields that each of the URLs has to have: whether they are required is seen there. */
  readonly given?: ReadonlySet<string>;
  /** The message is one over SOAP. */
  readonly soap?: true;
  /** Its root element has the name of the operation. */
  readonly wrapped?: true;
}

/** In place of the namespace of a service, which is compared once for the service. */
const OF_SERVICE = 'that of the service';

/** The scope of a message. */
export function messageScope(
  scope: Scope,
  step: string,
  message: string,
  elsewhere: Iterable<string> = [],
): DocumentScope {
  return {
    ...inside(scope, step, message),
    message,
    path: [],
    around: { before: OF_SERVICE, after: OF_SERVICE },
    seen: new Map(),
    elsewhere: new Set(elsewhere),
  };
}

/** Compares two documents and all that they contain, once. */
export function compareDocuments(pair: Pair<Document>, scope: DocumentScope): void {
  const { before, after } = pair;
  const compared = scope.seen.get(before) ?? new Set();
  scope.seen.set(before, compared);
  if (compared.has(after)) return;
  compared.add(after);
  compareAll(DOCUMENT, pair, scope);
}

const isWhole = ({ path }: DocumentScope): boolean => path.length === 0;

/** Compares what only the document of a whole message has. */
function ofWhole(compare: Compare<Document, DocumentScope>): Compare<Document, DocumentScope> {
  return (pair, scope) => {
    if (isWhole(scope)) compare(pair, scope);
  };
}

const DOCUMENT: Comparison<Document, DocumentScope> = {
  id: (pair, scope) => {
    // The types of a message over SOAP are named after the operation.
    if (isWhole(scope) && scope.wrapped === true) return;
    whenDifferent<Document, Scope>('document-renamed', (document) => documentName(document))(pair, scope);
  },
  // Compared with the id.
  name: unseen,
  description: whenDifferent('description-changed', ({ description = '' }) => description),
  xmlName: ofWhole((pair, scope) => {
    const xml = { ...scope, languages: scope.languages.filter((each) => each === 'xml' && scope.wrapped !== true) };
    whenDifferent<Document, Scope>('root-element-changed', ({ xmlName }) => xmlName)(pair, xml);
  }),
  xmlType: whenDifferent('xml-type-changed', ({ xmlType }) => xmlType ?? 'as its document'),
  namespace: compareNamespaces,
  root: ofWhole(compareLabels),
  open: whenTurned('document-opened', 'document-closed', ({ open }) => open),
  bare: ofWhole(
    whenDifferent('message-kind-changed', ({ bare }) => (bare === true ? 'a list or a single value' : 'a document')),
  ),
  choice: compareChoices,
  derivation: whenDifferent('base-changed', ({ derivation }) =>
    derivation === undefined ? 'none' : documentName(derivation.base),
  ),
  kinds: compareKinds,
  // Whether it may stand itself is seen in the documents that may.
  abstract: unseen,
  patch: whenDifferent('patch-changed', ({ patch }) => (patch === undefined ? 'a record' : 'a change of a record')),
  fields: compareFields,
  // The form in which a document is declared is not that of its values.
  inPlace: unseen,
  at: unseen,
};

function namespaceWithin({ namespace, inPlace }: Document, around: string): string {
  return namespace ?? (inPlace ? around : OF_SERVICE);
}

function compareNamespaces({ before, after }: Pair<Document>, scope: DocumentScope): void {
  const inherits = (each: Document): boolean => each.namespace === undefined && each.inPlace;
  // The change of what is around them has been reported.
  if (inherits(before) && inherits(after)) return;
  const [old, now] = [namespaceWithin(before, scope.around.before), namespaceWithin(after, scope.around.after)];
  if (old === now) return;
  scope.changes.add('namespace-changed', scope, {
    before: { text: old === '' ? 'none' : old, at: before.at },
    after: { text: now === '' ? 'none' : now, at: after.at },
  });
}

/** The label at the root of JSON is the id of the document. */
function compareLabels({ before, after }: Pair<Document>, scope: DocumentScope): void {
  const sides = { before: { text: before.id, at: before.at }, after: { text: after.id, at: after.at } };
  const json = { ...scope, languages: scope.languages.filter((each) => each === 'json') };
  if (before.root && after.root && before.id !== after.id) scope.changes.add('root-label-changed', json, sides);
  else if (before.root !== after.root)
    scope.changes.add(after.root ? 'root-label-added' : 'root-label-removed', json, sides);
}

/** How the branches of a choice are distinguished in JSON, in words for each member of the model; empty for another one's. */
const CHOICE: Readonly<Record<keyof Choice, (choice: Choice) => string>> = {
  tag: ({ tag, named }) => tag ?? (named === true ? '' : 'their members'),
  named: ({ named }) => (named === true ? 'the member that they are in' : ''),
};

/** Compares the documents that may stand where one is expected, and the member of JSON that names them. */
function compareKinds({ before, after }: Pair<Document>, scope: DocumentScope): void {
  const namesIn = (document: Document): string[] => kindsOf(document).map(documentName);
  const [old, now] = [namesIn(before), namesIn(after)];
  const side = (text: string, { at }: Document) => ({ text, at });
  // A document that only has another name is reported as such.
  if (before.kinds === undefined && after.kinds === undefined) return;
  for (const name of now.filter((each) => !old.includes(each)))
    scope.changes.add('kind-added', scope, { before: side('', before), after: side(name, after) });
  for (const name of old.filter((each) => !now.includes(each)))
    scope.changes.add('kind-removed', scope, { before: side(name, before), after: side('', after) });
  const [was, is] = [before.kinds?.by.jsonName, after.kinds?.by.jsonName];
  if (was !== undefined && is !== undefined && was !== is)
    scope.changes.add('kind-member-changed', scope, { before: side(was, before), after: side(is, after) });
}

/** The words of a table for one thing. */
function wordsOf<T>(table: Readonly<Record<string, (thing: T) => string>>, thing: T): string {
  return Object.values(table)
    .map((read) => read(thing))
    .filter((words) => words !== '')
    .join(', ');
}

function compareChoices({ before, after }: Pair<Document>, scope: DocumentScope): void {
  const words = ({ choice }: Document): string =>
    choice === undefined ? 'a document with fields' : 'one of several documents';
  const tag = ({ choice = {} }: Document): string => wordsOf(CHOICE, choice);
  const sides = (read: (each: Document) => string) => ({
    before: { text: read(before), at: before.at },
    after: { text: read(after), at: after.at },
  });
  if (words(before) !== words(after)) scope.changes.add('choice-changed', scope, sides(words));
  else if (tag(before) !== tag(after)) scope.changes.add('tag-changed', scope, sides(tag));
}

function compareFields(pair: Pair<Document>, scope: DocumentScope): void {
  const { before, after } = pair;
  // They have no fields in common, but branches on one side.
  if ((before.choice === undefined) !== (after.choice === undefined)) return;
  const pairs = pairFields(before.fields, after.fields);
  const [old, now] = [new Set(pairs.map((each) => each.before)), new Set(pairs.map((each) => each.after))];
  for (const each of pairs) compareField(each, pair, fieldScope(scope, each.after));
  for (const field of after.fields) if (!now.has(field)) addField(field, after, scope);
  for (const field of before.fields) if (!old.has(field)) removeField(field, pair, scope);
  if (before.choice === undefined) compareOrder(pair, pairs, scope);
}

/** Compares a document with a message that has none, as if it had no fields. */
export function compareMembership(document: Document, change: 'added' | 'removed', scope: DocumentScope): void {
  const none = { ...document, fields: [] };
  for (const field of document.fields)
    if (change === 'added') addField(field, document, scope);
    else removeField(field, { before: document, after: none }, scope);
}

/** Fields with the same name, and of the others those with the same names in JSON and XML. */
function pairFields(before: readonly Field[], after: readonly Field[]): readonly Pair<Field>[] {
  const names = new Map(after.map((field) => [field.name, field]));
  const known = new Set(before.map(({ name }) => name));
  const renamed = after.filter(({ name }) => !known.has(name));
  return before.flatMap((field) => {
    const same =
      names.get(field.name) ??
      renamed.find(({ jsonName, xmlName }) => jsonName === field.jsonName && xmlName === field.xmlName);
    return same === undefined ? [] : { before: field, after: same };
  });
}

function fieldScope(scope: DocumentScope, { name }: Field): DocumentScope {
  const path = [...scope.path, name];
  return { ...scope, at: `${scope.at}.${name}`, what: `${path.join('.')} of ${scope.message}`, path };
}

/** The scope of a field's name and place. For a field in a URL or a header these are compared there. */
function placed(scope: DocumentScope, whole: boolean, { name }: Field): DocumentScope {
  if (!whole || !scope.elsewhere.has(name)) return scope;
  // Over SOAP all fields are in the body, and are compared separately.
  return { ...scope, languages: [] };
}

/** Whether a message has to have the field. What is written has those that are filled in, too. */
function isNeeded({ required, default: standard, fixed, absent }: Field, { role }: Scope): boolean {
  const filled = standard !== undefined || fixed !== undefined;
  if (role === 'request' || role === 'received') return required && !filled;
  return required || filled || absent === 'blank';
}

function addField(field: Field, document: Document, scope: DocumentScope): void {
  const within = placed(fieldScope(scope, field), isWhole(scope), field);
  const needed = isNeeded(field, within) && field.required;
  const rule = document.choice !== undefined ? 'branch-added' : needed ? 'required-field-added' : 'field-added';
  within.changes.add(rule, within, { after: { text: field.name, at: field.at } });
}

function removeField(field: Field, { before, after }: Pair<Document>, scope: DocumentScope): void {
  const within = placed(fieldScope(scope, field), isWhole(scope), field);
  const removed = isNeeded(field, within) ? 'field-removed' : 'optional-field-removed';
  const rule = before.choice !== undefined ? 'branch-removed' : after.open ? 'field-undeclared' : removed;
  within.changes.add(rule, within, { before: { text: field.name, at: field.at } });
}

function compareOrder({ before, after }: Pair<Document>, pairs: readonly Pair<Field>[], scope: DocumentScope): void {
  const elements = pairs.filter((each) => !each.before.attribute && !each.after.attribute);
  const place = new Map(after.fields.map((field, index) => [field, index]));
  const ordered = elements.toSorted((a, b) => (place.get(a.after) ?? 0) - (place.get(b.after) ?? 0));
  if (elements.every((each, index) => each === ordered[index])) return;
  const text = (list: readonly Pair<Field>[]): string => list.map((each) => each.after.xmlName).join(', ');
  scope.changes.add('field-order-changed', scope, {
    before: { text: text(elements), at: before.at },
    after: { text: text(ordered), at: after.at },
  });
}

/** Compares two fields, and the documents inside them. */
function compareField(pair: Pair<Field>, within: Pair<Document>, scope: DocumentScope): void {
  compareAll(within.before.choice === undefined ? FIELD : BRANCH, pair, scope);
  const [old, now] = [singleType(pair.before.type), singleType(pair.after.type)];
  if (old.kind !== 'document' || now.kind !== 'document') return;
  const around = {
    before: namespaceWithin(within.before, scope.around.before),
    after: namespaceWithin(within.after, scope.around.after),
  };
  compareDocuments({ before: old.document, after: now.document }, { ...scope, around });
}

/** A field that is not in the body has no name of its own there. */
function inBody(compare: Compare<Field, DocumentScope>): Compare<Field, DocumentScope> {
  return (pair, scope) => compare(pair, placed(scope, scope.path.length === 1, pair.after));
}

/** What becomes of white space. */
const SPACING: Readonly<Record<NonNullable<Field['space']>, string>> = {
  replace: 'replaced by spaces',
  collapse: 'collapsed',
};

const FIELD: Comparison<Field, DocumentScope> = {
  name: whenDifferent('field-renamed', ({ name }) => name),
  jsonName: inBody(whenDifferent('json-name-changed', ({ jsonName }) => jsonName)),
  xmlName: inBody(whenDifferent('xml-name-changed', ({ xmlName }) => xmlName)),
  type: (pair, scope) => {
    compareTypes(pair, scope);
    compareLengths(pair, scope);
    compareDigits(pair, scope);
    compareEntries(pair, scope);
  },
  // That of the entries; that of the whole is compared with its type.
  entry: compareEntry,
  description: whenDifferent('description-changed', ({ description = '' }) => description),
  required: (pair, scope) => {
    if (scope.path.length === 1 && scope.given?.has(pair.after.name) === true) return;
    // A reply that always has the field because of a default or a blank is reported with these.
    if (!pair.after.required && isNeeded(pair.after, scope)) return;
    whenTurned<Field, DocumentScope>('field-required', 'field-optional', isNeeded)(pair, scope);
  },
  nullable: compareNull,
  asFound: whenDifferent('as-found-changed', ({ asFound }) =>
    asFound === true ? 'written as it is found' : 'checked',
  ),
  default: compareDefaults,
  enum: compareEnums,
  anyCase: whenTurned('letter-case-free', 'letter-case-strict', ({ anyCase }) => anyCase),
  patterns: comparePatterns,
  space: whenDifferent('space-changed', ({ space }) => (space === undefined ? 'kept' : SPACING[space])),
  minimum: compareMinimum,
  maximum: compareMaximum,
  range: compareRanges,
  // Compared with the sizes of types.
  digits: unseen,
  fraction: unseen,
  fixed: compareFixed,
  sensitive: whenDifferent('sensitive-changed', ({ sensitive }) => (sensitive ? 'masked' : 'shown')),
  example: whenDifferent('example-changed', ({ example }) => String(example ?? '')),
  attribute: whenDifferent('attribute-changed', ({ attribute }) => (attribute ? 'an attribute' : 'an element')),
  content: whenDifferent('xml-form-changed', ({ content }) =>
    content === true ? 'the text of its element' : 'an element or attribute',
  ),
  inline: whenDifferent('xml-form-changed', ({ inline }) =>
    inline === true ? 'without an element around it' : 'inside an element',
  ),
  any: (pair, scope) => {
    const isAny = ({ any }: Field): boolean => any !== undefined;
    if (isAny(pair.before) !== isAny(pair.after))
      whenTurned<Field, DocumentScope>('wildcard-begun', 'wildcard-ended', isAny)(pair, scope);
    else whenDifferent<Field, DocumentScope>('wildcard-changed', ({ any }) => any ?? '')(pair, scope);
  },
  header: (pair, scope) => {
    if (scope.soap === true)
      whenDifferent<Field, DocumentScope>('header-block-changed', ({ header }) =>
        header === true ? 'a header block' : 'in the Body',
      )(pair, scope);
  },
  attachment: (pair, scope) => {
    if (scope.soap === true) whenDifferent<Field, DocumentScope>('attachment-changed', attachmentWords)(pair, scope);
  },
  namespace: whenDifferent('field-namespace-changed', ({ namespace }) => namespace ?? 'that of its document'),
  absent: whenDifferent('absent-changed', ({ absent }) => (absent === 'blank' ? 'blank' : 'left out')),
  url: (pair, scope) => {
    if (scope.path.length === 1 && scope.elsewhere.has(pair.after.name))
      whenDifferent<Field, DocumentScope>('url-style-changed', ({ url }) => url)(pair, scope);
  },
  at: unseen,
};

/** Media types are what is usual, and nobody is refused for another one. */
function attachmentWords({ attachment }: Field): string {
  if (attachment === undefined) return 'in the Body';
  return attachment === 'reference' ? 'an attachment that the Body refers to' : 'an attachment';
}

/** A branch of a choice is neither required nor absent. */
const BRANCH: typeof FIELD = { ...FIELD, required: unseen, absent: unseen };

/** How the entries of a list are written in XML, in words for each member of the model but their type; empty for another one's. */
const LIST: Readonly<Record<Exclude<keyof ListType, 'kind' | 'item'>, (list: ListType) => string>> = {
  flat: ({ flat, spaced }) => {
    if (spaced === true) return '';
    return flat ? 'without an element around them' : 'inside an element';
  },
  spaced: ({ spaced }) => (spaced === true ? 'one text, separated by spaces' : ''),
};

/** The elements of a list's entries. */
function compareEntries(pair: Pair<Field>, scope: DocumentScope): void {
  const { before, after } = pair;
  if (before.type.kind !== 'list' || after.type.kind !== 'list') return;
  const side = (field: Field, text: string): { text: string; at: Position } => ({ text, at: field.at });
  const form = (list: ListType): string => wordsOf(LIST, list);
  const [old, now] = [before.type, after.type];
  if (form(old) !== form(now))
    scope.changes.add('flat-changed', scope, { before: side(before, form(old)), after: side(after, form(now)) });
  // The entries of a flat list have the name of the field, and those of one text have none.
  else if (!old.flat && !isSpaced(old) && itemName(old) !== itemName(now))
    scope.changes.add('entry-name-changed', scope, {
      before: side(before, itemName(old)),
      after: side(after, itemName(now)),
    });
}
