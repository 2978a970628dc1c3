import { areApart, type JsonMember } from '../../model/choice.ts';
import { FiniteDocuments } from '../../model/endless.ts';
import type { ScalarKind } from '../../model/scalar.ts';
import type { DraftDocument, DraftField, DraftMessage, DraftOperation, DraftType } from '../draft.ts';
import type { Losses, Place } from '../place.ts';
import { type FoundChoice, tagOf } from './choices.ts';
import { contentText } from './content-text.ts';
import type { SchemaReader } from './schema.ts';
import { ANY_JSON, JSON_TYPE, type TypeRead } from './type-read.ts';

/** A message that is not settled yet. */
interface Messages {
  readonly place: Place;
  faults: DraftOperation['faults'];
  request: DraftMessage;
  responses: { readonly mediaType?: string; message: DraftMessage }[];
}

/**
 * Finishes what could only be judged once all documents have their fields: choices whose branches can't be told apart become
 * any JSON, documents that others extend get the member that says which of them a value is, and branches lose it.
 *
 * @returns the documents of the contract
 */
export function settle(reader: SchemaReader, operations: readonly DraftOperation[], losses: Losses): DraftDocument[] {
  const { choices, documents } = reader;
  reader.fill();
  settleBases(reader, losses);
  const replaced = new Map(choices.replaced);
  const flattened = new Set<DraftDocument>();
  for (const { document } of choices.found) flatten(document, replaced, flattened);
  for (const choice of choices.found) settleTag(choice, losses);
  for (const choice of choices.found) {
    const reason = replaced.has(choice.document) ? undefined : whyUnclear(choice.document, replaced);
    if (reason === undefined) continue;
    losses.add(
      `"${choice.keyword}" of ${reason}`,
      'any JSON is accepted',
      choice.node.place,
      contentText(choice.node, reader.context),
    );
    replaced.set(choice.document, ANY_JSON);
  }
  const kept = documents.filter((document) => !replaced.has(document));
  for (const document of kept) for (const field of document.fields) replaceField(field, replaced);
  for (const operation of operations) replaceMessages(operation as unknown as Messages, replaced, losses);
  const left = choices.found.filter(({ document }) => !replaced.has(document));
  for (const { document } of left) closeBranches(document, losses);
  const settled = reachable([...kept, ...withoutTags(left, kept, operations)], operations);
  breakCircles(settled, losses);
  return settled;
}

/** Makes members optional by which documents would always contain themselves: no value would be one. */
function breakCircles(documents: readonly DraftDocument[], losses: Losses): void {
  const derived = Map.groupBy(documents, (document) => document.extends ?? document.restricts);
  const finite = new FiniteDocuments(documents, (document) => waysOf(document, derived.get(document)));
  for (const document of documents) {
    if (!finite.isEndless(document) || document.choice === true) continue;
    for (const field of document.fields) {
      const [inner] = neededBy(field);
      if (inner === undefined || !finite.isEndless(inner) || field.options.required !== true) continue;
      delete field.options.required;
      losses.add(
        `"${field.name}" is required, by which ${document.name} always contains itself`,
        'optional',
        field.place,
      );
    }
    finite.add(document);
  }
}

/** The documents of each way in which a document may have a value: its own fields, a branch, or a document that derives from it. */
function waysOf(document: DraftDocument, derived: readonly DraftDocument[] = []): DraftDocument[][] {
  if (document.choice === true) return document.fields.map(neededBy);
  const required = [...allFields(document)].filter(({ options }) => options.required);
  const itself = document.options.abstract ? [] : [required.flatMap(neededBy)];
  return [...itself, ...derived.map((each) => [each])];
}

/** The document that a value of a field contains; none if the value may be null. */
function neededBy(field: DraftField): DraftDocument[] {
  const document = documentOf(field);
  return document === undefined || field.options.nullable === true ? [] : [document];
}

/** Documents that have a name, or that something uses. */
function reachable(documents: readonly DraftDocument[], operations: readonly DraftOperation[]): DraftDocument[] {
  const seen = new Set<DraftDocument>();
  const open: DraftDocument[] = documents.filter(({ named }) => named);
  const use = (type: DraftType): void => {
    if (type.kind === 'document') open.push(type.document);
    else if (type.kind !== 'scalar') use(type.item);
  };
  for (const { request, responses, faults } of operations) {
    for (const message of [request, ...responses.map((each) => each.message)])
      if (message.kind === 'document') open.push(message.document);
      else if (message.kind === 'type') use(message.type);
    for (const fault of faults) open.push(fault.document);
  }
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    if (next.extends !== undefined) open.push(next.extends);
    for (const { type } of next.fields) use(type);
  }
  return documents.filter((document) => seen.has(document));
}

