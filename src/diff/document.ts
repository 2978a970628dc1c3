import { type Document, documentName } from '../model/document.ts';
import { type Field, singleType } from '../model/field.ts';
import { isAnyText } from '../model/scalar.ts';
import type { SimpleType } from '../model/simple-type.ts';
import { compareChoices, compareKinds } from './alternatives.ts';
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
  compareAssumed,
  compareDefaults,
  compareDigits,
  compareEntries,
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
  open: (pair, scope) => {
    const within = isStrict(scope) ? { ...scope, what: `each further field of ${scope.what}` } : scope;
    const closed = isStrict(scope) ? 'undeclared-refused' : 'document-closed';
    whenTurned<Document, Scope>('document-opened', closed, ({ open }) => open)(pair, within);
  },
  bare: ofWhole(
    whenDifferent('message-kind-changed', ({ bare }) => (bare === true ? 'a list or a single value' : 'a document')),
  ),
  choice: compareChoices,
  derivation: whenDifferent('base-changed', ({ derivation }) =>
    derivation === undefined ? 'none' : documentName(derivation.base),
  ),
  kinds: compareKinds,
  // Seen in the documents that may be where it may.
  byValue: unseen,
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

function compareFields(pair: Pair<Document>, scope: DocumentScope): void {
  const { before, after } = pair;
  // They have no fields in common, but branches on one side.
  if ((before.choice === undefined) !== (after.choice === undefined)) return;
  const pairs = pairFields(before.fields, after.fields);
  const [old, now] = [new Set(pairs.map((each) => each.before)), new Set(pairs.map((each) => each.after))];
  for (const each of pairs) compareField(each, pair, fieldScope(scope, each.after));
  for (const field of after.fields) if (!now.has(field)) addField(field, pair, scope);
  for (const field of before.fields) if (!old.has(field)) removeField(field, pair, scope);
  if (before.choice === undefined) compareOrder(pair, pairs, scope);
}

/** Compares a document with a message that has none, as if it had no fields. */
export function compareMembership(document: Document, change: 'added' | 'removed', scope: DocumentScope): void {
  const none = { ...document, open: false, fields: [] };
  for (const field of document.fields)
    if (change === 'added') addField(field, { before: none, after: document }, scope);
    else removeField(field, { before: document, after: none }, scope);
}

/** Fields with the same name; of the others those with the same names in JSON and XML, or in one of them. */
function pairFields(before: readonly Field[], after: readonly Field[]): readonly Pair<Field>[] {
  const names = new Map(after.map((field) => [field.name, field]));
  const known = new Set(before.map(({ name }) => name));
  const free = new Set(after.filter(({ name }) => !known.has(name)));
  const pairs = new Map<Field, Field>();
  const take = (field: Field, same: Field | undefined): void => {
    if (same === undefined) return;
    pairs.set(field, same);
    free.delete(same);
  };
  for (const field of before) take(field, names.get(field.name));
  for (const nameOf of NAMES) {
    const byName = new Map(Array.from(free, (field) => [nameOf(field), field]));
    for (const field of before) {
      const same = byName.get(nameOf(field));
      if (!pairs.has(field) && same !== undefined && free.has(same)) take(field, same);
    }
  }
  return before.flatMap((field) => {
    const same = pairs.get(field);
    return same === undefined ? [] : { before: field, after: same };
  });
}

/** What a field that is called otherwise is known by: both of its names in messages, or one of them. */
const NAMES: readonly ((field: Field) => string)[] = [
  ({ jsonName, xmlName }) => `${jsonName}\n${xmlName}`,
  ({ jsonName }) => jsonName,
  ({ xmlName }) => xmlName,
];

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

/** Whether the other side writes the message, and it is read here. */
const isRead = ({ role }: Scope): boolean => role === 'request' || role === 'received';

/** Whether what is not declared is rejected, in the reply of a system that is called. */
const isStrict = ({ role, soap }: DocumentScope): boolean => role === 'received' && soap === true;

/** Whether a field without a value gets one. */
const isFilled = (field: Field): boolean => field.default !== undefined || field.fixed !== undefined;

