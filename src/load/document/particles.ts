// Whether the elements of a document tell, in their order, which field they belong to: the rule Unique Particle Attribution of
// XML Schema (1.0 Part 1, section 3.8.6), decided by the sets of positions that may follow each other (Glushkov).
import type { Document } from '../../model/document.ts';
import { type Field, singleType } from '../../model/field.ts';
import { hasGroups, inlineDocument, mayBeWithoutElements } from '../../model/particles.ts';
import { overlap, takesNamespace } from '../../model/wildcard.ts';
import { type Place, placeOf } from '../diagnostic/diagnostic.ts';
import type { Linking } from '../linking.ts';

/** A field with an element of its own, inline in other fields or not. */
interface Position {
  readonly field: Field;
  /** The names of the fields on the way to it. */
  readonly path: string;
  /** The field of the outermost document that it is in. */
  readonly outermost: Field;
  /** The namespace of its element, that of its document for elements of any name; `*` for the service's. */
  readonly namespace: string;
  /** The namespace and the local name of its element; empty for elements of any name. */
  readonly name: string;
}

/** What a part of the content begins and ends with. */
interface Part {
  readonly first: readonly Position[];
  readonly last: readonly Position[];
  readonly mayBeEmpty: boolean;
}

const NOTHING: Part = { first: [], last: [], mayBeEmpty: true };

/** Refuses documents that can't stand without an element of their own where they do, and elements of which it is not clear what they are. */
export function checkParticles(linking: Linking, documents: ReadonlyMap<string, Document>): void {
  const { report, doubt } = linking;
  for (const document of documents.values()) {
    if (doubt.about(document)) continue;
    const refuse: Refuse = (reason, { at }) =>
      report.raise('bad-structure', { document: document.id, reason }, placeOf(at));
    checkAny(document, refuse);
    if (!hasGroups(document)) continue;
    if (checkInline(document, refuse)) checkOrder(linking, document, refuse);
  }
}

type Refuse = (reason: string, field: Field) => void;

/** A document that is open keeps what it does not declare, so nothing is left for a field; and one map takes all attributes. */
function checkAny({ fields, open }: Document, refuse: Refuse): void {
  const [first, ...others] = fields.filter(({ any }) => any !== undefined);
  if (first === undefined) return;
  if (open) refuse(`takes undeclared elements and attributes as \`open\`, and ${first.name} takes them too`, first);
  const attributes = [first, ...others].filter(({ attribute }) => attribute);
  for (const each of attributes.slice(1))
    refuse(`has two maps of attributes of any name, ${attributes[0]?.name} and ${each.name}`, each);
}

/** @returns whether each inline document can be one */
function checkInline(document: Document, refuse: Refuse): boolean {
  let isSound = true;
  for (const field of document.fields) {
    const inner = inlineDocument(field);
    if (inner === undefined) continue;
    const reason = whyNotInline(document, field, inner);
    if (reason === undefined) continue;
    refuse(reason, field);
    isSound = false;
  }
  return isSound;
}

function whyNotInline(document: Document, { name }: Field, inner: Document): string | undefined {
  const has = `has ${name} inline`;
  if (document.open) return `${has}, and is \`open\`: its elements could be undeclared ones`;
  if (inner.open) return `${has}, and ${inner.id} is \`open\`: its elements could be those of any field`;
  if (inner.kinds !== undefined || inner.abstract)
    return `${has}, and others derive from ${inner.id}: only an element of its own says which of them it is`;
  const other = inner.fields.find(({ attribute, content }) => attribute || content);
  if (other !== undefined)
    return `${has}, and ${other.name} of ${inner.id} needs an element of its own: it is ${other.content ? 'the text' : 'an attribute'} of it`;
  return holds(inner, document, new Set()) ? `${has}, and ${inner.id} has it inline again` : undefined;
}

/** Whether a document is inline in another, or the other itself. */
function holds(outer: Document, sought: Document, seen: Set<Document>): boolean {
  if (outer === sought) return true;
  if (seen.has(outer)) return false;
  seen.add(outer);
  return outer.fields.some((field) => {
    const inner = inlineDocument(field);
    return inner !== undefined && holds(inner, sought, seen);
  });
}