function settleBases({ choices, documents }: SchemaReader, losses: Losses): void {
  for (const [base, discriminator] of choices.bases) {
    const tag = tagOf(discriminator);
    const extending = documents.filter((each) => each.extends === base);
    const mapped = choices.mappedBy(discriminator);
    if (tag === undefined || extending.length === 0) {
      losses.add(
        `the discriminator "${tag}" of ${base.name}, which no schema extends`,
        'an ordinary property',
        discriminator.place,
      );
      continue;
    }
    base.options.by = tag;
    base.fields = base.fields.filter(({ name }) => name !== tag);
    for (const [value, document] of mapped) {
      if (document.tag !== undefined && document.tag !== value)
        losses.add(
          `a second value "${value}" of the discriminator for ${document.name}`,
          'not known',
          discriminator.place,
        );
      else document.tag = value;
    }
  }
}

/**
 * Puts the branches of a choice that is itself a branch into the one around. Each choice is flattened once, and has a branch once
 * however many choices within it have it: choices may contain one another. One that contains itself keeps that branch.
 *
 * @param begun the choices that are, or are being, flattened
 */
function flatten(
  document: DraftDocument,
  replaced: ReadonlyMap<DraftDocument, TypeRead>,
  begun: Set<DraftDocument>,
  open = new Set<DraftDocument>(),
): void {
  if (begun.has(document)) return;
  begun.add(document);
  open.add(document);
  const branches = document.fields.flatMap((field) => {
    const branch = documentOf(field);
    if (branch?.choice !== true || replaced.has(branch)) return [field];
    const isSame = document.options.by === undefined || document.options.by === branch.options.by;
    if (open.has(branch) || !isSame) return [field];
    flatten(branch, replaced, begun, open);
    return branch.fields;
  });
  document.fields = [...new Set(branches)];
  open.delete(document);
}

/** Drops a discriminator that has one value for several branches. Their members tell them apart then, if anything does. */
function settleTag({ document, node }: FoundChoice, losses: Losses): void {
  const names = document.fields.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  const { by } = document.options;
  if (by === undefined || twice === undefined) return;
  delete document.options.by;
  const what = `the discriminator "${by}" of ${document.name}, which is "${twice}" for several schemas`;
  losses.add(what, 'an ordinary property', node.place);
}

function documentOf({ type }: DraftField): DraftDocument | undefined {
  return type.kind === 'document' ? type.document : undefined;
}

/** Why the branches of a choice can't be told apart, as what they are; `undefined` if they can. */
function whyUnclear(document: DraftDocument, replaced: ReadonlyMap<DraftDocument, TypeRead>): string | undefined {
  const branches = document.fields.flatMap((field) => documentOf(field) ?? []);
  if (branches.some((each) => each.choice === true || replaced.has(each))) return 'other choices';
  if (document.options.by !== undefined) return undefined;
  for (const [index, one] of branches.entries())
    for (const other of branches.slice(0, index))
      if (!areApart(membersOf(one), membersOf(other)))
        return `${other.name} and ${one.name}, which no required member tells apart`;
  return undefined;
}

/** The fields of a document and of those that it extends. */
function allFields(document: DraftDocument): Iterable<DraftField> {
  const found = new Map<string, DraftField>();
  const seen = new Set<DraftDocument>();
  for (let each: DraftDocument | undefined = document; each !== undefined && !seen.has(each); each = each.extends) {
    seen.add(each);
    for (const field of each.fields) if (!found.has(field.name)) found.set(field.name, field);
  }
  return found.values();
}

function membersOf(document: DraftDocument): JsonMember[] {
  return [...allFields(document)].map(({ name, type, options }) => {
    const { json = name, required = false, nullable, fixed, enum: listed } = options;
    return {
      ...{ jsonName: json, required, absent: 'omit', anyCase: false, type: { kind: kindOf(type) } },
      ...(nullable === true ? { nullable } : {}),
      ...(fixed === undefined ? {} : { fixed }),
      ...(listed === undefined ? {} : { enum: listed }),
    } as JsonMember;
  });
}