/** Whether a message has to have the field. What is written has those that are filled in, too. */
function isNeeded(field: Field, scope: Scope): boolean {
  if (isRead(scope)) return field.required && !isFilled(field);
  return field.required || isFilled(field) || field.absent === 'blank';
}

function addField(field: Field, { before, after }: Pair<Document>, scope: DocumentScope): void {
  const within = placed(fieldScope(scope, field), isWhole(scope), field);
  const needed = isNeeded(field, within) && field.required;
  const added = before.open && isRead(scope) ? 'field-declared' : 'field-added';
  const rule = after.choice !== undefined ? 'branch-added' : needed ? 'required-field-added' : added;
  within.changes.add(rule, within, { after: { text: field.name, at: field.at } });
}

function removeField(field: Field, { before, after }: Pair<Document>, scope: DocumentScope): void {
  const within = placed(fieldScope(scope, field), isWhole(scope), field);
  const removed = isNeeded(field, within) ? 'field-removed' : 'optional-field-removed';
  const left = isStrict(within) ? 'undeclared-refused' : removed;
  // What an open document still takes, it need not send any more.
  const isMissed = !isRead(within) && isNeeded(field, within);
  const rule = before.choice !== undefined ? 'branch-removed' : after.open && !isMissed ? 'field-undeclared' : left;
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

/** The name of a named type in XML Schema, with its namespace if it has one of its own. */
function typeNameOf({ id, xmlType = id, namespace }: SimpleType): string {
  return namespace === undefined ? xmlType : `{${namespace}}${xmlType}`;
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
  // A field of calls: the system that is called has no say in it.
  optional: unseen,
  required: (pair, scope) => {
    if (scope.path.length === 1 && scope.given?.has(pair.after.name) === true) return;
    // A reply that always has the field because of a default or a blank is reported with these.
    const { required: isRequired } = pair.after;
    if (!isRequired && isNeeded(pair.after, scope) && (!pair.before.required || isFilled(pair.after))) return;
    // What is blank where there always was a value is no value.
    const needed = isRequired ? isNeeded : (field: Field) => isNeeded({ ...field, absent: 'omit' }, scope);
    whenTurned<Field, DocumentScope>('field-required', 'field-optional', needed)(pair, scope);
  },
  nullable: compareNull,
  asFound: whenDifferent('as-found-changed', ({ asFound }) =>
    asFound === true ? 'written as it is found' : 'checked',
  ),
  default: compareDefaults,
  assumed: compareAssumed,
  enum: compareEnums,
  labels: whenDifferent('description-changed', ({ labels = {} }) =>
    Object.entries(labels)
      .map((each) => each.join(': '))
      .join(', '),
  ),
  // Its restrictions are compared as those of the field.
  named: whenDifferent('xml-type-changed', ({ named }) => (named === undefined ? '(unnamed)' : typeNameOf(named))),
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
  absent: (pair, scope) => {
    const { before, after } = pair;
    const wasBlank = before.absent === 'blank' && after.absent !== 'blank';
    if (wasBlank && isRead(scope) && !isAnyText(after.type)) {
      const sides = { before: { text: '', at: before.at }, after: { text: '', at: after.at } };
      // An empty element of any other type counts as absent.
      const isXml = singleType(after.type).kind === 'json';
      const languages = scope.languages.filter((each) => each === 'json' || isXml);
      scope.changes.add('blank-refused', { ...scope, languages }, sides);
    } else
      whenDifferent<Field, Scope>('absent-changed', ({ absent }) => (absent === 'blank' ? 'blank' : 'left out'))(
        pair,
        scope,
      );
  },
  url: (pair, scope) => {
    if (scope.path.length === 1 && scope.elsewhere.has(pair.after.name))
      whenDifferent<Field, DocumentScope>('url-style-changed', ({ url }) => url)(pair, scope);
  },
  at: unseen,
};

/** The media types are the usual ones; any other is accepted too. */
function attachmentWords({ attachment }: Field): string {
  if (attachment === undefined) return 'in the Body';
  return attachment === 'reference' ? 'an attachment that the Body refers to' : 'an attachment';
}

/** A branch of a choice is neither required nor absent. */
const BRANCH: typeof FIELD = { ...FIELD, required: unseen, absent: unseen };