function checkOrder({ report }: Linking, document: Document, refuse: Refuse): void {
  const reported = new Set<string>();
  const clash = (one: Position, other: Position): void => {
    const [first, second] = [one.path, other.path].sort((a, b) => orderOf(document, a) - orderOf(document, b));
    const key = `${first} ${second}`;
    if (reported.has(key)) return;
    reported.add(key);
    const later = first === one.path ? other : one;
    const { field, outermost } = later;
    if (one.field.any !== undefined || other.field.any !== undefined) {
      refuse(
        `has elements that may be ${first} or ${second}: write the namespaces that \`any\` takes, as in "##other", or require a field between them`,
        outermost,
      );
      return;
    }
    if (!`${one.path}${other.path}`.includes('.')) {
      const at: Place = placeOf(field.at);
      report.raise('duplicate-name', { name: field.xmlName, where: 'XML', other: first as string }, at);
      return;
    }
    refuse(
      `has an element ${field.xmlName} in ${first} and in ${second}, and their order does not tell which one it is`,
      outermost,
    );
  };
  /** One of these comes next. */
  const alternatives = (positions: readonly Position[]): void => {
    const byName = new Map<string, Position>();
    const wild = positions.filter(({ field }) => field.any !== undefined);
    for (const each of positions) {
      for (const other of wild) if (other !== each && bothTake(other, each)) clash(other, each);
      if (each.field.any !== undefined) continue;
      const other = byName.get(each.name);
      if (other === undefined) byName.set(each.name, each);
      else if (other !== each) clash(other, each);
    }
  };
  const follow = new Map<Position, Set<Position>>();
  const whole = partOf(document, [], undefined, follow);
  alternatives(whole.first);
  for (const next of follow.values()) alternatives([...next]);
  checkTypes(follow.keys(), refuse);
}

/** Whether an element may belong to a wildcard and to another position. */
function bothTake(wild: Position, other: Position): boolean {
  const one = { any: wild.field.any as string, target: wild.namespace };
  const { any } = other.field;
  return any === undefined
    ? takesNamespace(one.any, other.namespace, one.target)
    : overlap(one, { any, target: other.namespace });
}

/** The place of a path among the fields of a document. */
function orderOf({ fields }: Document, path: string): number {
  return fields.findIndex(({ name }) => path === name || path.startsWith(`${name}.`));
}

/** Elements of one name have one type (Element Declarations Consistent, section 3.8.6). */
function checkTypes(positions: Iterable<Position>, refuse: Refuse): void {
  const byName = new Map<string, Position>();
  for (const each of positions) {
    if (each.field.any !== undefined) continue;
    const other = byName.get(each.name);
    if (other === undefined) byName.set(each.name, each);
    else if (typeOf(other.field) !== typeOf(each.field))
      refuse(
        `has elements ${each.field.xmlName} of different types in ${other.path} and in ${each.path}`,
        each.outermost,
      );
  }
}

function typeOf({ type }: Field): string {
  const single = singleType(type);
  const isWrapped = type.kind === 'map' || (type.kind === 'list' && !type.flat);
  return `${isWrapped ? `${type.kind} of ` : ''}${single.kind === 'document' ? single.document.id : single.kind}`;
}

/** @param follow what may follow each position, which is added to */
function partOf(
  document: Document,
  path: readonly string[],
  outermost: Field | undefined,
  follow: Map<Position, Set<Position>>,
): Part {
  const isChoice = document.choice !== undefined;
  const parts = document.fields.flatMap((each) => {
    const field = isChoice ? { ...each, required: true } : each;
    if (field.attribute || field.content || field.header || Array.isArray(field.attachment)) return [];
    return [fieldPart(document, field, [...path, field.name], outermost ?? each, follow)];
  });
  if (isChoice) {
    return {
      first: parts.flatMap(({ first }) => first),
      last: parts.flatMap(({ last }) => last),
      mayBeEmpty: parts.some(({ mayBeEmpty }) => mayBeEmpty),
    };
  }
  return parts.reduce((before, next) => {
    connect(before.last, next.first, follow);
    return {
      first: before.mayBeEmpty ? [...before.first, ...next.first] : before.first,
      last: next.mayBeEmpty ? [...before.last, ...next.last] : next.last,
      mayBeEmpty: before.mayBeEmpty && next.mayBeEmpty,
    };
  }, NOTHING);
}

function fieldPart(
  document: Document,
  field: Field,
  path: readonly string[],
  outermost: Field,
  follow: Map<Position, Set<Position>>,
): Part {
  const inner = inlineDocument(field);
  const part =
    inner === undefined ? position(document, field, path, outermost, follow) : partOf(inner, path, outermost, follow);
  const { type, maximum = Number.POSITIVE_INFINITY } = field;
  if (type.kind === 'list' && type.flat && maximum > 1) connect(part.last, part.first, follow);
  return { ...part, mayBeEmpty: part.mayBeEmpty || mayBeWithoutElements(field) };
}

function position(
  { namespace: around = '*' }: Document,
  field: Field,
  path: readonly string[],
  outermost: Field,
  follow: Map<Position, Set<Position>>,
): Part {
  const { namespace = around, xmlName, any } = field;
  const name = any === undefined ? `${namespace} ${xmlName}` : '';
  const found: Position = { field, path: path.join('.'), outermost, namespace, name };
  follow.set(found, new Set());
  return { first: [found], last: [found], mayBeEmpty: false };
}

function connect(
  from: readonly Position[],
  to: readonly Position[],
  follow: ReadonlyMap<Position, Set<Position>>,
): void {
  for (const each of from) for (const next of to) follow.get(each)?.add(next);
}