function kindOf(type: DraftType): JsonMember['type']['kind'] {
  return type.kind === 'scalar' ? (type.word.replace(/\(.*/, '') as ScalarKind) : type.kind;
}

function replaceField(field: DraftField, replaced: ReadonlyMap<DraftDocument, TypeRead>): void {
  const { type } = field;
  if (type.kind === 'document') {
    const read = replaced.get(type.document);
    if (read === undefined) return;
    field.type = read.type;
    Object.assign(field.options, read.options);
    if (read.type.kind === 'scalar' && read.type.word === 'json') delete field.options.nullable;
  } else if (type.kind !== 'scalar' && type.item.kind === 'document') {
    const read = replaced.get(type.item.document);
    if (read !== undefined) field.type = { kind: type.kind, item: read.type.kind === 'scalar' ? read.type : JSON_TYPE };
  }
}

function replaceMessages(operation: Messages, replaced: ReadonlyMap<DraftDocument, TypeRead>, losses: Losses): void {
  operation.faults = operation.faults.filter(({ name, document }) => {
    if (!replaced.has(document)) return true;
    losses.add(`the body of the response ${name}, which is any JSON`, 'not read', operation.place);
    return false;
  });
  operation.request = replacedMessage(operation.request, replaced);
  operation.responses = operation.responses.map((each) => ({
    ...each,
    message: replacedMessage(each.message, replaced),
  }));
}

function replacedMessage(message: DraftMessage, replaced: ReadonlyMap<DraftDocument, TypeRead>): DraftMessage {
  if (message.kind === 'document') {
    const read = replaced.get(message.document);
    if (read === undefined) return message;
    if (read.type.kind === 'document') return { kind: 'document', document: read.type.document };
    return isJson(read.type) ? { kind: 'raw', raw: 'json' } : { kind: 'type', type: read.type };
  }
  if (message.kind !== 'type' || message.type.kind === 'scalar' || message.type.kind === 'document') return message;
  const { item } = message.type;
  const read = item.kind === 'document' ? replaced.get(item.document) : undefined;
  if (read === undefined) return message;
  return { kind: 'type', type: { ...message.type, item: read.type.kind === 'scalar' ? read.type : JSON_TYPE } };
}

const isJson = (type: DraftType): boolean => type.kind === 'scalar' && type.word === 'json';

/** A branch accepts no undeclared members: it could be any other. */
function closeBranches(choice: DraftDocument, losses: Losses): void {
  for (const field of choice.fields) {
    const branch = documentOf(field);
    if (branch?.options.open !== true) continue;
    delete branch.options.open;
    losses.add(
      `undeclared members of ${branch.name}, which is a branch of ${choice.name}`,
      'not accepted',
      branch.place,
    );
  }
}

/**
 * Removes the member that says which branch a value is from the branches, since the choice has it. A document that is used
 * outside of choices too keeps it, and the choice gets one without.
 *
 * @returns the documents that were made
 */
function withoutTags(
  choices: readonly FoundChoice[],
  documents: readonly DraftDocument[],
  operations: readonly DraftOperation[],
): DraftDocument[] {
  const elsewhere = usedElsewhere(choices, documents, operations);
  const made = new Map<string, DraftDocument>();
  const ids = new Map(documents.map((document, index) => [document, index]));
  for (const { document } of choices) {
    const tag = document.options.by;
    if (tag === undefined) continue;
    for (const field of document.fields) {
      const branch = documentOf(field);
      if (branch === undefined || !branch.fields.some(({ name }) => name === tag)) continue;
      const key = `${ids.get(branch)} ${tag}`;
      const bare = made.get(key) ?? (elsewhere.has(branch) ? { ...branch, named: false } : branch);
      bare.fields = branch.fields.filter(({ name }) => name !== tag);
      if (bare !== branch) made.set(key, bare);
      field.type = { kind: 'document', document: bare };
    }
  }
  return [...made.values()];
}

/** Documents that something else than a choice uses. */
function usedElsewhere(
  choices: readonly FoundChoice[],
  documents: readonly DraftDocument[],
  operations: readonly DraftOperation[],
): ReadonlySet<DraftDocument> {
  const used = new Set<DraftDocument>();
  const use = (type: DraftType): void => {
    if (type.kind === 'document') used.add(type.document);
    else if (type.kind !== 'scalar') use(type.item);
  };
  const message = (each: DraftMessage): void => {
    if (each.kind === 'document') used.add(each.document);
    else if (each.kind === 'type') use(each.type);
  };
  const areChoices = new Set(choices.map(({ document }) => document));
  for (const document of documents) {
    if (document.extends !== undefined) used.add(document.extends);
    if (!areChoices.has(document)) for (const field of document.fields) use(field.type);
  }
  for (const operation of operations) {
    message(operation.request);
    for (const response of operation.responses) message(response.message);
    for (const fault of operation.faults) used.add(fault.document);
  }
  return used;
}
